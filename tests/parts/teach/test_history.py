"""What the camera saw before, beside what is taught."""

from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.histories import change
from tests.parts.teach.test_teach import BASE, pictures
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.model.classifier import Classifier
from vitcam.parts.teach.history import seen_before, unlike
from vitcam.parts.teach.photos import Looker
from vitcam.pictures.encode import encode_jpeg


@pytest.fixture(scope="module")
def looker() -> Looker:
    return Looker(Classifier(BASE, threads=1))


def test_pictures_of_events_are_looked_at_but_for_those_of_a_taught_label(tmp_path: Path, looker: Looker) -> None:
    red, blue = (encode_jpeg(pictures(label)[0], 90) for label in ("red cross", "blue circle"))
    store = EventStore(tmp_path)
    store.start()
    for event_id, label, jpeg in (
        ("a", "cup", red),
        ("b", "Goldfish", blue),
        ("c", "cup", b"damaged"),
        ("d", "cup", None),
    ):
        store.put(change(event_id, "end", label, jpeg))
    assert eventually(lambda: len(store.find(Query()).events) == 4)
    store.stop(10)
    every, others = (seen_before(tmp_path, labels, looker) for labels in ((), ("goldfish",)))

    assert (len(every), len(others)) == (2, 1)
    assert seen_before(tmp_path / "none", (), looker) == []
    assert unlike(every, others) == [each for each in every if each.best_label != others[0].best_label]
