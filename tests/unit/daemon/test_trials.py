"""What is changed on the page is kept once it has worked on a frame, and taken back where a stage fails with it."""

import threading
import time
from collections.abc import Iterator

import pytest

from tests.eventually import eventually
from vitcam.daemon.saved_state import trials as module
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import UsageError
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.view import Region
from vitcam.sources.active_crop import ActiveCrop

LEFT, RIGHT = Region(0, 0, 0.5, 1), Region(0.5, 0, 0.5, 1)


@pytest.fixture
def trials() -> Iterator[Trials]:
    made = Trials()
    yield made
    made.close()
    assert made.worker.join(10)


def later(trials: Trials, worked: bool = True) -> threading.Timer:
    """A frame that is captured in a moment, and works or not."""

    def happen() -> None:
        trials.worked(time.monotonic_ns()) if worked else trials.failed("the capture stage failed")

    timer = threading.Timer(0.1, happen)
    timer.start()
    return timer


def test_a_change_is_saved_after_a_frame_that_was_captured_since(trials: Trials) -> None:
    saved: list[str] = []
    before_ns = time.monotonic_ns()
    done = trials.begin("crop", lambda: saved.append("crop") or "")  # type: ignore[func-returns-value]
    trials.worked(before_ns)  # was on its way
    early = done.done()
    trials.worked(time.monotonic_ns())

    assert not early
    assert done.result(10) == ""
    assert saved == ["crop"]


def test_without_a_picture_it_is_saved_later_and_the_answer_says_so(
    trials: Trials, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_WAIT_S", 0.05)
    saved: list[str] = []
    reason = trials.keep("crop", lambda: saved.append("crop") or "")  # type: ignore[func-returns-value]
    before = [*saved]
    trials.worked(time.monotonic_ns())

    assert "no picture has come" in reason
    assert before == []
    assert eventually(lambda: saved == ["crop"])


def test_a_newer_change_takes_the_place_of_one_that_waits(trials: Trials) -> None:
    saved: list[int] = []
    first = trials.begin("crop", lambda: saved.append(1) or "")  # type: ignore[func-returns-value]
    second = trials.begin("crop", lambda: saved.append(2) or "")  # type: ignore[func-returns-value]
    trials.worked(time.monotonic_ns())

    assert "changed again" in first.result(10)
    assert second.result(10) == ""
    assert saved == [2]


def test_a_change_with_which_a_stage_fails_is_never_saved_and_what_was_before_is_in_force_again(trials: Trials) -> None:
    saved: list[object] = []

    def save(value: object) -> str:
        return trials.keep("it", lambda: saved.append(value) or "")  # type: ignore[func-returns-value]

    crop = ActiveCrop(LEFT, save, from_earlier_run=True)
    areas = ActiveAreas(Areas((Zone("door", LEFT),)), save)
    later(trials, worked=False)
    with pytest.raises(UsageError, match="the capture stage failed"):
        crop.replace(RIGHT)
    later(trials, worked=False)
    with pytest.raises(UsageError, match="the capture stage failed"):
        areas.replace(Areas((Zone("bench", RIGHT),), (RIGHT,)))
    later(trials)
    crop.replace(None)

    assert saved == [None]
    assert areas.areas == Areas((Zone("door", LEFT),), (RIGHT,))  # a mask is never taken back
    assert crop.region is None


def test_an_error_in_saving_reaches_who_waits_and_the_next_one_is_saved(trials: Trials) -> None:
    def fail() -> str:
        raise KeyError("oh")

    done = trials.begin("crop", fail)
    trials.worked(time.monotonic_ns())
    with pytest.raises(KeyError):
        done.result(10)
    again = trials.begin("crop", lambda: "kept")
    trials.worked(time.monotonic_ns())

    assert again.result(10) == "kept"


def test_at_the_end_who_waits_is_told_at_once(trials: Trials) -> None:
    done = trials.begin("crop", str)
    trials.close()

    assert "ending" in done.result(0)


def test_what_has_worked_is_kept_also_where_the_run_ends_while_another_change_is_saved(trials: Trials) -> None:
    saving, may_go_on = threading.Event(), threading.Event()

    def slow() -> str:
        saving.set()
        may_go_on.wait(10)
        return ""

    trials.begin("crop", slow)
    trials.worked(time.monotonic_ns())
    assert saving.wait(10)
    second = trials.begin("zones", str)
    trials.worked(time.monotonic_ns())
    trials.close()
    may_go_on.set()

    assert second.result(10) == ""
