"""The runner asks the rules in its own thread; an action that hangs or fails delays no event and no other action."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.eventually import eventually
from tests.parts.alerts.doing import Kept, event, task
from vitcam.daemon.watchdog import look_after
from vitcam.frames import Event
from vitcam.parts.alerts import runner
from vitcam.parts.alerts.outcome_log import OutcomeLog
from vitcam.parts.alerts.runner import ActionRunner
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import ActionFailed, Outcome, Task
from vitcam.parts.alerts.worker_queue import WorkerQueue
from vitcam.threads.worker import Worker

GPIO = OnSettings("pin", gpio=17)
SOUND = OnSettings("bell", sound=True)


class Doer:
    """Does tasks as a test wants it: at once, never, or with a failure."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.may_end = threading.Event()
        self.fails: Exception | None = None
        self.hangs = False

    def __call__(self, task: Task) -> str:
        self.done.append(task.event_id)
        if self.hangs:
            self.may_end.wait(60)
        if self.fails:
            raise self.fails
        return "done"


@contextmanager
def acting(*rules: OnSettings) -> Iterator[tuple[ActionRunner, Doer, Doer, Kept]]:
    """A runner, who does its gpio, who does its sound, and the outcomes."""
    kept, pins, sounds = Kept(), Doer(), Doer()
    outcomes = OutcomeLog(kept)
    found = ActionRunner(
        rules,
        {},
        {"gpio": WorkerQueue("gpio", pins, outcomes), "sound": WorkerQueue("sound", sounds, outcomes)},
        outcomes,
    )
    try:
        yield found, pins, sounds, kept
    finally:
        pins.may_end.set()
        sounds.may_end.set()
        found.close()


def lasting(id_: str, for_s: float = 0.0) -> Event:
    return replace(event(id_), start_ns=time.monotonic_ns() - round(for_s * 1e9))


def test_every_action_of_a_rule_is_done_once_and_counted() -> None:
    with acting(replace(GPIO, sound=True)) as (found, _, _, kept):
        found.event(lasting("1"))
        found.event(replace(lasting("1"), phase="update"))
        kept.wait_for_count(2)
        state = found.state()

    assert sorted((outcome.kind, outcome.status, outcome.detail) for outcome in kept.all) == [
        ("gpio", "ok", "done"),
        ("sound", "ok", "done"),
    ]
    assert (state.rules, state.ok, state.failed, state.waiting, state.trouble) == (1, 2, 0, 0, "")


def test_a_rule_that_waits_for_the_length_of_an_event_acts_without_another_report() -> None:
    with acting(replace(GPIO, for_s=0.3)) as (found, _, _, kept):
        found.event(lasting("1"))
        kept.wait_for_count(1)

        assert kept.all[0].event_id == "1"


@pytest.mark.fault(
    "an action hangs",
    injected="an action that never ends, and events that come meanwhile",
    observed="actions of other kinds are done; those that wait are bounded, and each further one has failed",
)
def test_an_action_that_hangs_delays_no_event_and_no_action_of_another_kind() -> None:
    with acting(GPIO, SOUND) as (found, pins, sounds, kept):
        pins.hangs = True
        for number in range(40):
            found.event(lasting(str(number)))
            assert eventually(lambda number=number: len(sounds.done) == number + 1)  # type: ignore[misc]
        state = found.state()

        assert [outcome.status for outcome in kept.all if outcome.kind == "sound"] == ["ok"] * 40
        failed = [outcome for outcome in kept.all if outcome.kind == "gpio"]
        assert len(failed) == 7
        assert {outcome.detail for outcome in failed} == {"32 actions of this kind wait already"}
        assert state.waiting == 33
        assert state.trouble == "gpio of the rule pin: 32 actions of this kind wait already"


@pytest.mark.fault(
    "an action fails in a way that nobody foresaw",
    injected="an exception of any kind",
    observed="the action has failed, the log has the stack, and the next action is done",
)
def test_an_action_that_fails_unexpectedly_does_not_end_its_thread() -> None:
    with acting(SOUND) as (found, _, sounds, kept):
        sounds.fails = RuntimeError("a bug")
        found.event(lasting("1"))
        kept.wait_for_count(1)
        sounds.fails = ActionFailed("x" * 300)
        found.event(lasting("2"))
        kept.wait_for_count(2)
        sounds.fails = None
        found.event(lasting("3"))
        kept.wait_for_count(3)

    assert [outcome.status for outcome in kept.all] == ["failed", "failed", "ok"]
    assert kept.all[0].detail == "it failed unexpectedly; the log says more"
    assert len(kept.all[1].detail) == 200


