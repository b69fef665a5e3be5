"""The comparison of two versions: it sees what differs, and nothing else."""

from typing import Any

import pytest

from tests.same_behaviour.answers import read_runs, unasked
from tests.same_behaviour.commands import command_lines
from tests.same_behaviour.differences import differences, masked, without


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ({"a": 1, "b": [1, {"c": 2}]}, {"a": 1, "b": [1, {"c": 2}]}, []),
        ({"a": 1, "b": [1, {"c": 2}]}, {"a": 1, "b": [1, {"c": 3}]}, ["b[1] > c"]),
        ({"a": 1}, {"b": 1}, ["a", "b"]),
        ({"a": [1, 2]}, {"a": [1, 2, 3]}, ["a"]),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}, ["a"]),
        ({"a": 1}, {"a": 1.0}, ["a"]),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({"a": "one\ntwo\n"}, {"a": "one\nthree\n"}, ["a, a line"]),
        ({"a": "one\ntwo\n"}, {"a": "two\none\n"}, ["a"]),
        ({"a": b"x".hex()}, {"a": b"x".hex()}, []),
    ],
)
def test_every_place_where_two_values_differ_is_named(old: Any, new: Any, places: list[str]) -> None:
    assert [each.place for each in differences(old, new)] == places


def test_of_what_changes_from_run_to_run_only_the_type_counts() -> None:
    answer = {"ms": {"infer": 3.5}, "top": [{"p": 0.5}], "time": "12:00"}

    assert without(answer, ("ms.*", "time")) == {"ms": {"infer": "float"}, "top": [{"p": 0.5}], "time": "str"}
    assert without([answer], ("top.p",))[0]["top"] == [{"p": "float"}]
    assert masked("it took 3.5 s", {r"[\d.]+ s": "{time}"}) == "it took {time}"


def test_the_recorded_requests_and_command_lines_are_as_many_as_were_promised() -> None:
    assert sum(len(run.requests) for run in read_runs()) >= 200
    assert len(command_lines()) >= 40


def test_an_operation_that_nobody_asks_is_named() -> None:
    paths: dict[str, dict[str, Any]] = {
        "/api/state": {"get": {}},
        "/api/events/{id}": {"get": {}, "put": {}},
        "/api/nothing": {"post": {}},
    }

    assert unasked({"paths": paths}) == ["POST /api/nothing"]
