"""Backups of other versions of vitcam: older ones are kept in tests/fixtures/backup, newer ones are made here."""

import stat
from pathlib import Path

import pytest

from tests.backups import CONTENT, archive, machine, manifest

FIXTURES = Path(__file__).parents[3] / "fixtures" / "backup"
CARRIED = {
    **CONTENT,
    "config/front.toml": b"[web]\nport = 8422\n",
    "state/datasets/desk/cup/1.jpg": b"\xff\xd8 a photo",
    "data/models/desk.tflite": b"a model",
}
"""What each of them was made of, by the `vitcam backup` of its time."""
NEWEST = "1.1"


@pytest.mark.parametrize("file", sorted(FIXTURES.glob("*.tar")), ids=lambda file: file.stem)
def test_a_backup_of_every_format_that_ever_was_gives_all_of_its_files(file: Path, tmp_path: Path) -> None:
    new = machine(tmp_path / "new", {})

    result = new.restore(file)

    modes = {stat.S_IMODE((new.root / "config" / name).stat().st_mode) for name in ("config.toml", "front.toml")}
    assert (result.code, result.out) == (0, "")
    assert new.files() == CARRIED
    assert modes == {0o644, 0o600}


def test_every_format_up_to_the_newest_has_a_backup_among_the_fixtures(tmp_path: Path) -> None:
    machine(tmp_path / "old").backup(tmp_path / "b.tar")
    written = (tmp_path / "b.tar").read_bytes()

    kept = {file.stem.removeprefix("format-") for file in FIXTURES.glob("*.tar")}
    assert f'"vitcam_backup": "{NEWEST}"'.encode() in written
    assert kept == {f"1.{minor}" for minor in range(int(NEWEST.split(".")[1]) + 1)}


def test_times_of_files_come_back_since_format_1_1(tmp_path: Path) -> None:
    new = machine(tmp_path / "new", {})

    new.restore(FIXTURES / "format-1.1.tar")

    assert (new.root / "data" / "models" / "desk.tflite").stat().st_mtime == 1_700_000_000


def test_what_a_newer_minor_version_adds_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    content = {**CONTENT, "zones/porch.json": b"{}"}
    record = manifest(content, vitcam_backup="1.999", vitcam="9.9.9", sealed="yes")
    new = machine(tmp_path / "new", {})

    result = new.restore(archive(tmp_path / "b.tar", record, content))

    assert result.code == 0
    assert "1 file was left out" in result.err
    assert "zones" in result.err
    assert new.files() == CONTENT


def test_a_newer_major_version_is_refused_with_the_vitcam_that_reads_it(tmp_path: Path) -> None:
    record = {"vitcam_backup": "2.0", "vitcam": "9.9.9", "somewhere": []}
    new = machine(tmp_path / "new")

    result = new.restore(archive(tmp_path / "b.tar", record, {}))

    assert result.code == 2
    assert "install vitcam 9.9.9 or newer here, then restore it" in result.sentence
    assert new.files() == CONTENT
