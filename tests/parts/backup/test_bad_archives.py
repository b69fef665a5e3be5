"""An archive that is damaged, hostile or something else is refused in one sentence, and changes nothing."""

import gzip
import os
import random
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.backups import CONTENT, Machine, archive, machine, manifest
from tests.integration.faults.small_disk import small_disk
from vitcam.errors import VitcamError
from vitcam.parts.backup.archive_reader import open_archive
from vitcam.parts.backup.places import CarriedFolder
from vitcam.parts.backup.restore_plan import check_room, plan_restore
from vitcam.parts.backup.restoring import restore
from vitcam.processes.interrupts import Interrupts

BEFORE = {"state/crops.json": b"{}", "config/config.toml": b""}
SMALL = {"state/crops.json": b"{}", "state/a": b"1" * 700}
MUTANTS = 400


def restored(file: Path, target: Machine) -> None:
    """As the command does it."""
    places = tuple(CarriedFolder(name, target.root / name) for name in ("config", "state", "data"))
    with open_archive(str(file)) as found:
        plan = plan_restore(found.manifest, places)
        check_room(found.manifest, plan)
        restore(found, plan, Interrupts(), lambda _: None)


def refusal(file: Path, tmp_path: Path) -> str:
    """The sentence; everything must be as before."""
    target = machine(tmp_path / "target", BEFORE)
    with pytest.raises(VitcamError) as refused:
        restored(file, target)

    assert target.files() == BEFORE
    assert not [path for path in target.root.rglob("*") if path.name.startswith((".", "before-restore"))]
    assert "\n" not in str(refused.value)
    return str(refused.value)


def listing(*names: str) -> dict[str, Any]:
    return manifest(dict.fromkeys(names, b"x"))


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd", "state//etc/passwd", "state/../../x", "../x", "state/..", "state/.", "state/", "state",
        "state/a\0b", "state/" + "n" * 256, "state/" + "d/" * 40 + "x",
    ],
)  # fmt: skip
def test_a_name_that_could_leave_its_folder_is_refused_before_anything_is_read(name: str, tmp_path: Path) -> None:
    file = archive(tmp_path / "b.tar", listing(name), {name.replace("\0", ""): b"x"})

    assert "which no backup has" in refusal(file, tmp_path)


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
)
def test_a_link_or_a_device_in_place_of_a_file_is_refused(kind: bytes, tmp_path: Path) -> None:
    def change(entry: tarfile.TarInfo) -> None:
        entry.type, entry.linkname = kind, "/etc/passwd"

    file = archive(tmp_path / "b.tar", manifest({"state/a": b""}), {"state/a": b""}, change)

    assert "in place of state/a it holds something else" in refusal(file, tmp_path)


def test_a_wrong_checksum_is_found_before_the_first_file_changes(tmp_path: Path) -> None:
    changed = SMALL | {"state/a": b"2" * 700}

    assert "another SHA-256" in refusal(archive(tmp_path / "b.tar", manifest(SMALL), changed), tmp_path)


@pytest.mark.parametrize(
    ("record", "content", "sentence"),
    [
        (manifest(SMALL), {"state/crops.json": b"{}"}, "it ends before state/a"),
        (manifest(SMALL), {**SMALL, "state/b": b""}, "more than its manifest lists"),
        (manifest(SMALL), dict(reversed(SMALL.items())), "it holds something else"),
        (listing("state/a", "state/a/b"), {}, "below a file"),
        (manifest(SMALL) | {"files": manifest(SMALL)["files"] * 2}, SMALL, "lists a file twice"),
        (manifest(SMALL) | {"files": [{"name": "state/a"}]}, {}, "manifest is invalid"),
        (manifest(SMALL) | {"files": {"a": 1}}, {}, "manifest is invalid"),
        (manifest(SMALL) | {"files": None}, {}, "manifest is invalid"),
        (manifest(SMALL, vitcam_backup="one"), SMALL, "the version of its format is 'one'"),
        (manifest(SMALL, vitcam_backup="0.9"), SMALL, "there is no format 0.9"),
        (b"{", {}, "is not JSON"),
        (b"[" * 100_000, {}, "is not JSON"),
        (b"[]", {}, "is not a backup of vitcam"),
        (b"{}", {}, "is not a backup of vitcam"),
    ],
)
def test_an_archive_that_differs_from_its_manifest_says_how(
    record: Any, content: dict[str, bytes], sentence: str, tmp_path: Path
) -> None:
    assert sentence in refusal(archive(tmp_path / "b.tar", record, content), tmp_path)


