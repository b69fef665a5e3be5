"""One process for each folder, until it ends in whatever way."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.refusals import naming
from vitcam.errors import VitcamError
from vitcam.storage.lock import FolderLock

HOLDER = """
import signal, sys
from pathlib import Path
from vitcam.storage.lock import FolderLock
with FolderLock(Path(sys.argv[1])) as lock:
    lock.take()
    print("holds", flush=True)
    signal.pause()
"""


@contextmanager
def locked(folder: Path | None) -> Iterator[None]:
    with FolderLock(folder) as lock:
        lock.take()
        lock.take()  # holds it already
        yield


def test_the_second_one_is_refused_with_who_holds_it_and_what_to_do(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    with pytest.raises(VitcamError) as refusal, locked(tmp_path):
        pass
    holder.send_signal(signal.SIGKILL)
    holder.communicate(timeout=30)
    with locked(tmp_path):
        holds_now = (tmp_path / "lock").read_text()

    names = naming(f"process {holder.pid}", f"state folder {tmp_path};", f"STATE_DIRECTORY={tmp_path}-2")
    assert re.match(names, str(refusal.value))
    assert refusal.value.exit_code == 1
    assert holds_now == f"{os.getpid()}\n"


def test_a_folder_is_free_again_after_the_run_and_each_has_its_own_lock(tmp_path: Path) -> None:
    with locked(tmp_path / "a"), locked(tmp_path / "b"):
        pass
    with locked(tmp_path / "a"):
        pass

    assert (tmp_path / "a" / "lock").exists()


def test_a_place_where_nothing_can_be_written_needs_no_lock(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with locked(tmp_path / "file" / "below"), locked(None):
        entered = True
    assert entered


def test_what_stands_in_the_file_is_believed_only_if_it_is_a_number(tmp_path: Path) -> None:
    with locked(tmp_path):
        (tmp_path / "lock").write_text("\x1b[31mgarbage")
        with pytest.raises(VitcamError, match=r"^another vitcam uses the state folder"), locked(tmp_path):
            pass


def test_a_lock_of_another_user_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lock").touch()
    refuse = os.open

    def refuses(path: Path, *more: int) -> int:
        if path == tmp_path / "lock":
            raise PermissionError(13, "Permission denied")
        return refuse(path, *more)

    monkeypatch.setattr(os, "open", refuses)
    with pytest.raises(VitcamError, match="lock belongs to another user; delete it if"), locked(tmp_path):
        pass
