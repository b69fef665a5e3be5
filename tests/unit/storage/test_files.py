"""A file is replaced as a whole or stays as it was, whatever happens to its writer."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.integration.faults.small_disk import small_disk
from vitcam.storage.files import (
    atomic_write,
    given_file,
    remove_abandoned,
    rename_new,
    stamp_of,
    write_atomically,
    write_new,
)

WRITER = """
import sys
from pathlib import Path
from vitcam.storage.files import write_atomically
path, number = Path(sys.argv[1]), 0
print("begins", flush=True)
while True:
    number += 1
    write_atomically(path, str(number % 10) * 300_000)
"""
HOLDER = """
import sys, time
from pathlib import Path
from vitcam.storage.files import atomic_write, temporary_folder
folder = Path(sys.argv[1])
with atomic_write(folder / "file") as partial, temporary_folder(folder, "work") as inner:
    partial.write_bytes(bytes(1000))
    (inner / "half").write_bytes(bytes(1000))
    print("begun", flush=True)
    time.sleep(600)
"""


def test_a_file_is_there_as_a_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    write_atomically(tmp_path / "deep" / "er" / "file", "µ")
    write_atomically(tmp_path / "deep" / "er" / "file", "second")

    assert [path.name for path in (tmp_path / "deep" / "er").iterdir()] == ["file"]
    assert (tmp_path / "deep" / "er" / "file").read_text() == "second"


def test_an_error_while_it_is_written_leaves_the_old_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", "old")

    with pytest.raises(UnicodeEncodeError), atomic_write(tmp_path / "file") as partial:
        partial.write_text("half \ud800", "utf-8")

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize(("private", "mode"), [(True, 0o600), (False, 0o640)])
def test_only_a_private_file_is_closed_to_all_but_its_owner(tmp_path: Path, private: bool, mode: int) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "file", "text", private)
    finally:
        os.umask(before)

    assert (tmp_path / "file").stat().st_mode & 0o777 == mode


def left_by_a_killed_one(folder: Path) -> subprocess.Popen[str]:
    """Something unfinished in a folder, whose maker holds it until it is killed."""
    maker = subprocess.Popen([sys.executable, "-c", HOLDER, folder], stdout=subprocess.PIPE, text=True)
    assert maker.stdout is not None
    assert maker.stdout.readline() == "begun\n"
    return maker


def test_what_a_killed_process_left_goes_with_the_next_writing_in_its_folder_and_never_before_its_end(
    tmp_path: Path,
) -> None:
    with left_by_a_killed_one(tmp_path) as maker:
        write_atomically(tmp_path / "other", "while it is being made")
        meanwhile = [path.name for path in tmp_path.rglob("half")]
        maker.kill()
        maker.wait(30)
        left = len(list(tmp_path.glob(".*")))
        write_atomically(tmp_path / "other", "text")

    assert meanwhile == ["half"]
    assert left == 2
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_what_earlier_versions_left_is_removed_only_from_folders_of_vitcam_and_after_an_hour(tmp_path: Path) -> None:
    names = (".file.1234abcd.partial", "..file.1234abcd.partial.5678abcd.partial", ".a.jpg.partial")
    others = (".young.1234abcd.partial", ".vitcam-notes", ".mine.partial", "file.1234abcd.partial")
    for name in (*names, *others):
        (tmp_path / name).write_text("half")
        os.utime(tmp_path / name, (0, time.time() if "young" in name else time.time() - 7200))

    write_atomically(tmp_path / "file", "in a folder of somebody")
    before = {path.name for path in tmp_path.iterdir()}
    remove_abandoned(tmp_path, own=True)

    assert before == {"file", *names, *others}
    assert {path.name for path in tmp_path.iterdir()} == {"file", *others}


def test_of_many_who_take_one_name_at_once_one_gets_it_and_the_files_of_the_others_stay(tmp_path: Path) -> None:
    def take(number: int) -> bool:
        (tmp_path / str(number)).write_text(str(number))
        try:
            rename_new(tmp_path / str(number), tmp_path / "name")
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(take, range(64)))

    assert got.count(True) == 1
    assert (tmp_path / "name").read_text() == str(got.index(True))
    assert len(list(tmp_path.iterdir())) == 64


def test_a_new_file_takes_no_name_that_is_taken_and_leaves_nothing_half(tmp_path: Path) -> None:
    write_new(tmp_path / "a" / "b.jpg", b"first")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "a" / "b.jpg", b"second")
    kept = (tmp_path / "a" / "b.jpg").read_bytes()
    write_new(tmp_path / "a" / "b.jpg", b"third", over=True)

    assert (kept, (tmp_path / "a" / "b.jpg").read_bytes()) == (b"first", b"third")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.jpg"]


def test_a_file_is_made_within_one_that_is_being_made_and_no_third_one_comes_of_it(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "file") as outer:
        outer.write_text("of the first draft, which was longer")
        with atomic_write(outer) as inner:
            inner.write_text("second draft")
        names = [path.name for path in tmp_path.iterdir()]

    assert names == [outer.name]
    assert (tmp_path / "file").read_text() == "second draft"


def test_a_writer_that_is_killed_at_any_moment_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, "0" * 300_000)
    for attempt in range(5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.013 * attempt)  # a random moment of its work
        writer.send_signal(signal.SIGKILL)
        writer.communicate(timeout=30)
        text = path.read_text()

        assert len(text) == 300_000
        assert len(set(text)) == 1


def test_a_stamp_differs_after_a_file_was_written_replaced_or_deleted(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    seen = [stamp_of([path])]
    path.write_text("one")
    seen.append(stamp_of([path]))
    path.write_text("three")
    seen.append(stamp_of([path]))
    other.write_text("three")
    other.replace(path)
    seen.append(stamp_of([path]))

    assert len(set(seen)) == len(seen)
    assert stamp_of([path]) == seen[-1]
    assert stamp_of([]) == ()


def test_a_file_that_a_person_named_stays_whole_on_a_full_disk_and_keeps_its_mode_and_the_link_to_it(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        (disk / "seen.csv").write_text("yesterday")
        (disk / "seen.csv").chmod(0o600)
        (tmp_path / "link.csv").symlink_to(disk / "seen.csv")
        with given_file(tmp_path / "link.csv") as out:
            out.write_text("today")
        with pytest.raises(OSError, match="No space left"), given_file(tmp_path / "link.csv") as out:
            out.write_bytes(bytes(2**20))

        assert (tmp_path / "link.csv").readlink() == disk / "seen.csv"
        assert [(path.name, path.read_text()) for path in disk.iterdir()] == [("seen.csv", "today")]
        assert (disk / "seen.csv").stat().st_mode & 0o777 == 0o600


def test_a_pipe_that_a_person_named_gets_what_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE) as reader:
        with given_file(tmp_path / "pipe") as out:
            out.write_bytes(b"through it")
        assert reader.stdout is not None
        assert reader.stdout.read() == b"through it"
    assert (tmp_path / "pipe").is_fifo()
