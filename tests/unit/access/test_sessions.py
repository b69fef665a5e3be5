"""Sessions with a clock of the test's own."""

import json
from pathlib import Path

import pytest

from vitcam.access.sessions import LASTS_S, Sessions

KEY = "what is kept of the password"


class Clock:
    """Seconds since the epoch, which pass when told to."""

    def __init__(self, now: float = 1e9) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_a_session_ends_after_ninety_days(tmp_path: Path) -> None:
    clock = Clock()
    sessions = Sessions(tmp_path, clock)
    identifier = sessions.open(KEY)
    clock.now += LASTS_S - 1
    lasts = sessions.is_open(KEY, identifier)
    clock.now += 2

    assert lasts
    assert not sessions.is_open(KEY, identifier)


def test_a_session_is_known_after_a_restart_and_unknown_with_another_password(tmp_path: Path) -> None:
    identifier = Sessions(tmp_path).open(KEY)
    again = Sessions(tmp_path)

    assert again.is_open(KEY, identifier)
    assert not again.is_open("another password", identifier)
    assert not again.is_open(KEY, identifier[:-1])


def test_at_most_64_sessions_are_kept_and_the_oldest_ends(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    identifiers = [sessions.open(KEY) for _ in range(70)]

    assert [sessions.is_open(KEY, each) for each in identifiers] == [False] * 6 + [True] * 64


def test_a_closed_session_stays_closed_after_a_restart(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path)
    identifier = sessions.open(KEY)
    sessions.close(KEY, identifier)
    sessions.close(KEY, "unknown")

    assert not Sessions(tmp_path).is_open(KEY, identifier)


def test_sessions_from_a_clock_that_was_wrong_do_not_last_without_end(tmp_path: Path) -> None:
    future = Sessions(tmp_path, Clock(4e9))
    future.open(KEY)
    now = Sessions(tmp_path, Clock(1e9))
    now.open(KEY)

    assert len(Sessions(tmp_path, Clock(1e9))._ends) == 1


@pytest.mark.fault(
    "the clock lags by years at boot, while somebody shows an old session",
    injected="a session that was over when somebody logged in last, and a clock of years before",
    observed="that session stays over, and the newer one holds",
)
def test_a_clock_that_lags_brings_no_session_back(tmp_path: Path) -> None:
    clock = Clock()
    sessions = Sessions(tmp_path, clock)
    old = sessions.open(KEY)
    clock.now += LASTS_S - 1
    newer = sessions.open(KEY)
    clock.now += 2
    newest = sessions.open(KEY)
    again = Sessions(tmp_path, Clock(1e8))

    assert not again.is_open(KEY, old)
    assert again.is_open(KEY, newer)
    assert again.is_open(KEY, newest)


@pytest.mark.parametrize(
    "absurd", ["1" + "0" * 400, "-1", "1e308", "1e999", "NaN", "-Infinity", "true", "null", "[[]]"]
)
def test_an_absurd_end_costs_its_session_and_no_other(tmp_path: Path, absurd: str) -> None:
    identifier = Sessions(tmp_path).open(KEY)
    file = tmp_path / "sessions.json"
    file.write_text(json.dumps({"damaged": "@"} | json.loads(file.read_text())).replace('"@"', absurd))
    again = Sessions(tmp_path)

    assert again.is_open(KEY, identifier)
    assert again.is_open(KEY, again.open(KEY))
    assert "damaged" in json.loads(file.read_text())  # a newer version may know what it means


@pytest.mark.parametrize("content", ["9" * 5000, "[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_a_file_that_cannot_be_parsed_is_set_aside_and_ends_no_session(tmp_path: Path, content: str) -> None:
    identifier = Sessions(tmp_path).open(KEY)
    (tmp_path / "sessions.json").write_text(content)
    sessions = Sessions(tmp_path)

    assert sessions.is_open(KEY, identifier)
    assert sessions.is_open(KEY, sessions.open(KEY))
    assert (tmp_path / "sessions.json.damaged").read_text() == content


def test_without_a_folder_sessions_last_as_long_as_the_process() -> None:
    sessions = Sessions(None)

    assert sessions.is_open(KEY, sessions.open(KEY))


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": "b"}', '{"a": null}', "[" * 100_000])
def test_a_file_that_cannot_be_read_has_no_sessions(tmp_path: Path, content: str) -> None:
    (tmp_path / "sessions.json").write_text(content)

    assert Sessions(tmp_path)._ends == {}
