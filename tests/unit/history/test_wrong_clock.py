"""A machine whose clock is wrong loses no events, and has them in order."""

import random
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.clocks import DAY, HOUR, MINUTE, SECOND, TRUE_MS, SimulatedClock
from tests.eventually import eventually
from tests.frames import picture
from tests.histories import change, is_sound
from vitcam.history.database.connections import FILE, begin_anew, open_to_write
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)
MONTH = RetentionRules(keep_days=30)


class Machine:
    """A machine with a history. Each event is called after the true time at which it began, in ms."""

    def __init__(self, folder: Path, rules: RetentionRules = MONTH) -> None:
        self.clock = SimulatedClock()
        self._folder, self._rules = folder, rules
        self._booted_ms = 0
        self.store = self._started()
        self.saw: list[str] = []

    def see(self) -> None:
        """Let something be there for a second."""
        name, start_ms = f"{self.clock.true_ms:026}", self._wall_ms()
        self.clock.wait(SECOND)
        end_ms = self._wall_ms()
        self.store.put(change(name, "end", start_ms=start_ms, end_ms=end_ms, booted_ms=self._booted_ms))
        self.saw.append(name)
        assert eventually(lambda: self.store.get(name))

    def wait(self, ms: int) -> None:
        """Let time pass, in steps of ten minutes, and let the history do what it does then."""
        ends_ms = self.clock.true_ms + ms
        while self.clock.true_ms < ends_ms:
            self.clock.wait(min(10 * MINUTE, ends_ms - self.clock.true_ms))
            self.rest()

    def rest(self) -> None:
        """Let the history look at the clock, and delete what it may delete."""
        for _ in range(2):  # the second answer comes after the rest that follows the first one
            self.store.set_favourite("nothing", True)

    def restart(self, off_ms: int = MINUTE, wrong_ms: int = 0, only_vitcam: bool = False) -> None:
        """Switch the machine off and on; or only the daemon."""
        self.store.stop(10)
        if only_vitcam:
            self.clock.set_to(wrong_ms, self.clock.synchronised)
        else:
            self.clock.restart(off_ms, wrong_ms)
        self.store = self._started()

    def listed(self) -> list[StoredEvent]:
        """All events by pages, the oldest first."""
        found: list[StoredEvent] = []
        before = None
        while True:
            page = self.store.find(Query(), 7, before)
            found += page.events
            if (before := page.next) is None:
                return found[::-1]

    def names(self) -> list[str]:
        return [event.id for event in self.listed()]

    def errors_ms(self) -> list[int]:
        """By how much the time of each event is wrong."""
        return [event.start_ms - int(event.id) for event in self.listed()]

    def _started(self) -> EventStore:
        store = EventStore(self._folder, self._rules, clock=self.clock)
        self._booted_ms = self.clock.booted_ms()  # the recorder keeps to it, whatever happens to the clock
        store.start()
        return store

    def _wall_ms(self) -> int:
        return self._booted_ms + self.clock.up_ms()


@contextmanager
def machine(folder: Path, rules: RetentionRules = MONTH) -> Iterator[Machine]:
    made = Machine(folder, rules)
    yield made
    made.store.stop(10)


@pytest.fixture
def pi(tmp_path: Path) -> Iterator[Machine]:
    with machine(tmp_path) as made:
        yield made


@pytest.mark.fault(
    "the clock is 40 days ahead at the start, or a year behind",
    injected="a clock that lies so, with and without a start of the machine",
    observed="no event is deleted, their times stay, and the state says that deletion by age waits",
)
@pytest.mark.parametrize("wrong_ms", [40 * DAY, -365 * DAY, -9 * 365 * DAY])
@pytest.mark.parametrize("only_vitcam", [True, False])
def test_a_start_with_a_wrong_clock_deletes_nothing_and_says_so(pi: Machine, wrong_ms: int, only_vitcam: bool) -> None:
    pi.see()
    pi.restart(wrong_ms=wrong_ms, only_vitcam=only_vitcam)
    pi.see()
    pi.wait(2 * HOUR)

    assert pi.names()[:: -1 if wrong_ms < 0 and not only_vitcam else 1] == pi.saw
    assert abs(pi.errors_ms()[pi.names().index(pi.saw[0])]) < SECOND
    assert "No event is deleted because of its age" in pi.store.state().clock


@pytest.mark.parametrize("wrong_ms", [40 * DAY, -9 * 365 * DAY])
def test_events_get_their_right_times_once_the_clock_has(pi: Machine, wrong_ms: int) -> None:
    pi.see()
    pi.restart(wrong_ms=wrong_ms)
    pi.see()
    pi.restart(wrong_ms=wrong_ms, only_vitcam=True)
    pi.see()
    pi.clock.set_to(0, synchronised=True)
    pi.wait(MINUTE)
    pi.see()

    assert pi.names() == pi.saw
    assert max(map(abs, pi.errors_ms())) < SECOND
    assert pi.store.state().clock == ""


