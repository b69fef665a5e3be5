"""What was seen in a while is folded by what was displayed: repeats, first times, rare things, days, names."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.histories import START_MS, stored
from tests.household import make_history
from vitcam.errors import VitcamError
from vitcam.frames import Group
from vitcam.history.database import reading
from vitcam.history.database.connections import open_to_write, transaction
from vitcam.history.database.stories import DAY_MS, Story, StorySummary
from vitcam.history.database.writing import edit, write_change
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, Query, StoredEvent
from vitcam.names.everyday import everyday_word

TODAY_MS = START_MS + 40 * DAY_MS
TODAY = (TODAY_MS, TODAY_MS + DAY_MS)


class Past:
    """A history that tests write into."""

    def __init__(self, folder: Path) -> None:
        self.store = EventStore(folder)
        self._connection = open_to_write(folder)
        self._count = 0

    def saw(self, label: str, start_ms: int, frame: str | None = None, **fields: object) -> StoredEvent:
        """Something, for a second."""
        self._count += 1
        event = stored(f"e{self._count:04d}", label, start_ms=start_ms, end_ms=start_ms + 1000, **fields)
        with transaction(self._connection) as connection:
            jpeg = b"jpeg" if frame else None
            write_change(connection, EventChange(event, "end", jpeg), start_ms, frame, new=True)
        return event

    def correct(self, event: StoredEvent, label: str) -> None:
        with transaction(self._connection) as connection:
            edit(connection, event.id, {"corrected": label})

    def close(self) -> None:
        self._connection.close()

    def told(self, query: Query = Query(), times: tuple[int, ...] = TODAY, limit: int = 50) -> StorySummary:  # noqa: B008
        return self.store.summary(query, times, limit)


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Past]:
    with closing(Past(tmp_path)) as past:
        yield past


def counted(summary: StorySummary) -> dict[str, int]:
    return {story.label: story.events for story in summary.whole.stories}


def newness(summary: StorySummary) -> dict[str, str | None]:
    return {story.label: story.newness for story in summary.whole.stories}


def test_repeats_are_one_story_with_its_first_and_last_time(past: Past) -> None:
    for minute in range(52):
        past.saw("espresso", TODAY_MS + minute * 60_000)
    past.saw("cat", TODAY_MS + 5)
    past.saw("espresso", TODAY_MS - 1)
    past.saw("espresso", TODAY_MS + DAY_MS)
    summary = past.told()
    first = summary.whole.stories[0]

    assert (first.label, first.events) == ("espresso", 52)
    assert (first.first_ms, first.last_ms) == (TODAY_MS, TODAY_MS + 51 * 60_000)
    assert (summary.whole.events, summary.whole.things) == (53, 2)
    assert (summary.earlier_ms, summary.later_ms) == (TODAY_MS - 1, TODAY_MS + DAY_MS)


def test_a_week_is_told_the_same_whether_its_days_are_asked_for_or_not(past: Past) -> None:
    for number, label in enumerate(("espresso", "cat", "espresso", "dog", "espresso", "cat") * 3):
        past.saw(label, TODAY_MS + number * DAY_MS // 3, frame="a.jpg" if number % 4 else None, p=0.5 + number / 40)
    days = tuple(TODAY_MS + day * DAY_MS for day in range(8))
    by_days, at_once = past.told(times=days), past.told(times=(days[0], days[-1]))

    def told(summary: StorySummary) -> list[tuple[object, ...]]:
        return [
            (each.label, each.kind, each.events, each.first_ms, each.last_ms, each.newness, each.event.id)
            for each in summary.whole.stories
        ]

    assert told(by_days) == told(at_once)
    assert [each[0] for each in told(by_days)] == ["espresso", "cat", "dog"]
    assert [part.events for part in by_days.parts] == [3, 3, 3, 3, 3, 3, 0]
    assert at_once.parts == ()


def test_events_fold_by_what_is_displayed_not_by_what_the_model_said(past: Past) -> None:
    past.saw("tabby", TODAY_MS, p=0.9)
    past.saw("tabby", TODAY_MS + 1, p=0.4, group=Group("cat", 0.9))
    past.saw("siamese", TODAY_MS + 2, p=0.4, group=Group("cat", 0.9))
    past.correct(past.saw("siamese", TODAY_MS + 3), "Mia")

    assert counted(past.told()) == {"tabby": 1, "cat": 2, "Mia": 1}
    assert counted(past.told(Query(shown=frozenset({"CAT"})))) == {"cat": 2}
    assert counted(past.told(Query(label="tabby"))) == {"tabby": 1, "cat": 1}
    assert [event.id for event in past.store.find(Query(shown=frozenset({"Cat"}))).events] == ["e0003", "e0002"]


def test_what_people_call_by_one_name_is_one_story_however_fine_it_was_named(past: Past) -> None:
    past.saw("tabby cat", TODAY_MS - 2 * DAY_MS)
    past.saw("tabby cat", TODAY_MS, p=0.9)
    past.saw("Egyptian cat", TODAY_MS + 1, p=0.4, group=Group("cat", 0.9))
    past.saw("Siamese cat", TODAY_MS + 2, p=0.9)
    past.saw("mug", TODAY_MS + 3)

    told = {story.label: story for story in past.told().whole.stories}
    shown = told["cup"].event.shown
    assert {label: (story.events, story.newness) for label, story in told.items()} == {
        "cat": (3, None),
        "cup": (1, "first"),
    }
    assert (shown.kind, shown.label) == ("cup", "mug")
    assert counted(past.told(Query(shown=frozenset({"Cat"})))) == {"cat": 3}
    assert counted(past.told(Query(shown=frozenset({"siamese CAT"})))) == {"cat": 1}
    assert past.store.names_in_use() == (["cat", "cup"], [])


def test_the_picture_is_the_most_certain_one_that_there_is(past: Past) -> None:
    past.saw("cup", TODAY_MS, "frames/2026-01-01/a.jpg", peak=0.6)
    past.saw("cup", TODAY_MS + 1, "frames/2026-01-01/b.jpg", peak=0.8)
    past.saw("cup", TODAY_MS + 2, peak=0.99)
    past.saw("pen", TODAY_MS + 3, peak=0.5)
    past.saw("pen", TODAY_MS + 4, peak=0.7)

    assert {story.label: story.event.id for story in past.told().whole.stories} == {"cup": "e0002", "pen": "e0005"}


def test_first_times_and_rare_things_come_before_what_is_frequent(past: Past) -> None:
    for day in range(1, 30):
        past.saw("espresso", TODAY_MS - day * DAY_MS)
    for event in range(9):
        past.saw("fox", TODAY_MS - 12 * DAY_MS + event, "frames/2026-01-01/a.jpg")
    for second, label in enumerate(("espresso", "espresso", "fox", "hedgehog")):
        past.saw(label, TODAY_MS + second)
    summary = past.told()

    assert [(story.label, story.newness) for story in summary.whole.stories] == [
        ("hedgehog", "first"), ("fox", "rare"), ("espresso", None),
    ]  # fmt: skip
    assert newness(past.told(times=(TODAY_MS, TODAY_MS + 2))) == {"espresso": None}


@pytest.mark.parametrize(("days", "expected"), [((2, 3), "rare"), ((2, 3, 4), None), ((27, 35), "rare"), ((), "first")])
def test_rare_is_what_was_there_on_one_or_two_of_the_last_28_days(
    past: Past, days: tuple[int, ...], expected: str | None
) -> None:
    past.saw("cup", TODAY_MS - 39 * DAY_MS)
    for day in days:
        past.saw("fox", TODAY_MS - day * DAY_MS + 7_200_000)
        past.saw("fox", TODAY_MS - day * DAY_MS + 7_300_000)
    past.saw("fox", TODAY_MS)

    assert newness(past.told()) == {"fox": expected}


def test_nothing_is_new_on_the_first_day_nor_rare_in_the_first_week(past: Past) -> None:
    past.saw("cup", TODAY_MS - DAY_MS // 2)
    past.saw("hedgehog", TODAY_MS)
    on_the_first_day = newness(past.told())
    past.saw("cup", TODAY_MS - 2 * DAY_MS)
    past.saw("cat", TODAY_MS - DAY_MS)
    past.saw("cat", TODAY_MS + 1)

    assert on_the_first_day == {"hedgehog": None}
    assert newness(past.told()) == {"hedgehog": "first", "cat": None}


def test_a_clock_that_was_wrong_makes_the_history_no_older(past: Past) -> None:
    past.saw("cup", 0)
    past.saw("cup", TODAY_MS + 80 * 365 * DAY_MS)
    past.saw("hedgehog", TODAY_MS)
    summary = past.told()

    assert newness(summary) == {"hedgehog": None}
    assert (summary.oldest_ms, summary.earlier_ms) == (TODAY_MS, 0)
    assert summary.later_ms == TODAY_MS + 80 * 365 * DAY_MS


def test_what_has_another_name_now_is_one_story_and_not_new(past: Past) -> None:
    store = EventStore(past.store.folder, everyday_of=lambda name: {"tabby cat": "Mia"}.get(name, name))
    past.saw("cup", TODAY_MS - 39 * DAY_MS)
    for day in range(1, 5):
        past.saw("tabby cat", TODAY_MS - day * DAY_MS)
    past.saw("tabby cat", TODAY_MS)
    past.saw("Mia", TODAY_MS + 1)
    summary = store.summary(Query(), TODAY, 50)

    assert [(story.label, story.events, story.newness) for story in summary.whole.stories] == [("Mia", 2, None)]
    assert store.names_in_use()[0] == ["cup", "Mia"]


def test_problems_and_unknown_things_are_stories_of_their_kind(past: Past) -> None:
    past.saw("cup", TODAY_MS - 3 * DAY_MS)
    past.saw("unknown", TODAY_MS, kind="unknown")
    past.saw("too dark", TODAY_MS + 1, kind="problem")
    past.saw("unknown", TODAY_MS + 2)
    found = {(story.label, story.kind, story.newness) for story in past.told().whole.stories}

    assert found == {("unknown", "unknown", None), ("too dark", "problem", None), ("unknown", "seen", "first")}


def test_a_week_has_its_days_and_counts_what_is_left_out(past: Past) -> None:
    times = tuple(TODAY_MS + day * DAY_MS for day in range(8))
    for day in range(7):
        for thing in range(day):
            past.saw(f"thing {thing}", times[day] + thing)
    summary = past.told(times=times, limit=2)

    assert [part.things for part in summary.parts] == [0, 1, 2, 3, 4, 5, 6]
    assert [len(part.stories) for part in summary.parts] == [0, 1, 2, 2, 2, 2, 2]
    assert (summary.whole.events, summary.whole.things) == (21, 6)
    assert counted(summary) == {"thing 0": 6, "thing 1": 5}


@pytest.mark.parametrize(
    "query",
    [
        Query(),
        Query(zone="door"),
        Query(kind="unknown"),
        Query(min_p=0.9),
        Query(favourite=True),
        Query(corrected=True),
        Query(corrected=False),
        Query(text="CA"),
        Query(text="door"),
        Query(label="CAT"),
        Query(label="tabby cat", text="door", min_p=0.6),
        Query(shown=frozenset({"cat"}), zone="garden"),
        Query(label="nowhere"),
        Query(corrected=True, text="nowhere"),
        Query(favourite=True, text="ca", shown=frozenset({"nowhere"})),
        Query(favourite=True, label="nowhere"),
    ],
)
def test_stories_counts_and_list_agree_on_every_filter(made: tuple[EventStore, int], query: Query) -> None:
    store, begins_ms = made
    whole = store.summary(query, (begins_ms, begins_ms + 2 * DAY_MS), 200).whole
    stories = {(story.label, story.kind): story for story in whole.stories}
    listed: dict[tuple[str, str], list[StoredEvent]] = {}
    before = None
    while page := store.find(query, 500, before):
        for event in page.events:
            name = everyday_word(event.displayed)
            listed.setdefault((name, event.kind), []).append(event)
        if (before := page.next) is None:
            break

    assert {key: story.events for key, story in stories.items()} == {key: len(each) for key, each in listed.items()}
    assert all(_fits(story, listed[key]) for key, story in stories.items())
    assert sum(each.events for each in store.counts(query)) == whole.events


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[EventStore, int]:
    """A day of 400 events, and when it began at the latest."""
    folder = tmp_path_factory.mktemp("made")
    ends = (datetime.now() - timedelta(days=1)).replace(hour=23, minute=59)  # whenever this runs, a day is as long
    make_history(folder, a_day=400, now=ends)
    return EventStore(folder), int(ends.timestamp() * 1000) - DAY_MS - 3_600_000


def _fits(story: Story, events: list[StoredEvent]) -> bool:
    starts = [event.start_ms for event in events]
    return (story.first_ms, story.last_ms) == (min(starts), max(starts)) and story.event.id in {e.id for e in events}


def test_a_search_that_takes_too_long_is_given_up_with_a_sentence(
    made: tuple[EventStore, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, begins_ms = made
    monkeypatch.setattr(reading, "_READ_S", -1.0)
    monkeypatch.setattr(reading, "_STEPS", 10)

    with pytest.raises(VitcamError, match="search a shorter time"):
        store.summary(Query(), (begins_ms, begins_ms + DAY_MS), 50)
