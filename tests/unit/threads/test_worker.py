"""A loop that fails begins again, one that stands still is seen, and the end is the end."""

import ast
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.eventually import eventually
from vitcam.parts import PARTS
from vitcam.threads import worker
from vitcam.threads.kinds import KINDS
from vitcam.threads.worker import WatchedExecutor, Worker

ROOT = Path(__file__).parents[3] / "vitcam"
OWN_THREADS = {
    "threads/worker.py": "the guard itself",
    "pipeline/pipeline.py": "stages have guards and beats of their own",
    "web/server.py": "the event loop has a beat of its own",
    "daemon/shutdown.py": "it ends the process, so it may depend on nothing",
    "parts/clips/ffmpeg.py": "a timer that kills a child",
    "daemon/model.py": "the start waits for it, and does again what failed",
    "daemon/source.py": "the same",
    "threads/ordered_pool.py": "no part of the daemon: its errors are raised where results are fetched",
    "parts/teach/learn.py": "the same",
    "parts/teach/photos.py": "the same",
    "parts/teach/history.py": "the same",
    "sources/rtsp/tls_relay.py": "it runs in the child that reads an RTSP camera, whose silence is seen by the daemon",
}
MAKERS = {"Thread", "Timer", "ThreadPoolExecutor"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(worker, "_LONGEST_PAUSE_S", 0.02)


@pytest.mark.parametrize("error", [RuntimeError("a bug"), MemoryError(), SystemExit("a library"), OSError(5, "I/O")])
def test_a_loop_that_fails_begins_again_and_says_so(error: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    turns: list[int] = []
    over = threading.Event()

    def run() -> None:
        turns.append(1)
        if len(turns) < 4:
            raise error
        over.wait(60)

    found = Worker("disk", run)
    found.start()

    assert eventually(lambda: len(turns) == 4)
    assert "the disk does not answer, so files are neither read nor written: its thread failed" in found.trouble()
    assert found.faults() == {"disk": 3}
    assert len(caplog.records) == 1  # the same error is logged once a minute
    over.set()
    assert found.join(60)
    assert found.trouble() == ""


def test_a_failure_is_forgotten_after_a_good_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_GOOD_S", 0.05)
    turns: list[int] = []
    over = threading.Event()

    def run() -> None:
        turns.append(1)
        if len(turns) == 1:
            raise ValueError
        over.wait(60)

    found = Worker("disk", run)
    found.start()

    assert eventually(lambda: found.trouble())
    assert eventually(lambda: not found.trouble())
    over.set()


def test_a_loop_that_stands_still_is_seen_and_one_that_asked_for_more_time_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    over = threading.Event()

    def run() -> None:
        over.wait(60)

    found = Worker("disk", run)
    found.start()
    now_s[0] += 29
    assert found.trouble() == ""
    now_s[0] += 2
    assert (
        found.trouble()
        == "the disk does not answer, so files are neither read nor written: its thread has not moved for 31 s; "
        "it waits for the disk"
    )
    found.beat(allow_s=100)
    now_s[0] += 125
    assert found.trouble() == ""
    over.set()
    assert found.join(60)


@pytest.mark.fault(
    "the system gives no further thread",
    injected="starting a thread raises RuntimeError, as at a limit of processes",
    observed="what it should do is named in the state, and it is started again every second until it works",
)
def test_a_thread_that_could_not_be_started_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = threading.Event()
    found = Worker("history", ran.set)
    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", _refuses)
        found.start()
        found.revive()
        assert "no events are kept" in found.trouble()
    found.revive()

    assert ran.wait(60)
    assert found.join(60)


def _refuses(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_after_the_stop_nothing_begins_again() -> None:
    turns: list[int] = []

    def run() -> None:
        turns.append(1)
        found.stop()
        raise ValueError

    found = Worker("disk", run)
    found.start()
    assert found.join(60)
    found.revive()

    assert turns == [1]
    assert found.trouble() == ""


def test_an_executor_whose_task_hangs_is_seen_and_works_on_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [100.0]
    begun, over = threading.Event(), threading.Event()
    found = WatchedExecutor("encode")
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])

    def hangs() -> bool:
        begun.set()
        return over.wait(60)

    hanging = found.submit(hangs)
    assert begun.wait(60)
    assert found.trouble() == ""
    now_s[0] += 31
    assert "viewers get no new pictures" in found.trouble()
    over.set()
    assert hanging.result()
    with pytest.raises(ZeroDivisionError):
        found.submit(lambda: 1 / 0).result()
    assert found.submit(sys.getrecursionlimit).result() > 0
    assert found.trouble() == ""
    found.shutdown()


def made_threads() -> list[tuple[str, str, ast.Call]]:
    """File, maker, and call, of every place that makes a thread."""
    return [
        (str(path.relative_to(ROOT)), name, node)
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and (name := node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
        in {*MAKERS, "Worker", "WatchedExecutor"}
    ]


def test_every_thread_of_the_daemon_has_a_guard_and_a_beat() -> None:
    bare = {file for file, maker, _ in made_threads() if maker in MAKERS}

    assert bare <= OWN_THREADS.keys()
    there = {file for file in OWN_THREADS if (ROOT / file).exists()}
    assert there - bare <= {"threads/worker.py"}


def test_every_thread_has_a_row_in_the_table() -> None:
    names = [
        keyword.value.value
        for _, maker, call in made_threads()
        for keyword in call.keywords
        if maker == "Thread" and keyword.arg == "name" and isinstance(keyword.value, ast.Constant)
    ] + [
        call.args[0].value
        for _, maker, call in made_threads()
        if maker == "Worker" and isinstance(call.args[0], ast.Constant)
    ]

    assert {"history", "web", "end"} <= set(names)
    of_parts = {name for part in PARTS for name in part.threads}
    assert [name for name in names if name not in KINDS.keys() | of_parts] == []