@pytest.mark.fault(
    "the clock jumps while events are kept, forwards and backwards",
    injected="a step of 40 days, two days or nine years, and back, with a time server or without one",
    observed="all events keep their order and have right times in the end; none is deleted",
)
@pytest.mark.parametrize("synchronised", [False, True])
@pytest.mark.parametrize("step_ms", [40 * DAY, 2 * DAY, HOUR, -HOUR, -2 * DAY, -9 * 365 * DAY])
def test_a_step_of_the_clock_and_back_changes_no_time(pi: Machine, step_ms: int, synchronised: bool) -> None:
    pi.see()
    pi.restart(HOUR)
    pi.clock.set_to(0, synchronised)
    pi.see()
    pi.clock.set_to(step_ms, synchronised=False)
    pi.wait(20 * MINUTE)
    pi.see()
    assert pi.names() == pi.saw
    pi.clock.set_to(0, synchronised)
    pi.wait(20 * MINUTE)
    pi.see()

    assert pi.names() == pi.saw
    assert max(map(abs, pi.errors_ms())) < SECOND


@pytest.mark.parametrize("wrong_ms", [40 * DAY, -9 * 365 * DAY])
def test_a_clock_that_was_never_set_right_before_the_machine_went_off_leaves_its_events_in_order(
    pi: Machine, wrong_ms: int
) -> None:
    pi.see()
    pi.restart(wrong_ms=wrong_ms)
    pi.see()
    pi.wait(HOUR)
    pi.see()
    pi.restart()
    pi.see()
    pi.wait(HOUR)

    assert pi.names() == pi.saw
    assert max(map(abs, pi.errors_ms())) < 2 * MINUTE
    assert pi.store.state().clock == ""


def test_a_wrong_time_server_is_believed_after_an_hour_and_the_right_one_too(pi: Machine) -> None:
    pi.clock.set_to(0, synchronised=True)
    pi.see()
    pi.clock.set_to(40 * DAY, synchronised=True)
    pi.wait(50 * MINUTE)
    assert pi.store.state().clock
    assert max(map(abs, pi.errors_ms())) < SECOND
    pi.wait(20 * MINUTE)
    pi.see()
    assert pi.store.state().clock == ""
    pi.clock.set_to(0, synchronised=True)
    pi.wait(70 * MINUTE)

    assert pi.names() == pi.saw
    assert max(map(abs, pi.errors_ms())) < SECOND


@pytest.mark.parametrize("only_vitcam", [False, True])
@pytest.mark.parametrize("step_ms", [5 * SECOND, -5 * SECOND, 5 * MINUTE, -5 * MINUTE])
def test_a_time_server_that_corrects_a_little_is_believed_at_once(pi: Machine, step_ms: int, only_vitcam: bool) -> None:
    pi.clock.set_to(-step_ms, synchronised=True)
    pi.see()
    if only_vitcam:
        pi.restart(wrong_ms=0, only_vitcam=True)
    pi.clock.set_to(0, synchronised=True)
    pi.wait(10 * MINUTE)
    pi.see()

    assert pi.store.state().clock == ""
    assert pi.names() == pi.saw
    assert max(map(abs, pi.errors_ms())) < SECOND


def test_a_clock_without_a_time_server_is_believed_again_after_a_week(pi: Machine) -> None:
    pi.see()
    pi.restart(60 * DAY)
    pi.wait(2 * HOUR)
    assert pi.store.state().clock
    assert pi.names() == pi.saw
    pi.clock.wait(7 * DAY)
    pi.wait(HOUR)

    assert pi.store.state().clock == ""
    assert pi.names() == []


def test_an_hour_deletes_only_a_share_of_what_is_too_old(pi: Machine) -> None:
    for _ in range(48):
        pi.see()
    pi.clock.set_to(0, synchronised=True)
    pi.clock.wait(40 * DAY)
    pi.rest()
    assert pi.store.state().clock  # nothing came for 40 days
    pi.wait(HOUR)
    assert len(pi.names()) == 38
    pi.wait(30 * MINUTE)
    assert len(pi.names()) == 38
    pi.wait(DAY)

    assert pi.names() == []


def test_room_is_made_by_what_was_recorded_first_whatever_time_it_has(tmp_path: Path) -> None:
    rules = RetentionRules(keep_days=30, max_mb=0.04)
    with machine(tmp_path, rules) as pi:
        pi.clock.set_to(40 * DAY, synchronised=False)
        for _ in range(10):
            pi.see()
        pi.restart(wrong_ms=0)
        for _ in range(40):
            pi.see()
        pi.wait(HOUR)

        assert pi.store.state().clock
        assert pi.store.state().mb <= 0.04
        assert {*pi.names()} == {*pi.saw[-len(pi.names()) :]}