def test_the_log_has_the_same_failure_once_a_minute_and_another_one_at_once(caplog: pytest.LogCaptureFixture) -> None:
    outcomes = OutcomeLog(Kept())
    failed = [Outcome(str(number), "lamp", "command", "failed", "no lamp") for number in range(5)]
    for outcome in (*failed, replace(failed[0], detail="no light")):
        outcomes(outcome)

    assert [record.message for record in caplog.records] == [
        "command of the rule lamp: no lamp",
        "command of the rule lamp: no light",
    ]
    assert outcomes.failed == 6


def test_events_that_no_rule_can_see_in_time_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    entered, may_end = threading.Event(), threading.Event()

    def hangs(*_: object) -> None:
        entered.set()
        may_end.wait(60)
        raise RuntimeError("a bug in the rules")

    monkeypatch.setattr(runner, "step", hangs)
    with acting(SOUND) as (found, _, _, _):
        began = time.monotonic()
        found.event(lasting("1"))
        assert entered.wait(60)
        for number in range(300):
            found.event(lasting(str(number)))
        for number in range(300):
            found.event(replace(lasting(str(number)), phase="end", end_ns=time.monotonic_ns()))
        took_s = time.monotonic() - began
        dropped = found.state().dropped
        may_end.set()

    assert dropped == 2 * (300 - 256), "the end of each of the others was taken"
    assert took_s < 5


def test_rules_that_come_later_act_from_then_on_and_without_rules_nothing_runs() -> None:
    before = set(threading.enumerate())  # a thread of another test may be about to end
    with acting() as (found, _, sounds, kept):
        found.event(lasting("1"))
        started = {thread.name for thread in set(threading.enumerate()) - before}
        assert not started & {"rules", "act on sound"}
        found.rules = (SOUND,)
        found.event(lasting("2"))
        kept.wait_for_count(1)

    assert sounds.done == ["2"]


@pytest.mark.fault(
    "the run ends while actions wait",
    injected="an action that hangs, others of its kind that wait, and one that comes after the end",
    observed="each has one outcome, which says that vitcam ended",
)
def test_at_the_end_of_a_run_every_action_that_waits_has_an_outcome() -> None:
    kept, doer = Kept(), Doer()
    doer.hangs = True
    lane = WorkerQueue("notify", doer, OutcomeLog(kept))
    for number in range(5):
        lane.put(task(SOUND, str(number)))
    assert eventually(lambda: doer.done == ["0"])
    began_s = time.monotonic()
    lane.close()
    lane.leave(time.monotonic() + 0.05)
    lane.put(task(SOUND, "late"))
    took_s = time.monotonic() - began_s
    doer.may_end.set()

    assert took_s < 1
    assert all(worker.join(60) for worker in lane._threads)
    assert sorted((each.event_id, each.status, each.detail) for each in kept.all) == [
        ("0", "failed", "vitcam ended before it was done"),
        *((str(number), "failed", "vitcam ended before it began") for number in range(1, 5)),
        ("late", "failed", "vitcam ended before it began"),
    ]
    assert lane.waiting == 0
    assert doer.done == ["0"]


def test_a_library_that_wants_to_end_the_process_ends_only_its_action() -> None:
    with acting(SOUND) as (found, _, sounds, kept):
        sounds.fails = SystemExit(1)  # type: ignore[assignment]
        found.event(lasting("1"))
        kept.wait_for_count(1)
        sounds.fails = None
        found.event(lasting("2"))
        kept.wait_for_count(2)

    assert [outcome.status for outcome in kept.all] == ["failed", "ok"]


def test_every_thread_that_acts_is_looked_after() -> None:
    with acting(GPIO, SOUND) as (found, _, _, kept):
        found.event(lasting("1"))
        kept.wait_for_count(2)
        names = {thread.name for thread in threading.enumerate()}

        assert {"rules", "act on gpio", "act on sound"} <= names
        assert sorted(worker.name for worker in found.workers if isinstance(worker, Worker)) == [
            "act on gpio",
            "act on sound",
            "rules",
        ]
        assert look_after(found.workers) == ""


def test_the_end_of_a_run_does_what_its_last_events_ask_for() -> None:
    with acting(replace(SOUND, phase="end")) as (found, _, sounds, _):
        found.event(lasting("1"))
        found.event(replace(lasting("1"), phase="end", end_ns=time.monotonic_ns()))
        found.close()

        assert sounds.done == ["1"]


def test_the_end_of_a_run_waits_only_a_moment_for_what_hangs() -> None:
    with acting(SOUND) as (found, _, sounds, _):
        sounds.hangs = True
        found.event(lasting("1"))
        assert eventually(lambda: sounds.done)
        began = time.monotonic()
        found.close()

        assert time.monotonic() - began < 5
