"""The picture of an event that the history keeps, as a replay takes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.eventually import eventually
from tests.unit.history.test_boxes import BOX, keep, shown
from tests.unit.history.test_shared_pictures import JPEG, found, written_before
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.parts.replay.stored_picture import stored_picture
from vitcam.rects import Rect


@contextmanager
def history(folder: Path) -> Iterator[EventStore]:
    store = EventStore(folder, RetentionRules(keep_days=0))
    store.start()
    yield store
    store.stop(10)


def test_a_replay_knows_that_a_picture_is_shared_and_has_the_guesses_of_that_picture(tmp_path: Path) -> None:
    written_before(tmp_path)
    with history(tmp_path) as store:
        assert eventually(lambda: store.state().events == 4)
        replayed, record = stored_picture(store, "b")

        assert (replayed.frame_of, record["frame_of"]) == ("a", "a")
        assert replayed.top == found(store, "a").summary.top
        assert replayed.jpeg == JPEG


def test_a_replay_takes_the_picture_of_the_box_as_it_is_kept(tmp_path: Path) -> None:
    with history(tmp_path) as store:
        keep(store, "a", shown("lying"))
        kept, record = stored_picture(store, "a")

    assert (kept.jpeg, kept.crop, kept.box) == (shown("lying"), Rect(0, 0, 96, 96), str(BOX))
    assert record["box"] == str(BOX)
