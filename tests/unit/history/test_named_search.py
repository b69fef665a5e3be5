"""A search for a label finds the events of all of its names, each once, and counts them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.histories import change
from vitcam.frames import Group, SecondAnswer
from vitcam.history.query_text import read_query
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.names.wanted import WantedNames, own_names

SEEN = Vocabulary(
    ActiveNames(WantedNames("de", own_names({"tabby cat": "Mia"}))), lambda: (("tabby cat", "cup"), {"cat": (0,)})
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    store = EventStore(tmp_path, RetentionRules(0, 0))
    store.start()
    for event_id, label, group in (
        ("01A", "tabby cat", None),
        ("01B", "Mia", None),
        ("01C", "getigerte Katze", Group("Katze", 0.8)),
        ("01D", "cup", Group("cat", 0.8)),
        ("01E", "cup", None),
    ):
        store.put(change(event_id, "end", label, group=group))
    assert eventually(lambda: len(store.find(Query(), 10).events) == 5)
    yield store
    store.stop(5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mia", {"01A", "01B", "01C"}),
        ("Tabby cat", {"01A", "01B", "01C"}),
        ("CAT", {"01C", "01D"}),
        ("Katze", {"01C", "01D"}),
        ("Tasse", {"01D", "01E"}),
        ("no such", set()),
    ],
)
def test_a_label_is_found_by_any_of_its_names(store: EventStore, text: str, expected: set[str]) -> None:
    query = read_query({"label": text}, SEEN.names_of)
    found = [event.id for event in store.find(query, 10).events]

    assert set(found) == expected
    assert len(found) == len(expected)
    assert sum(each.events for each in store.counts(query)) == len(expected)


def test_without_other_names_only_the_name_itself_is_found(store: EventStore) -> None:
    assert [event.id for event in store.find(read_query({"label": "mia"}), 10).events] == ["01B"]


@pytest.mark.parametrize("how", ["label", "text"])
def test_what_a_second_model_said_is_found_too_and_each_event_once(tmp_path: Path, how: str) -> None:
    finch = SecondAnswer("goldfinch", 0.8, "birds")
    seconds = {"02A": finch, "02B": None, "02C": SecondAnswer(None, 0.2, "birds"), "02D": finch}
    store = EventStore(tmp_path, RetentionRules(0, 0))
    store.start()
    for event_id, second in seconds.items():
        store.put(change(event_id, "end", "goldfinch" if event_id == "02D" else "bird", second=second))
    assert eventually(lambda: len(store.find(Query(), 10).events) == len(seconds))
    query = read_query({how: "Goldfinch"})
    found = [event.id for event in store.find(query, 10).events]
    counted = sum(each.events for each in store.counts(query))
    store.stop(5)

    assert sorted(found) == ["02A", "02D"]
    assert counted == 2
