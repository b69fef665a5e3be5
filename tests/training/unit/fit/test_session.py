import io
import logging
import os
import signal
import struct
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from rich.console import Console
from rich.logging import RichHandler

from vitcam_training.fit.display import Display
from vitcam_training.fit.logs import COLUMNS, EventWriter, add_line, history, read_log, trim_log
from vitcam_training.fit.remaining import StageWork
from vitcam_training.fit.session import Stop, Stopped
from vitcam_training.progress import LINE_S


def line(epoch: int, **scores: float) -> dict[str, float]:
    return {"epoch": epoch, "train_loss": 1.5, "train_accuracy": 0.5, "learning_rate": 0.1, "seconds": 2.0} | scores


SCORED = {"test_loss": 1.0, "test_accuracy": 0.75}


def test_minutes_that_are_over_count_only_once_something_was_gained() -> None:
    stop = Stop(minutes=0)
    stop.check(gained=False)
    with pytest.raises(Stopped, match="the time of --stop-after is over, 0 min") as found:
        stop.check(gained=True)

    assert found.value.exit_code == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_at_the_next_check_and_a_second_one_at_once(number: signal.Signals, code: int) -> None:
    before = signal.getsignal(number)
    with Stop() as stop:
        os.kill(os.getpid(), number)
        with pytest.raises(Stopped, match="interrupted") as found:
            stop.check(gained=False)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)

    assert found.value.exit_code == code
    assert signal.getsignal(number) is before


def test_a_run_in_a_thread_is_stopped_by_minutes_and_leaves_signals_alone() -> None:
    before, handlers = signal.getsignal(signal.SIGINT), list[object]()

    def work() -> None:
        with Stop(minutes=0):
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(timeout=10)

    assert handlers == [before]


WORK = StageWork(epochs=2, steps=50, photos=4)


def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("vitcam_training.fit.display.time.monotonic", lambda: now[0])
    return now


def test_who_reads_a_log_gets_a_line_a_minute_with_the_time_that_is_left(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock(monkeypatch)
    with caplog.at_level(logging.INFO), Display(WORK, done=20) as display:
        for done in range(21, 41):
            now[0] += LINE_S / 4
            display.show(done, "epoch 1/2, loss 1.234")

    assert caplog.messages == [
        "compiling the first of 80 steps",
        "the first step took 15 s, with what was compiled for it",
        "an epoch takes about 0:12:30 here, 0:19:00 left in all",
    ] + [
        f"epoch 1/2, loss 1.234, step {done} of 100, 0:{(100 - done) // 4:02}:{(100 - done) % 4 * 15:02} left"
        for done in (24, 28, 32, 36, 40)
    ]


def test_a_terminal_gets_a_bar_on_the_logs_console_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar on a console of its own and the log would write over each other."""
    now, out = clock(monkeypatch), io.StringIO()
    console = Console(file=out, force_terminal=True, width=100)
    monkeypatch.setattr(logging.getLogger("vitcam_training"), "handlers", [RichHandler(console=console)])
    with Display(WORK, done=0) as display:
        for done in range(1, 41):
            now[0] += 2
            display.show(done, "epoch 1/2, loss 1.234")
        display._bar.refresh()

    assert "epoch 1/2, loss 1.234" in out.getvalue()
    assert "40/100" in out.getvalue()
    assert "0:02:00 left" in out.getvalue()


def test_a_quiet_run_says_nothing_however_long_it_takes(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock(monkeypatch)
    with caplog.at_level(logging.INFO), Display(WORK, done=0, quiet=True) as display:
        now[0] = 1000.0
        display.show(1, "epoch 1")

    assert caplog.messages == []


def test_lines_of_the_log_come_back_and_what_was_not_scored_is_empty(tmp_path: Path) -> None:
    add_line(tmp_path, line(1))
    add_line(tmp_path, line(2, **SCORED))
    rows = read_log(tmp_path)

    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["test_loss"], rows[1]["test_loss"]) == ("", "1")
    assert history(rows, {"epoch": [1.0, 2.0], "test_loss": [3.0, 2.0]})["epoch"] == [1, 2, 4]
    assert history(rows, {})["test_accuracy"] == [0.75]


def test_a_log_of_an_earlier_version_is_gone_on_with_in_its_own_columns(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("epoch,test_loss,seconds\n1,2.5,9\n")
    add_line(tmp_path, line(2, **SCORED))

    assert read_log(tmp_path) == [
        {"epoch": "1", "test_loss": "2.5", "seconds": "9"},
        {"epoch": "2", "test_loss": "1", "seconds": "2"},
    ]


@pytest.mark.parametrize("epochs", [0, 1, 2, 3])
def test_a_log_is_trimmed_to_the_epochs_that_were_saved(tmp_path: Path, epochs: int) -> None:
    for epoch in (1, 2):
        add_line(tmp_path, line(epoch, **SCORED))
    trim_log(tmp_path, epochs)

    assert [row["epoch"] for row in read_log(tmp_path)] == ["1", "2"][:epochs]
    assert (tmp_path / "log.csv").exists() == (epochs > 0)


def records(path: Path) -> Iterator[bytes]:
    """The payloads of a TFRecord file: length (8 bytes), its sum (4), payload, its sum (4)."""
    raw = path.read_bytes()
    while raw:
        (length,) = struct.unpack("<Q", raw[:8])
        yield raw[12 : 12 + length]
        raw = raw[16 + length :]


def test_tensorboard_files_hold_what_was_added(tmp_path: Path) -> None:
    events = import_module("tensorboardX.proto.event_pb2")
    with EventWriter(tmp_path, 40) as board:
        board.add("step", 41, loss=2.5, learning_rate=0.125)
    (file,) = (tmp_path / "tensorboard").iterdir()
    found = [events.Event.FromString(record) for record in records(file)]
    values = {value.tag: (event.step, value.simple_value) for event in found for value in event.summary.value}

    assert values == {"step/loss": (41, 2.5), "step/learning_rate": (41, 0.125)}
    assert [event.step for event in found if event.session_log.status == 1] == [40], "later steps are taken back"
