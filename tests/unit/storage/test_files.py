"""A file is replaced as a whole or stays as it was, whatever happens to its writer."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vitcam.storage.files import atomic_write, stamp_of, write_atomically

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


def test_what_a_killed_writer_left_goes_with_a_later_writing_but_not_at_once(tmp_path: Path) -> None:
    old, young, other = (tmp_path / f".{name}.partial" for name in ("file.1234abcd", "file.5678abcd", "other.1234abcd"))
    for path in (old, young, other):
        path.write_text("half")
    os.utime(old, (0, time.time() - 7200))
    os.utime(other, (0, 0))

    write_atomically(tmp_path / "file", "text")

    assert {path.name for path in tmp_path.iterdir()} == {"file", young.name, other.name}


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
