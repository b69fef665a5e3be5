"""The way of a command to the daemon that runs on a state folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vitcam.access.tokens import Scope, create_token, load_tokens
from vitcam.cli.running import running
from vitcam.daemon.serving import address_in, note_address, serving_lock
from vitcam.errors import UsageError
from vitcam.storage.lock import FolderLock
from vitcam.storage.owner import OwnedFolder

_NO_PROCESS = 999_999_999  # more than Linux has


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[FolderLock]:
    with serving_lock(tmp_path) as held:
        note_address(tmp_path, "http://127.0.0.1:9", held)
        yield held


def tokens(folder: Path) -> list[str]:
    return [token.name for token in load_tokens(folder)]


def test_tokens_of_commands_that_were_killed_are_removed_by_the_next_one(tmp_path: Path, lock: FolderLock) -> None:
    mine = f"command {os.getpid()}"  # one of before the last boot had the same number
    for name in ("kitchen", f"command {_NO_PROCESS}", "command 1", mine):
        create_token(tmp_path, name, Scope.CONTROL)
    with running(OwnedFolder(tmp_path, tmp_path, None)):
        meanwhile = tokens(tmp_path)

    assert meanwhile == ["kitchen", "command 1", mine]
    assert tokens(tmp_path) == ["kitchen", "command 1"]


def test_no_token_is_shown_to_an_address_whose_daemon_has_ended(tmp_path: Path, lock: FolderLock) -> None:
    with lock:
        pass  # the kernel gives it back, too, where the daemon was killed
    with pytest.raises(UsageError, match="vitcam run"), running(OwnedFolder(tmp_path, tmp_path, None)):
        pass

    assert tokens(tmp_path) == []


@pytest.mark.parametrize("text", ['{"url": 7, "pid": PID}', "[", '{"url": "file:///etc/passwd", "pid": PID}', "null"])
def test_a_damaged_note_of_where_the_daemon_serves_is_as_good_as_none(
    tmp_path: Path, lock: FolderLock, text: str
) -> None:
    (tmp_path / "serving.json").write_text(text.replace("PID", str(os.getpid())))

    assert address_in(tmp_path) is None
