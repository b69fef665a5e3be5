"""What a broker may ask for goes through the same checks as the page's requests, and nothing else happens."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitcam.errors import UsageError
from vitcam.parts.mqtt.commands import MqttCommands
from vitcam.parts.mqtt.topics import COMMANDS
from vitcam.run_model import ChosenModel


class House:
    """Takes what is asked for, and keeps it."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.fixed = ""
        self.places: Mapping[str, str] = {}
        self.commands = MqttCommands(self, self, lambda paused: self.done.append(paused), lambda: 0.3)  # type: ignore[arg-type]  # a house that notes what it is asked

    def change(self, values: Mapping[str, object]) -> str:
        if values.get("overlay.mode") not in (None, "grid"):
            raise UsageError("overlay.mode is no overlay")
        self.done.append(dict(values))
        return ""

    def use(self, name: str) -> ChosenModel:
        if name != "cifar10":
            raise UsageError(f"{name!r} is no model")
        self.done.append(name)
        return ChosenModel(name, ())

    def record(self) -> dict[str, Any]:
        raise AssertionError

    def values(self) -> dict[str, Any]:
        raise AssertionError

    def restart(self) -> None:
        raise AssertionError

    def check(self, name: str) -> ChosenModel:
        raise AssertionError

    def back(self) -> ChosenModel:
        raise AssertionError

    def delete(self, name: str) -> None:
        raise AssertionError


@pytest.mark.parametrize(
    ("command", "payload", "done"),
    [
        ("pause", b"ON", True),
        ("pause", b"false", False),
        ("model", b" cifar10\n", "cifar10"),
        ("overlay", b"grid", {"overlay.mode": "grid"}),
        ("threshold", b"0.7", {"events.enter": 0.7}),
        ("threshold", b"0.2", {"events.enter": 0.2, "events.leave": 0.2}),
    ],
)
def test_a_command_does_what_the_page_would(command: str, payload: bytes, done: object) -> None:
    house = House()

    assert house.commands.do(command, payload)

    assert house.done == [done]


@pytest.mark.parametrize(
    ("command", "payload", "named"),
    [
        ("pause", b"maybe", "ON or OFF"),
        ("pause", b"", "nothing was sent"),
        ("pause", b"\xff\xfe", "not a UTF-8"),
        ("threshold", b"nan", "from 0 to 1"),
        ("threshold", b"1.01", "from 0 to 1"),
        ("threshold", b"-1e999", "from 0 to 1"),
        ("model", b"x" * 201, "201 bytes"),
        ("model", b"../../etc/passwd", "no model"),
        ("overlay", b"[1]", "no overlay"),
    ],
)
def test_what_is_wrong_is_one_sentence_of_the_log_and_changes_nothing(
    command: str, payload: bytes, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    house = House()

    assert not house.commands.do(command, payload)

    assert house.done == []
    assert [named in record.getMessage() for record in caplog.records] == [True]


def test_a_model_of_the_configuration_stays(caplog: pytest.LogCaptureFixture) -> None:
    house = House()
    house.fixed = "line 3 of config.toml"

    assert not house.commands.do("model", b"cifar10")

    assert "line 3 of config.toml" in caplog.text


def test_a_flood_of_wrong_commands_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    house = House()
    for _ in range(1000):
        house.commands.do("pause", b"\n\x00")

    assert len(caplog.records) == 1


@given(st.sampled_from(COMMANDS), st.binary(max_size=300))
def test_no_payload_does_more_than_its_command_allows(command: str, payload: bytes) -> None:
    house = House()
    taken = house.commands.do(command, payload)

    every: dict[str, list[object]] = {
        "pause": [True, False],
        "model": ["cifar10"],
        "overlay": [{"overlay.mode": "grid"}],
    }
    allowed = every.get(command, [])
    for done in house.done:
        probabilities = list(done.values()) if isinstance(done, dict) and command == "threshold" else []
        assert done in allowed or (probabilities and all(0 <= p <= 1 for p in probabilities))
    assert len(house.done) == (taken and command != "snapshot")
