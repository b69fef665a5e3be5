"""A file of lines is whole after each line, stays below its size, and survives a full disk."""

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.actions.doing import event, task
from vitcam.actions import line_file
from vitcam.actions.line_file import LineFiles, add_line
from vitcam.actions.rules import Firing
from vitcam.actions.task import ActionFailed, Task
from vitcam.config.tables import OnSettings


def test_each_event_is_a_line_in_a_file_of_the_state_folder(tmp_path: Path) -> None:
    act = LineFiles(tmp_path / "state")
    act(task(OnSettings("log", file="day/events.jsonl"), "1"))
    act(task(OnSettings("log", file="day/events.jsonl"), "2", label="Käuzchen"))

    lines = (tmp_path / "state/day/events.jsonl").read_text("utf-8").splitlines()

    assert [json.loads(line)["id"] for line in lines] == ["1", "2"]
    assert "Käuzchen" in lines[1]


def test_a_camera_whose_name_is_not_utf8_can_be_written(tmp_path: Path) -> None:
    odd = replace(event(), camera="clip\udcff.mp4")

    LineFiles(tmp_path)(Task.of(Firing(OnSettings("log", file="x"), odd)))

    assert json.loads((tmp_path / "x").read_text("utf-8"))["camera"] == "clip\\xff.mp4"


def test_a_file_of_another_folder_is_named_with_a_leading_slash(tmp_path: Path) -> None:
    LineFiles(tmp_path / "state")(task(OnSettings("log", file=f"{tmp_path}/x.jsonl")))

    assert (tmp_path / "x.jsonl").exists()


def test_a_file_that_is_full_is_renamed_and_the_oldest_goes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    for number in range(10):
        add_line(path, f"{number:09}", most_bytes=20, keep=2)

    assert [(tmp_path / name).read_text().split() for name in ("x.2", "x.1", "x")] == [
        [f"{number:09}" for number in pair] for pair in ((4, 5), (6, 7), (8, 9))
    ]
    assert len(list(tmp_path.iterdir())) == 3


def test_where_none_is_kept_a_full_file_begins_again(tmp_path: Path) -> None:
    for number in range(3):
        add_line(tmp_path / "x", f"{number:09}", most_bytes=10, keep=0)

    assert [path.read_text() for path in tmp_path.iterdir()] == ["000000002\n"]


def test_half_a_line_that_a_power_cut_left_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text('{"id": 1}\n{"id')

    add_line(path, '{"id": 2}', 1000, 1)

    assert path.read_text() == '{"id": 1}\n{"id": 2}\n'


@pytest.mark.fault(
    "the disk is full where a rule writes its file",
    injected="a limit of the file's size in the middle of a line, and /dev/full",
    observed="the action has failed with a sentence; the file has its whole lines, and later lines follow them",
)
def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "x"
    code = (
        "import resource, signal, sys; from pathlib import Path; from vitcam.actions.line_file import add_line\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (25, 25))\n"
        "for i in range(3):\n"
        "    try: add_line(Path(sys.argv[1]), f'{i:09}', 1000, 1)\n"
        "    except OSError as error: print(error.errno)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)

    assert done.stdout == f"{errno.EFBIG}\n"
    assert path.read_text() == "000000000\n000000001\n"
    add_line(path, "later", 1000, 1)
    assert path.read_text().endswith("1\nlater\n")


def test_a_file_that_cannot_be_written_fails_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ActionFailed, match="file/x cannot be written: File exists"):
        LineFiles(tmp_path)(task(OnSettings("log", file="file/x")))


@pytest.mark.fault(
    "a full file of a rule cannot be renamed",
    injected="a folder that has the name of the renamed file",
    observed="the action has failed, no descriptor is closed twice, and the file has its lines",
)
def test_a_rotation_that_fails_closes_the_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, closed, close = tmp_path / "x", list[int](), os.close
    (tmp_path / "x.1" / "in the way").mkdir(parents=True)
    path.write_text("000000000\n")

    def closes(number: int) -> None:
        close(number)  # raises for a descriptor that is closed already
        closed.append(number)

    monkeypatch.setattr(os, "close", closes)
    with pytest.raises(OSError, match="x"):
        add_line(path, "111111111", most_bytes=10, keep=1)

    assert len(closed) == 1
    assert path.read_text() == "000000000\n"


def test_two_runs_with_the_same_rule_leave_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "x"
    code = (
        "import sys; from pathlib import Path; from vitcam.actions.line_file import add_line\n"
        "for i in range(300): add_line(Path(sys.argv[1]), sys.argv[2] * 50, 10_000, 9)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, path, name]) for name in "ab"]
    assert [each.wait(120) for each in writers] == [0, 0]

    lines = [line for file in tmp_path.iterdir() for line in file.read_text().splitlines()]
    assert sorted(set(lines)) == ["a" * 50, "b" * 50]
    assert len(lines) == 600


@pytest.mark.fault(
    "the daemon is killed while a rule writes its file",
    injected="SIGKILL 8 times while lines are written as fast as possible",
    observed="every line in every file is whole",
)
def test_a_kill_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "x"
    code = (
        "import sys; from pathlib import Path; from vitcam.actions.line_file import add_line\n"
        "print(flush=True)\n"
        "while True: add_line(Path(sys.argv[1]), '[' + '1,' * 200 + '1]', 50_000, 2)\n"
    )
    for _ in range(8):
        with subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            os.kill(child.pid, signal.SIGKILL)
    add_line(path, "[]", 50_000, 2)

    for file in tmp_path.iterdir():
        for line in file.read_text().splitlines():
            json.loads(line)
    assert line_file._LOOK_BACK > 403
