"""A small file that is damaged is set aside, and its copy takes its place."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from vitcam.storage.state_file import StateFile


@pytest.fixture
def file(tmp_path: Path) -> StateFile:
    return StateFile(tmp_path / "file.json")


def test_what_was_written_is_read_again_and_nothing_is_said(file: StateFile, caplog: pytest.LogCaptureFixture) -> None:
    file.write("[1]")

    assert file.read(json.loads) == [1]
    assert caplog.text == ""


def test_a_file_that_was_never_written_is_nothing(file: StateFile, caplog: pytest.LogCaptureFixture) -> None:
    assert file.read(json.loads) is None
    assert caplog.text == ""


def test_a_file_that_somebody_deleted_does_not_come_back(file: StateFile) -> None:
    file.write("[1]")
    file.path.unlink()

    assert file.read(json.loads) is None


@pytest.mark.parametrize("damage", [b"", b"[1", b"\xff\xfe", b"\0" * 4096, b"[" * 100_000], ids=len)
def test_the_copy_takes_the_place_of_a_damaged_file_and_the_log_says_so(
    file: StateFile, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    file.write("[1]")
    file.path.write_bytes(damage)

    assert file.read(json.loads) == [1]
    assert file.path.read_text() == "[1]"
    assert file.path.with_name("file.json.damaged").read_bytes() == damage
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "so its last good copy is used; it was renamed to file.json.damaged" in caplog.text


def test_without_a_good_copy_the_caller_chooses_between_an_error_and_nothing(
    file: StateFile, caplog: pytest.LogCaptureFixture
) -> None:
    file.write("[1]")
    file.path.write_text("[")
    file.copy.write_text("]")

    with pytest.raises(ValueError, match="Expecting value"):
        file.read(json.loads)
    assert file.path.exists()
    assert file.read_if_good(json.loads) is None
    assert "there is no good copy of it; it was renamed to file.json.damaged" in caplog.text
    assert not file.path.exists()


def test_only_the_last_damaged_file_is_set_aside(file: StateFile) -> None:
    for damage in ("[", "{", "("):
        file.write("[1]")
        file.path.write_text(damage)
        file.read(json.loads)

    assert sorted(path.name for path in file.path.parent.iterdir()) == [
        "file.json", "file.json.copy", "file.json.damaged",
    ]  # fmt: skip
    assert file.path.with_name("file.json.damaged").read_text() == "("


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: _write_huge(path)])
def test_a_pipe_a_device_or_a_huge_file_in_its_place_is_set_aside_and_its_copy_is_used(
    file: StateFile, make: Callable[[Path], None]
) -> None:
    file.write("[1]")
    file.path.unlink()
    make(file.path)

    assert file.read(json.loads) == [1]
    assert file.path.read_text() == "[1]"


def _write_huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(400 * 2**20)


def test_a_number_that_nothing_can_hold_counts_as_damage(file: StateFile) -> None:
    file.write("1")
    file.path.write_text("1" + "0" * 400)

    assert file.read(lambda text: float(int(text))) == 1.0


def test_a_folder_in_its_place_is_named_and_moves_nothing(file: StateFile, caplog: pytest.LogCaptureFixture) -> None:
    file.path.mkdir()

    assert file.read_if_good(json.loads) is None
    assert "cannot be read: Is a directory" in caplog.text
    assert file.path.is_dir()


def test_a_file_that_cannot_be_read_is_not_written_over(file: StateFile) -> None:
    file.path.symlink_to(file.path)  # a loop: it can be replaced, and not read

    assert file.read_if_good(json.loads) is None
    with pytest.raises(OSError, match="it stays as it is, since it could not be read"):
        file.write("[1]")
    assert file.path.is_symlink()
    file.path.unlink()
    assert file.read(json.loads) is None
    file.write("[1]")
    assert file.read(json.loads) == [1]


def test_a_damaged_file_that_cannot_be_set_aside_is_not_written_over(file: StateFile) -> None:
    file.path.write_text("[")
    file.path.with_name("file.json.damaged").mkdir()

    assert file.read_if_good(json.loads) is None
    with pytest.raises(OSError, match="cannot be renamed"):
        file.write("[1]")
    assert file.path.read_text() == "["
