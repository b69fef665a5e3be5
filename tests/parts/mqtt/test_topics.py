"""Topics are told apart exactly."""

import pytest

from vitcam.config.load import load
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import Topics


def test_a_camera_without_a_name_is_called_as_its_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "küche.example.org")

    assert Topics.of(MqttSettings()).status == "vitcam/k-che/status"


@pytest.mark.parametrize("topic", ["a/b/set/pause/x", "a/b/set/", "a/b/set/reboot", "x/a/b/set/pause", "a/b/status"])
def test_only_its_own_topics_are_commands(topic: str) -> None:
    topics = Topics("a", "b")

    assert topics.command_of("a/b/set/pause") == "pause"
    assert topics.command_of(topic) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [("prefix", "a/#"), ("prefix", "+"), ("prefix", "/a"), ("prefix", "$SYS"), ("name", "a/b"), ("host", "a b")],
)
def test_a_topic_that_no_broker_takes_is_refused_by_name(key: str, value: str) -> None:
    from vitcam.errors import VitcamError

    with pytest.raises(VitcamError, match=rf"mqtt\.{key}|{key.upper()}"):
        load(None, (), {}, {f"VITCAM_MQTT_{key.upper()}": value})