@pytest.mark.parametrize("field", ["name", "size", "sha256", "mode"])
@pytest.mark.parametrize("value", [None, -1, 1.5, True, "", [], {}, 10**30, "x" * 70])
def test_a_field_of_another_kind_is_refused(field: str, value: Any, tmp_path: Path) -> None:
    record = manifest(SMALL)
    record["files"][0][field] = value

    assert "damaged" in refusal(archive(tmp_path / "b.tar", record, SMALL), tmp_path)


def test_more_files_than_a_backup_may_have_are_refused(tmp_path: Path) -> None:
    one = manifest({"state/a": b""})["files"][0]
    record = manifest({}) | {"files": [one | {"name": f"state/{number}"} for number in range(250_001)]}

    assert "it lists 250,001 files, and 250,000 are allowed" in refusal(
        archive(tmp_path / "b.tar", record, {}), tmp_path
    )


def test_a_hundred_thousand_entries_that_no_manifest_lists_are_not_read(tmp_path: Path) -> None:
    file = archive(tmp_path / "b.tar", manifest(SMALL), SMALL)
    with tarfile.open(file) as tar:
        whole = file.read_bytes()[: tar.getmembers()[-1].offset_data + 1024]
    empty = tarfile.TarInfo("state/x").tobuf(tarfile.USTAR_FORMAT)
    with file.open("wb") as out:
        out.write(whole)
        for _ in range(10):
            out.write(empty * 10_000)

    assert "more than its manifest lists" in refusal(file, tmp_path)


def test_a_size_that_the_file_does_not_have_is_refused_before_space_is_taken(tmp_path: Path) -> None:
    record = manifest(SMALL)
    record["files"][1]["size"] = 10**15

    assert "it has only" in refusal(archive(tmp_path / "b.tar", record, SMALL), tmp_path)


def test_a_header_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = tarfile.XHDTYPE, 2**33 - 1
    file = tmp_path / "b.tar"
    with file.open("wb") as out:
        out.write(entry.tobuf(tarfile.USTAR_FORMAT))
        out.truncate(2**33)

    assert "is not a backup" in refusal(file, tmp_path)


def test_a_chain_of_headers_without_end_is_refused(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = tarfile.XHDTYPE, 0
    file = tmp_path / "b.tar"
    file.write_bytes(entry.tobuf(tarfile.USTAR_FORMAT) * 5000)

    assert "is not a backup" in refusal(file, tmp_path)


@pytest.mark.parametrize("data", [b"", b"x", bytes(10240), os.urandom(5000), b"ustar" * 300])
def test_something_else_is_said_to_be_no_backup(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "b.tar").write_bytes(data)

    assert "is not a backup of vitcam; name a file that `vitcam backup` wrote" in refusal(tmp_path / "b.tar", tmp_path)


def test_another_tar_archive_is_said_to_be_no_backup(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "b.tar", "w") as tar:
        tar.add(__file__, "state/crops.json")

    assert "is not a backup of vitcam" in refusal(tmp_path / "b.tar", tmp_path)


def test_a_compressed_archive_is_refused_and_never_unpacked(tmp_path: Path) -> None:
    file = archive(tmp_path / "b.tar", manifest(SMALL), SMALL)
    file.write_bytes(gzip.compress(file.read_bytes()))

    assert "is compressed (gzip)" in refusal(file, tmp_path)


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda _: None])
def test_what_is_no_file_is_refused_and_never_waited_for(make: Callable[[Path], Any], tmp_path: Path) -> None:
    make(tmp_path / "b.tar")

    assert "name a file that `vitcam backup` wrote" in refusal(tmp_path / "b.tar", tmp_path)


def test_a_newer_format_is_refused_with_the_version_that_reads_it(tmp_path: Path) -> None:
    record = {"vitcam_backup": "2.0", "vitcam": "3.4.5", "entries": []}

    sentence = refusal(archive(tmp_path / "b.tar", record, {}), tmp_path)

    assert "written by vitcam 3.4.5 in format 2.0" in sentence
    assert "install vitcam 3.4.5 or newer here" in sentence


def test_an_archive_that_was_cut_off_anywhere_changes_nothing(tmp_path: Path) -> None:
    whole = archive(tmp_path / "whole.tar", manifest(SMALL), SMALL).read_bytes()
    end = len(whole.rstrip(b"\0"))

    for length in range(0, end, 97):
        (tmp_path / "b.tar").write_bytes(whole[:length])
        assert refusal(tmp_path / "b.tar", tmp_path)


