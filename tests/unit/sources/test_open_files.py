"""Who has a file open is said by name, as far as this user may see it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vitcam.errors import SourceError
from vitcam.sources import open_source
from vitcam.sources.v4l2_devices import other_users

HOLD = "import sys; held = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


@pytest.fixture
def device(tmp_path: Path) -> Path:
    path = tmp_path / "video7"
    path.write_text("")
    return path


def test_another_process_that_has_a_file_open_is_named_and_this_one_is_not(device: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, device], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    (device.parent / "link").symlink_to(device)
    with device.open():
        users = [other_users(str(device)), other_users(str(device.parent / "link"))]
    with pytest.raises(SourceError) as refused, open_source(f"v4l2:{device}"):
        pass
    holder.communicate(timeout=30)
    afterwards = other_users(str(device))

    assert [len(each) for each in users] == [1, 1]
    assert users[0][0].startswith(f"process {holder.pid} (")
    assert f"{device} is in use by {users[0][0]}" in str(refused.value)
    assert afterwards == []


def test_a_process_that_may_not_be_seen_or_has_ended_is_no_error(tmp_path: Path, device: Path) -> None:
    for pid, target in (("1", "/gone"), ("2", str(device)), (str(os.getpid()), str(device))):
        (tmp_path / "proc" / pid / "fd").mkdir(parents=True)
        (tmp_path / "proc" / pid / "fd" / "3").symlink_to(target)
    (tmp_path / "proc" / "2" / "comm").write_text("mo\x1btion\n")
    (tmp_path / "proc" / "4").mkdir()

    assert other_users(str(device), tmp_path / "proc") == ["process 2 (motion)"]
