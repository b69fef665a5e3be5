"""Brokers that come and go, refuse, are silent, or speak another version; and how much waits for them."""

import resource
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.mosquitto import Mosquitto, Subscriber
from tests.needs import need_program
from tests.parts.mqtt.integration.client import Flow, SentTwice, connecting, event
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.parts.mqtt.settings import MqttSettings, MqttVersion
from vitcam.run.ending import Ending

pytestmark = pytest.mark.slow("vitcam/parts/mqtt", "vitcam/storage/outbox.py", "tests/mosquitto.py")
EVENTS = "vitcam/cam/event"


def settings(port: int) -> MqttSettings:
    return MqttSettings(host="127.0.0.1", port=port, name="cam")


@pytest.mark.fault(
    "the MQTT broker is killed and started again, 20 times",
    injected="SIGKILL, or an end in order, to mosquitto while events come; a subscriber with a session that it keeps",
    observed="each id that the broker did not lose itself comes, first in order, and nothing confirmed is sent again",
)
def test_no_event_is_lost_by_a_broker_that_is_killed_20_times(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broker, wire = Mosquitto(tmp_path / "broker"), SentTwice(monkeypatch)
    with (
        broker,
        Subscriber(broker, EVENTS) as subscriber,
        connecting(tmp_path, settings(broker.port)) as client,
        Flow(client, every_s=0.005) as flow,
    ):
        for turn in range(20):
            seen = len(subscriber.heard)
            assert eventually(lambda: len(subscriber.heard) > seen + 20)  # noqa: B023 - called within the turn
            if turn % 2:
                broker.stop()
            else:
                broker.kill()
            count = flow.count
            assert eventually(lambda: flow.count > count + 20)  # noqa: B023
            broker.start()
        seen = len(subscriber.heard)
        assert eventually(lambda: len(subscriber.heard) > seen + 20)
        flow.__exit__()
        assert eventually(lambda: client.state().waiting == 0, 120)
        eventually(lambda: len({*subscriber.of(EVENTS)}) == flow.count, 20)

    ids = [record["id"] for record in subscriber.records(EVENTS)]
    every = [f"{number:06}" for number in range(flow.count)]
    missing = {*every} - {*ids}
    assert missing <= wire.confirmed, "what the killed broker had on the way is its own; anything else is vitcam's"
    assert [*dict.fromkeys(ids)] == [each for each in every if each not in missing]
    payloads = subscriber.of(EVENTS)
    assert len({*payloads}) == len({*ids})  # a duplicate is the same to the last byte
    assert wire.after_confirmation == []
    with capsys.disabled():
        came = len(payloads) - len({*ids})
        print(f"\n20 restarts, 10 by SIGKILL: {flow.count} events. vitcam lost none of them, and the killed broker")
        print(f"{len(missing)} that it had confirmed. {wire.again} were sent again, none of them confirmed.")
        print(f"The broker passed {came} on twice, all identical.")


@pytest.mark.fault(
    "100,000 events wait for a broker that is away",
    injected="no broker, then mosquitto",
    observed="they take at most 200 MB of disk and of memory, and arrive in order",
)
def test_100000_events_that_wait_arrive_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broker, number = Mosquitto(tmp_path / "broker", saves=False), 100_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with connecting(tmp_path, settings(broker.port)) as client:
        for each in range(number):
            client.event(event(each))
            if each % 1000 == 999:
                assert eventually(lambda: len(client._events._incoming) < 1000)
        assert eventually(lambda: client.state().waiting == number and not client._events._incoming)
        disk = _size_of(tmp_path)
        memory = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        began_s = time.monotonic()
        with broker, Subscriber(broker, EVENTS) as subscriber:
            assert eventually(lambda: len(subscriber.heard) >= number, 600)
            took_s = time.monotonic() - began_s
            assert eventually(lambda: client.state().waiting == 0)
            eventually(lambda: _size_of(tmp_path) < 10e6)
            after = _size_of(tmp_path)

    ids = [record["id"] for record in subscriber.records(EVENTS)]
    assert ids == [f"{each:06}" for each in range(number)]
    with capsys.disabled():
        print(
            f"\n100,000 events: {disk / 1e6:.0f} MB of disk, {memory / 1e6:.0f} MB more memory, "
            f"drained in {took_s:.0f} s, {after / 1e6:.1f} MB of disk then"
        )
    assert disk <= 200e6
    assert memory <= 200e6
    assert after < 10e6


@pytest.mark.fault(
    "the disk is full while events wait for an MQTT broker",
    injected="an outbox that may not grow, and no broker at first",
    observed="events are kept in memory, and arrive in order once the broker is there",
)
def test_with_a_full_disk_events_arrive_all_the_same(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker")
    with connecting(tmp_path, settings(broker.port)) as client:
        client.event(event(0))
        assert eventually(lambda: client.parts.outbox.waiting("mqtt") == 1)
        database = client.parts.outbox._database._open()
        database.execute(f"PRAGMA max_page_count = {database.execute('PRAGMA page_count').fetchone()[0]}")
        for number in range(1, 900):
            client.event(event(number))
        assert eventually(lambda: client.parts.outbox.waiting("mqtt") == 900)
        assert client.parts.outbox.lost_at_end("mqtt")
        with broker, Subscriber(broker, EVENTS) as subscriber:
            assert eventually(lambda: client.state().waiting == 0)
            assert eventually(lambda: len(subscriber.heard) >= 900)

    assert [record["id"] for record in subscriber.records(EVENTS)] == [f"{number:06}" for number in range(900)]


def _size_of(folder: Path) -> int:
    """Of the outbox, in bytes."""
    return sum(path.stat().st_size for path in folder.glob("outbox.db*"))


def test_a_wrong_password_is_said_and_the_right_one_works(tmp_path: Path) -> None:
    passwords = tmp_path / "passwords"
    passwords.touch(0o600)
    subprocess.run([need_program("mosquitto_passwd"), "-b", passwords, "cam", "right"], check=True, timeout=60)
    broker = Mosquitto(tmp_path / "broker", f"password_file {passwords}")
    with broker:
        wrong = replace(settings(broker.port), user="cam", password="wrong one")
        versions: tuple[MqttVersion, ...] = ("5", "3.1.1")
        for version in versions:
            with connecting(None, replace(wrong, version=version)) as client:
                client.event(event(1))
                assert eventually(lambda: "refuses this user" in client.state().trouble), client.state()
                assert "wrong one" not in client.state().trouble
                assert (client.state().connected, client.state().waiting) == (False, 1)
        with connecting(None, replace(wrong, password="right")) as client:
            assert eventually(lambda: client.state().connected), client.state()


def test_what_the_broker_does_not_let_it_write_is_said_and_waits(tmp_path: Path) -> None:
    rights = tmp_path / "rights"
    rights.write_text("topic readwrite vitcam/cam/status\n")
    lines = ("allow_anonymous true", f"acl_file {rights}", "log_type all")
    broker = Mosquitto(tmp_path / "broker", *lines, queue=1000)
    with broker, connecting(None, replace(settings(broker.port), version="5")) as client:
        client.event(event(1))
        assert eventually(lambda: "let its user write to vitcam/cam/#" in client.state().trouble), client.state()
        assert eventually(lambda: "Denied PUBLISH" in broker.log() and "'vitcam/cam/event'" in broker.log())
        assert (client.state().waiting, client.state().connected) == (1, True)
        rights.write_text("topic readwrite vitcam/cam/#\n")
        broker.read_again()
        assert eventually(lambda: client.state().trouble == "" and client.state().waiting == 0, 60), client.state()
    assert broker.log().count("as vitcam-cam (") == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho leaves a refused TLS socket open
def test_tls_with_client_certificates(tmp_path: Path) -> None:
    authority = _authority(tmp_path, "authority")
    _certificate(tmp_path, "server", authority, "IP:127.0.0.1")
    mine = _certificate(tmp_path, "cam", authority)
    stranger = _certificate(tmp_path, "stranger", _authority(tmp_path, "other"))
    lines = (
        f"cafile {authority}",
        f"certfile {tmp_path}/server.pem",
        f"keyfile {tmp_path}/server.key",
        "require_certificate true",
        "use_identity_as_username true",
    )
    with Mosquitto(tmp_path / "broker", *lines) as broker:
        good = replace(
            settings(broker.port),
            tls=True,
            authority=str(authority),
            certificate=str(mine),
            key=str(mine.with_suffix(".key")),
        )
        with connecting(None, good) as client:
            assert eventually(lambda: client.state().connected), client.state()
        for wrong, said in [
            (replace(good, authority=""), "cannot be trusted"),
            (replace(good, certificate="", key=""), "127.0.0.1"),
            (replace(good, certificate=str(stranger), key=str(stranger.with_suffix(".key"))), "127.0.0.1"),
            (replace(good, certificate=str(tmp_path / "none.pem")), "none.pem"),
            (replace(good, key=str(stranger.with_suffix(".key"))), "mqtt.certificate"),
            (replace(good, tls=False), "127.0.0.1"),
        ]:
            with connecting(None, wrong) as client:
                assert eventually(lambda: said in client.state().trouble), (wrong, client.state())  # noqa: B023
                assert not client.state().connected


@pytest.mark.fault(
    "the MQTT broker accepts a connection and never answers",
    injected="a socket that listens and says nothing, and one that closes at once",
    observed="the state says so, events wait, both versions of the protocol are tried, and the end does not hang",
)
@pytest.mark.parametrize("closes", [False, True])
def test_a_broker_that_never_answers_costs_nothing(closes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitcam.parts.mqtt.broker.ANSWER_S", 0.5)
    first: list[bytes] = []
    with _broker_of(first, b"", closes) as port, connecting(None, settings(port)) as client:
        client.event(event(1))
        assert eventually(lambda: {packet[8] for packet in first} == {4, 5}), first
        state = client.state()
        assert (state.connected, state.waiting) == (False, 1)
        assert f"127.0.0.1:{port}" in state.trouble
        began_s = time.monotonic()
        client.stop(Ending(ShutdownRequest()))
        assert client.workers[0].join(20)
        assert time.monotonic() - began_s < 10


def test_a_broker_that_knows_3_1_1_only_is_asked_with_that(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker")
    with (
        broker,
        _only_3_1_1(broker.port) as port,
        Subscriber(broker, EVENTS) as subscriber,
        connecting(None, settings(port)) as client,
    ):
        client.event(event(1))
        assert eventually(lambda: len(subscriber.heard) == 1), client.state()


@contextmanager
def _broker_of(first: list[bytes], answer: bytes, closes: bool) -> Iterator[int]:
    """A server that keeps what each connection says first, answers with some bytes, and closes it or not."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        open_ones: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                first.append(connection.recv(1000))
                connection.sendall(answer)
                if closes:
                    connection.close()
                else:
                    open_ones.append(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for each in open_ones:
                each.close()


@contextmanager
def _only_3_1_1(behind: int) -> Iterator[int]:
    """What mosquitto says, but MQTT 5 is refused as brokers do that were made before it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_pass_on_3_1_1, args=(listener, behind))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _pass_on_3_1_1(listener: socket.socket, behind: int) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        hello = connection.recv(1000)
        if hello[8] == 5:
            connection.sendall(b"\x20\x02\x00\x01")  # CONNACK: unacceptable protocol version
            connection.close()
            continue
        broker = socket.create_connection(("127.0.0.1", behind))
        broker.sendall(hello)
        for pair in ((connection, broker), (broker, connection)):
            threading.Thread(target=_pump, args=pair, daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    for each in (source, sink):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()


def _openssl(*arguments: str) -> None:
    subprocess.run([need_program("openssl"), *arguments], check=True, capture_output=True, timeout=60)


def _authority(folder: Path, name: str) -> Path:
    """A certificate that signs others, with its key beside it."""
    pem, key = folder / f"{name}.pem", folder / f"{name}.key"
    new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    _openssl(*new, "-keyout", str(key), "-out", str(pem))
    return pem


def _certificate(folder: Path, name: str, authority: Path, address: str = "DNS:cam") -> Path:
    """A certificate that `authority` signed, with its key beside it."""
    pem, key = folder / f"{name}.pem", folder / f"{name}.key"
    new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
    signed = [
        "-CA",
        str(authority),
        "-CAkey",
        str(authority.with_suffix(".key")),
        "-addext",
        f"subjectAltName={address}",
    ]
    _openssl(*new, *signed, "-addext", "basicConstraints=critical,CA:false", "-keyout", str(key), "-out", str(pem))
    return pem
