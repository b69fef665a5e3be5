"""What alerts ask the history for."""

import threading
from functools import partial
from pathlib import Path

from tests.eventually import eventually
from tests.frames import frame
from tests.histories import change
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.parts.alerts.stored_events import StoredEvents
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(frame().preview, 80)


def test_masks_wait_for_the_picture_of_an_event_that_is_being_sent(tmp_path: Path) -> None:
    store = EventStore(tmp_path, RetentionRules())
    store.start()
    store.put(change("lasts", "new", label="cat", jpeg=JPEG))
    store._queue.flush()
    assert eventually(partial(store.get, "lasts"))
    with StoredEvents(store).picture("lasts") as before:
        drawn = threading.Thread(target=store.drop_pixels)
        drawn.start()
        drawn.join(0.3)
        waited = drawn.is_alive()
    drawn.join(20)
    with StoredEvents(store).picture("lasts") as after:
        pass
    store.stop(10)

    assert before
    assert waited
    assert not drawn.is_alive()
    assert after is None