def test_events_that_an_older_version_has_dated_are_deleted_by_age_and_keep_their_times(tmp_path: Path) -> None:
    with machine(tmp_path) as pi:
        for days in (100, 1):
            start_ms = TRUE_MS - days * DAY
            pi.store.put(change(f"{start_ms:026}", "end", start_ms=start_ms, end_ms=start_ms + SECOND))
        assert eventually(lambda: pi.store.get(f"{start_ms:026}"))
        pi.clock.set_to(DAY, synchronised=True)
        pi.wait(MINUTE)
        pi.see()

        assert pi.names() == [f"{TRUE_MS - DAY:026}", *pi.saw]


def test_a_picture_without_an_event_goes_though_a_clock_was_ahead(pi: Machine, tmp_path: Path) -> None:
    for day in ("2027-01-04", "2027-01-05"):
        (tmp_path / "frames" / day).mkdir(parents=True)
        (tmp_path / "frames" / day / "lost.txt").touch()
    pi.store.put(change("01A", "end", jpeg=JPEG, start_ms=TRUE_MS, end_ms=TRUE_MS))
    event = eventually(lambda: pi.store.get("01A"))
    assert event is not None
    assert event.frame is not None
    lost = (tmp_path / event.frame).with_name("lost-0000.jpg")
    lost.write_bytes(JPEG)
    pi.restart()

    assert eventually(lambda: not lost.exists())
    assert pi.store.picture(event) == JPEG


def test_two_histories_that_are_set_aside_at_the_same_moment_are_both_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = time.gmtime(0)
    monkeypatch.setattr(time, "gmtime", lambda: moment)
    for content in ("one", "two"):
        (tmp_path / FILE).write_text(content)
        (tmp_path / "frames" / "2026-01-02").mkdir(parents=True)
        (tmp_path / "frames" / "2026-01-02" / content).touch()
        begin_anew(tmp_path, lambda: None)

    assert {path.read_text() for path in tmp_path.glob(f"{FILE}.damaged-*")} == {"one", "two"}
    assert len([*tmp_path.glob("frames.damaged-*/*/*")]) == 2


def test_who_missed_events_gets_them_in_the_order_in_which_they_were_recorded(pi: Machine) -> None:
    store = pi.store
    ids = ["01A", "01B", "09Z", "01C", "01D"]  # the third one was named by a clock that was ahead
    for name in ids:
        store.put(change(name, "end", start_ms=TRUE_MS, end_ms=TRUE_MS))
        assert eventually(lambda name=name: store.get(name))  # type: ignore[misc]

    assert [event.id for event in store.after("09Z")] == ids
    assert [event.id for event in store.after("09Z")][-2:] == ["01C", "01D"]
    store.delete("01B")
    assert [event.id for event in store.after("01B")] == ["01A", "09Z", "01C", "01D"]
    assert [event.id for event in EventStore(pi.store.folder).after("0")] == ["01A", "09Z", "01C", "01D"]


@pytest.mark.fault(
    "24 hours in which the clock jumps again and again",
    injected="steps by minutes to years, time servers that lie, starts of vitcam and of the machine, at random",
    observed="no event of the day or of the 26 days before is deleted, and all are in the order in which they came",
)
@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_day_with_a_clock_that_jumps_loses_nothing_and_keeps_the_order(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with machine(tmp_path) as pi:
        for days in range(26, 0, -1):
            start_ms = TRUE_MS - days * DAY
            name = f"{start_ms:026}"
            pi.store.put(change(name, "end", start_ms=start_ms, end_ms=start_ms + SECOND))
            pi.saw.append(name)
            assert eventually(lambda name=name: pi.store.get(name))  # type: ignore[misc]
        while pi.clock.true_ms < TRUE_MS + DAY:
            step_ms = chance.choice([40 * DAY, 3 * DAY, HOUR, 0, -HOUR, -3 * DAY, -9 * 365 * DAY, 60 * 365 * DAY])
            what = chance.choice(["step", "step", "server", "vitcam", "machine"])
            if what == "vitcam":
                pi.restart(wrong_ms=step_ms, only_vitcam=True)
            elif what == "machine":
                pi.restart(chance.choice([MINUTE, HOUR]), step_ms)
            else:
                pi.clock.set_to(0 if what == "server" else step_ms, synchronised=what == "server")
            for _ in range(3):
                pi.wait(chance.choice([MINUTE, 10 * MINUTE]))
                pi.see()
        pi.restart()
        pi.clock.set_to(0, synchronised=True)
        pi.wait(70 * MINUTE)

        assert pi.names() == pi.saw
        assert pi.store.state().clock == ""
    with closing(open_to_write(tmp_path)):
        assert is_sound(tmp_path)
