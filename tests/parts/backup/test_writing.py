"""What changes while a backup is written."""

import io
from pathlib import Path

import pytest

from vitcam.errors import VitcamError
from vitcam.parts.backup.archive_writer import write_archive
from vitcam.parts.backup.found_files import FoundFile, find_files
from vitcam.parts.backup.places import CarriedFolder


def written(found: list[FoundFile], room: Path) -> list[str]:
    out = io.BytesIO()
    return [file.name for file in write_archive(found, False, out, room, lambda _: None).files]


def folder(tmp_path: Path) -> CarriedFolder:
    (tmp_path / "state" / "datasets").mkdir(parents=True)
    (tmp_path / "state" / "datasets" / "1.jpg").write_bytes(b"x")
    (tmp_path / "state" / "crops.json").write_bytes(b"{}")
    return CarriedFolder("state", tmp_path / "state")


def test_a_file_that_was_deleted_meanwhile_is_not_in_the_backup(tmp_path: Path) -> None:
    found, _ = find_files([folder(tmp_path)])
    (tmp_path / "state" / "crops.json").unlink()

    assert written(found, tmp_path) == ["state/datasets/1.jpg"]


def test_a_link_that_took_the_place_of_a_folder_meanwhile_is_not_followed(tmp_path: Path) -> None:
    found, _ = find_files([folder(tmp_path)])
    (tmp_path / "state" / "datasets").rename(tmp_path / "secret")
    (tmp_path / "state" / "datasets").symlink_to(tmp_path / "secret")

    assert written(found, tmp_path) == ["state/crops.json"]


def test_a_file_that_shrinks_while_it_is_read_is_said(tmp_path: Path) -> None:
    place = folder(tmp_path)
    path = tmp_path / "state" / "a.bin"
    path.write_bytes(bytes(200_000))
    found, _ = find_files([place])

    def shrink(_: int) -> None:
        path.write_bytes(b"")

    with pytest.raises(VitcamError, match="became shorter while it was read; start the backup again"):
        write_archive(found, False, io.BytesIO(), tmp_path, shrink)


def test_folders_that_lie_in_each_other_are_taken_once(tmp_path: Path) -> None:
    place = folder(tmp_path)
    inner = CarriedFolder("data", place.folder / "datasets")

    found, _ = find_files([place, inner])

    assert [each.name for each in found] == ["state/crops.json", "data/1.jpg"]


def test_a_tree_that_is_too_deep_is_cut_with_a_sentence(tmp_path: Path) -> None:
    place = folder(tmp_path)
    deep = place.folder.joinpath(*["d"] * 40)
    deep.mkdir(parents=True)
    (deep / "x").write_bytes(b"")

    found, notes = find_files([place])

    assert len(found) == 2
    assert "more than 32 folders deep" in notes[0]
