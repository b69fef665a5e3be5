"""Brokers that do not take everything: what they refuse costs only that, is said, and nothing is said twice."""

import resource
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.daemon import daemon
from tests.eventually import eventually
from tests.mosquitto import Mosquitto, Subscriber, settings_of
from tests.parts.mqtt.integration.client import SentTwice, connecting, event
from tests.parts.mqtt.integration.odd_broker import OddBroker, packet
from vitcam.config.settings import Settings
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.machine import Machine
from vitcam.parts.mqtt.checks import mqtt
from vitcam.parts.mqtt.client import MqttClient
from vitcam.parts.mqtt.settings import MqttSettings, MqttVersion
from vitcam.parts.mqtt.shared import Listener

EVENTS, SNAPSHOT = "vitcam/cam/event", "vitcam/cam/snapshot"
DISCOVERY = "homeassistant/device/vitcam_cam/config"
ANYBODY = "allow_anonymous true"
both_versions = pytest.mark.parametrize("version", ["5", "3.1.1"])


def settings(port: int, version: MqttVersion = "auto") -> MqttSettings:
    return MqttSettings(host="127.0.0.1", port=port, name="cam", version=version)


def examined(asked: MqttSettings, folder: Path) -> CheckResult:
    """What doctor says."""
    return mqtt(CheckContext(Settings().with_section("mqtt", asked), Machine({}, folder)))


def said(client: MqttClient, *words: str) -> bool:
    """Whether the state comes to say them."""
    return eventually(lambda: all(word in client.state().trouble for word in words))


def ids(heard: list[dict[str, str]]) -> list[str]:
    return [each["id"] for each in heard]