def test_hundreds_of_mutated_archives_are_refused_or_give_exactly_what_was_in_them(tmp_path: Path) -> None:
    whole = archive(tmp_path / "whole.tar", manifest(CONTENT), CONTENT).read_bytes()
    starts = [index for index in range(0, len(whole), 512) if any(whole[index : index + 512])]
    chance, sentences = random.Random(0), []

    for number in range(MUTANTS):
        (tmp_path / "b.tar").write_bytes(mutated(whole, starts, chance))
        target = machine(tmp_path / str(number), BEFORE)
        sentence = why_refused(tmp_path / "b.tar", target)
        now = {name: data for name, data in target.files().items() if "before-restore" not in name}
        if sentence:
            sentences.append(sentence)
            assert target.files() == BEFORE, f"mutant {number}"
        else:
            assert set(now.values()) <= {*CONTENT.values(), *BEFORE.values()}, f"mutant {number}"
            assert all(name.split("/")[0] in ("config", "state", "data") for name in now), f"mutant {number}"

    assert len(sentences) > MUTANTS // 2
    assert "\n" not in "".join(sentences)
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]


def why_refused(file: Path, target: Machine) -> str:
    """The sentence; empty if it was restored."""
    try:
        restored(file, target)
    except VitcamError as error:
        return str(error)
    return ""


def mutated(whole: bytes, starts: list[int], chance: random.Random) -> bytes:
    """Bits flipped, bytes replaced, blocks left out, repeated or swapped, mostly where there is something."""
    data = bytearray(whole)
    for _ in range(chance.randint(1, 4)):
        at = chance.choice(starts[:12] if chance.random() < 0.7 else starts) + chance.randrange(512)
        kind = chance.randrange(5)
        if kind == 0:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at : at + 8] = chance.choice([b"\0" * 8, b"7" * 8, b"\xff" * 8, b"-1      ", b"\x80" + b"\xff" * 7])
        elif kind == 2:
            del data[at // 512 * 512 : at // 512 * 512 + 512]
        elif kind == 3:
            data[at:at] = data[at : at + chance.randrange(1, 1024)]
        else:
            other = chance.choice(starts)
            data[at // 512 * 512 : at // 512 * 512 + 512] = data[other : other + 512]
    return bytes(data)


def test_a_folder_that_cannot_be_written_leaves_the_other_folders_as_they_are(tmp_path: Path) -> None:
    file = archive(tmp_path / "b.tar", manifest(), CONTENT)
    target = machine(tmp_path / "target", BEFORE)
    (target.root / "data").write_bytes(b"a file, where a folder should be")
    before = target.files()

    with pytest.raises(VitcamError, match=r"cannot be written: .* nothing was changed"):
        restored(file, target)

    assert target.files() == before


def test_an_error_in_the_middle_of_the_exchange_is_taken_back(tmp_path: Path) -> None:
    file, target = archive(tmp_path / "b.tar", manifest(), CONTENT), machine(tmp_path / "target", BEFORE)

    with small_disk(target.root / "state" / "z", "1m"), pytest.raises(VitcamError, match=r"/z cannot .* nothing"):
        restored(file, target)  # nobody can rename where a disk is mounted

    assert target.files() == BEFORE
    assert not [path for path in target.root.rglob("*") if path.name.startswith((".", "before-restore-"))]


def test_a_backup_without_a_place_here_is_refused(tmp_path: Path) -> None:
    file = archive(tmp_path / "b.tar", listing("elsewhere/x"), {"elsewhere/x": b"x"})

    assert "nothing in this backup has a place here" in refusal(file, tmp_path)


def test_a_disk_that_is_too_small_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1000))

    assert "1,000 bytes free" in refusal(archive(tmp_path / "b.tar", manifest(), CONTENT), tmp_path)


def test_the_manifest_of_a_newer_minor_version_may_say_more(tmp_path: Path) -> None:
    record = manifest({**SMALL, "zones/porch.json": b"{}"}, vitcam_backup="1.9", compressed=False)
    record["files"][0]["labels"] = ["cup"]
    target = machine(tmp_path / "target", {})

    restored(archive(tmp_path / "b.tar", record, {**SMALL, "zones/porch.json": b"{}"}), target)

    assert target.files() == SMALL
