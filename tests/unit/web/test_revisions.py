"""Versions of documents, and who made them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vitcam.web.revisions import Document, Revisions

ZONES = Document("zones", {"zones": {}, "masks": [[0, 0, 0.5, 1]]}, {})
OTHER = replace(ZONES, value={"zones": {}, "masks": []})


def test_an_etag_is_that_of_the_value_and_the_same_after_a_restart(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    etag = revisions.etag_of(ZONES)
    same = replace(ZONES, value=dict(reversed(ZONES.value.items())), record={"warning": "said beside it"})

    assert revisions.etag_of(same) == etag == Revisions(tmp_path).etag_of(ZONES)
    assert etag not in (revisions.etag_of(OTHER), revisions.etag_of(replace(ZONES, name="names")))


def test_a_secret_cannot_be_guessed_from_an_etag(tmp_path: Path) -> None:
    """Whoever may only look sees the ETag of an alert, and not its address."""
    alert = Document("alerts/0a1b2c3d", {"webhook": "http://nas/?pin=1234"}, {})

    assert Revisions(tmp_path / "one").etag_of(alert) != Revisions(tmp_path / "other").etag_of(alert)
    assert (tmp_path / "one" / "revisions.json").stat().st_mode & 0o077 == 0


def test_the_last_change_is_told_as_long_as_it_made_what_is_there(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    revisions.note([(ZONES, OTHER)], "kitchen")
    revisions.note([(OTHER, OTHER)], "garden")
    made, by_others = revisions.last_change(OTHER), revisions.last_change(ZONES)

    assert made is not None
    assert (made.token, made.etag) == ("kitchen", revisions.etag_of(OTHER))
    assert by_others is None
    assert Revisions(tmp_path).last_change(OTHER) == made


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "[]",
        "null",
        '{"key": "00", "changes": {}}',
        '{"key": 7, "changes": {}}',
        '{"key": "00112233445566778899aabbccddeeff", "changes": {"zones": {"etag": 1, "time": 2, "token": 3}}}',
        '{"key": "00112233445566778899aabbccddeeff", "changes": {"zones": 7}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_costs_versions_and_no_start(damage: str, tmp_path: Path) -> None:
    for name in ("revisions.json", "revisions.json.copy"):
        (tmp_path / name).write_text(damage)
    etag = Revisions(tmp_path).etag_of(ZONES)

    assert Revisions(tmp_path).etag_of(ZONES) == etag


def test_a_folder_that_cannot_be_written_costs_only_what_is_known_after_a_restart(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    revisions = Revisions(tmp_path / "file")
    revisions.note([(ZONES, OTHER)], "")
    last = revisions.last_change(OTHER)

    assert last is not None
    assert last.token == ""


def test_only_so_many_changes_are_kept(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    documents = [Document(f"alerts/{number}", number, {}) for number in range(300)]
    revisions.note([(replace(each, value=None), each) for each in documents], "")
    kept: dict[str, Any] = json.loads((tmp_path / "revisions.json").read_text())

    assert len(kept["changes"]) == 128
    assert revisions.last_change(documents[-1]) is not None