@both_versions
@pytest.mark.parametrize("limit", ["max_packet_size 20000", "message_size_limit 3000"])
@pytest.mark.fault(
    "the MQTT broker takes small messages only",
    injected="mosquitto with max_packet_size or message_size_limit, by MQTT 5 and 3.1.1, and a whole daemon",
    observed="each event arrives once, pictures are made smaller or left out with a sentence, and the connection holds",
)
def test_a_broker_of_small_messages_gets_each_event_once(limit: str, version: MqttVersion, tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker", ANYBODY, limit, "log_type all", queue=1000)
    with broker, Subscriber(broker, EVENTS, SNAPSHOT, "vitcam/cam/state") as subscriber:
        environment = {**settings_of(broker, version=version), "STATE_DIRECTORY": str(tmp_path / "state")}
        with daemon("--source", "demo", "--loop", **environment) as running:
            running.wait_for("ok")
            assert eventually(lambda: len(subscriber.of(EVENTS)) >= 12)
            assert eventually(lambda: running.state()["mqtt"]["connected"])
            assert running.state()["mqtt"]["given_up"] == 0
            log = running.errors()
    assert "Traceback" not in log
    assert broker.log().count("as vitcam-cam (") <= 5, "it was thrown out again and again"
    # one that lasts is reported again every few seconds, perhaps with the same words
    edges = [(each["id"], each["phase"]) for each in subscriber.records(EVENTS) if each["phase"] != "update"]
    assert {*Counter(edges).values()} == {1}
    if version == "5" and limit.startswith("max_packet_size"):
        assert eventually(lambda: subscriber.of(SNAPSHOT))
        assert max(map(len, subscriber.of(SNAPSHOT))) < 20_000
    elif version == "5":
        assert f"does not take {DISCOVERY}" in log
        assert f"does not take {SNAPSHOT}" in log
        assert 'mqtt.discovery = ""' in log
    elif limit.startswith("max_packet_size"):
        assert f"closes the connection when {SNAPSHOT} comes" in log
        assert "mqtt.snapshots = false" in log


@both_versions
def test_a_user_who_may_not_write_discovery_loses_only_that(version: MqttVersion, tmp_path: Path) -> None:
    rights = tmp_path / "rights"
    rights.write_text("topic readwrite vitcam/#\n")
    asked = settings(0, version)
    with Mosquitto(tmp_path / "broker", ANYBODY, f"acl_file {rights}", "log_type all", queue=1000) as broker:
        asked = replace(asked, port=broker.port)
        with Subscriber(broker, EVENTS) as subscriber, connecting(None, asked) as client:
            client.parts.retained.keep({DISCOVERY: "{}"})
            for number in range(3):
                client.event(event(number))
            assert eventually(lambda: len(subscriber.heard) == 3 and client.state().waiting == 0)
            if version == "5":
                assert said(client, DISCOVERY, "Not authorized", 'mqtt.discovery = ""')
            client.event(event(3))
            assert eventually(lambda: client.state().waiting == 0 and client.state().connected)
            assert eventually(lambda: len(subscriber.heard) == 4)
        found = examined(asked, tmp_path)
    assert ids(subscriber.records(EVENTS)) == [f"{number:06}" for number in range(4)]
    assert broker.log().count("as vitcam-cam (") == 1
    assert (found.status, DISCOVERY in found.found, 'mqtt.discovery = ""' in found.fix) == ("warn", True, True)


@both_versions
def test_a_broker_that_confirms_what_it_denies_and_closes_costs_only_that(version: MqttVersion, tmp_path: Path) -> None:
    rights = tmp_path / "rights"
    rights.write_text("topic readwrite vitcam/#\n")
    # mosquitto 2.0 closes a connection at what it denies where its queues have no limit
    with (
        Mosquitto(tmp_path / "broker", ANYBODY, f"acl_file {rights}") as broker,
        Subscriber(broker, EVENTS) as subscriber,
        connecting(None, settings(broker.port, version)) as client,
    ):
        client.parts.retained.keep({DISCOVERY: "{}"})
        assert said(client, DISCOVERY, 'mqtt.discovery = ""')
        client.event(event(0))
        assert eventually(lambda: subscriber.heard and client.state().connected and not client.state().waiting)


def test_a_user_who_may_write_everything_is_fine_for_the_doctor(tmp_path: Path) -> None:
    with Mosquitto(tmp_path / "broker", ANYBODY, "max_packet_size 20000") as broker:
        for version in ("5", "3.1.1"):
            found = examined(settings(broker.port, version), tmp_path)
            assert (found.status, f"by MQTT {version}" in found.found) == ("ok", True)
            assert ("at most 20,000 bytes" in found.found) == (version == "5")


@both_versions
@pytest.mark.fault(
    "two cameras have the same MQTT name",
    injected="two clients of one name at one mosquitto, which lets the newer one end the other",
    observed="each says so with mqtt.name, the pauses grow, and the sentence stays while one of them is connected",
)
def test_two_cameras_of_one_name_say_so_and_do_not_storm(
    version: MqttVersion, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Mosquitto(tmp_path / "broker", ANYBODY) as broker:
        asked = settings(broker.port, version)
        with connecting(None, asked) as one, connecting(None, asked) as other:
            for each in (one, other):
                assert said(each, "mqtt.name"), each.state()
                assert eventually(lambda: each._pause_s > 16 * each._first_pause_s)  # noqa: B023
            assert eventually(lambda: one.state().connected or other.state().connected)
            assert "mqtt.name" in one.state().trouble
            assert "mqtt.name" in other.state().trouble
    assert "mqtt.name" in caplog.text
    assert "when" not in caplog.text, "no topic is to blame"


def test_a_broker_that_says_who_took_the_connection_over_is_quoted() -> None:
    with OddBroker(closes_after=3, reason=142) as broker, connecting(None, settings(broker.port)) as client:
        assert said(client, "another client has connected", "as vitcam-cam; give each camera its own mqtt.name")


@pytest.mark.fault(
    "the MQTT broker takes each connection and breaks it again",
    injected="a broker that closes each connection after six answers, while events come",
    observed="the pauses grow, the trouble stays, each event arrives, and none that was confirmed is sent again",
)
def test_a_connection_that_is_taken_and_broken_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    wire, said_in_between = SentTwice(monkeypatch), set()
    with OddBroker(closes_after=5) as broker, connecting(None, settings(broker.port, "3.1.1")) as client:
        for number in range(10):
            client.event(event(number))
        assert said(client, "closed the connection")
        while broker.connections < 4:
            said_in_between.add(client.state().trouble)
        assert "" not in said_in_between, "one connection more is no proof"
        assert client._pause_s >= 8 * client._first_pause_s
        assert eventually(lambda: client.state().waiting == 0)
    assert (len(wire.sent), wire.after_confirmation) == (10, [])


def test_what_a_broker_has_confirmed_is_not_sent_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broker, wire = Mosquitto(tmp_path / "broker"), SentTwice(monkeypatch)
    with broker, Subscriber(broker, EVENTS) as subscriber, connecting(tmp_path, settings(broker.port)) as client:
        for turn in range(3):
            for number in range(40):
                client.event(event(40 * turn + number))
            assert eventually(lambda: client.state().waiting == 0)
            broker.stop()
            assert eventually(lambda: not client.state().connected)
            broker.start()
            assert eventually(lambda: client.state().connected)
        assert eventually(lambda: len({*ids(subscriber.records(EVENTS))}) == 120)
    assert (wire.sent.total(), len(wire.sent)) == (120, 120)


@both_versions
@pytest.mark.parametrize("reason", [0, 135])
@pytest.mark.parametrize("topic", [DISCOVERY, SNAPSHOT, "homeassistant/status"])
def test_a_topic_that_breaks_the_connection_is_left_out(topic: str, reason: int, version: MqttVersion) -> None:
    with (
        OddBroker(closes_at=(topic,), reason=reason) as broker,
        connecting(None, settings(broker.port, version), lambda _: bytes(5000)) as client,
    ):
        client.parts.listeners = (Listener("homeassistant/status", lambda _: None),)
        client.parts.retained.keep({DISCOVERY: "{}"})
        client.event(event(0))
        assert said(client, topic, "mqtt.snapshots" if topic == SNAPSHOT else "mqtt.discovery")
        client.event(event(1))
        assert eventually(lambda: client.state().connected and client.state().waiting == 0)
        assert [*Counter(broker.of(EVENTS)).values()] == [1, 1]
        assert broker.connections <= 8
        assert "mqtt.name" not in client.state().trouble


def test_an_event_that_is_too_large_for_the_broker_delays_no_other(tmp_path: Path) -> None:
    long = replace(event(1), label="x" * 2000)
    for limit in ("message_size_limit 1000", "max_packet_size 1000"):
        with (
            Mosquitto(tmp_path / limit, ANYBODY, limit, queue=1000) as broker,
            Subscriber(broker, EVENTS) as subscriber,
            connecting(None, settings(broker.port, "5")) as client,
        ):
            for each in (event(0), long, event(2)):
                client.event(each)
            assert eventually(lambda: len(subscriber.heard) == 2)
            assert ids(subscriber.records(EVENTS)) == ["000000", "000002"]
            assert eventually(lambda: client.state().waiting == 0)
            assert client.state().given_up == 1


def test_what_may_not_be_heard_is_said_and_the_rest_goes_on() -> None:
    with OddBroker(deaf_to=("homeassistant/status",)) as broker, connecting(None, settings(broker.port)) as client:
        client.parts.listeners = (Listener("homeassistant/status", lambda _: None),)
        client.event(event(0))
        assert said(client, "does not let this camera hear homeassistant/status", 'mqtt.discovery = ""')
        assert eventually(lambda: broker.of(EVENTS) and client.state().connected)
        assert broker.connections == 1


@both_versions
def test_a_broker_that_keeps_no_messages_is_said_once_and_used(version: MqttVersion, tmp_path: Path) -> None:
    with (
        Mosquitto(tmp_path / "broker", ANYBODY, "retain_available false", "max_keepalive 10", "log_type all") as broker,
        Subscriber(broker, EVENTS, DISCOVERY) as subscriber,
        connecting(None, settings(broker.port, version)) as client,
    ):
        client.parts.retained.keep({DISCOVERY: "{}"})
        client.event(event(0))
        assert eventually(lambda: len(subscriber.heard) == 2), client.state()
        assert said(client, "keeps no messages", "let it retain messages")
        assert client.state().connected
        if version == "5":
            assert "keeps no messages" in examined(settings(broker.port), tmp_path).found
    assert broker.log().count("as vitcam-cam (") == 1


@pytest.mark.smoke
def test_a_broker_of_qos_0_gets_everything(tmp_path: Path) -> None:
    with (
        Mosquitto(tmp_path / "broker", ANYBODY, "max_qos 0", "log_type all") as broker,
        Subscriber(broker, EVENTS) as subscriber,
        connecting(None, settings(broker.port, "5")) as client,
    ):
        for number in range(40):
            client.event(event(number))
        assert eventually(lambda: len(subscriber.heard) == 40 and client.state().waiting == 0), client.state()
        assert client.state().trouble == ""
    assert "(d0, q1" not in broker.log()


@both_versions
@pytest.mark.parametrize("asked_for", [True, False])
@pytest.mark.fault(
    "the MQTT broker sends 200 MB on a topic that is heard",
    injected="a broker that keeps to no limit, by MQTT 5 and 3.1.1; and 500 messages at QoS 2, which nobody asked for",
    observed="the connection ends before it is in memory, with a sentence; events go on",
)
def test_a_huge_message_is_never_in_memory(asked_for: bool, version: MqttVersion) -> None:
    topic = b"vitcam/cam/set/pause"
    head = len(topic).to_bytes(2) + topic
    huge = [packet(0x30, head, claimed=200 * 2**20), *[bytes(2**20)] * 200]
    many = [packet(0x34, head + b"\0\1" + b"\0" * (version == "5") + bytes(50_000))] * 500
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (
        OddBroker(sends=lambda: huge if asked_for else many) as broker,
        connecting(None, settings(broker.port, version)) as client,
    ):
        assert said(client, "a message of 209,7" if asked_for else "QoS 2", "find out who sends")
        client.event(event(0))
        assert eventually(lambda: broker.of(EVENTS) and client.state().connected)
    assert 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 30e6


def test_what_is_not_mqtt_is_one_sentence(caplog: pytest.LogCaptureFixture) -> None:
    harmless = packet(0x30, b"\0\1\xff\0ON") + b"\x20\x03\0\0\0" * 2  # a topic that is no text; CONNACK again
    junk = [harmless, b"\x40\1\1", b"\xf0\0", packet(0x30, b"\0\xff"), b"\x90\x02\0\1"]
    with (
        OddBroker(sends=lambda: [junk.pop()] if junk else []) as broker,
        connecting(None, settings(broker.port)) as client,
    ):
        client.event(event(0))
        assert eventually(lambda: not junk and broker.of(EVENTS) and client.state().waiting == 0)
    assert "sent what is not MQTT" in caplog.text
    assert not [each for each in caplog.records if each.exc_info]
