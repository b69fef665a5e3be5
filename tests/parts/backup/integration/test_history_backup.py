"""`vitcam backup` and `vitcam restore` carry the history, also while it is written to."""

from pathlib import Path

import pytest

from tests.command import vitcam
from tests.eventually import eventually
from tests.frames import picture
from tests.histories import change, is_sound
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)


@pytest.mark.smoke
def test_events_and_pictures_come_back_from_a_backup_of_an_open_history(tmp_path: Path) -> None:
    store = EventStore(tmp_path / "one" / "vitcam", RetentionRules())
    store.start()
    for number in range(20):
        store.put(change(f"event-{number:02}", "end", jpeg=JPEG))
    assert eventually(lambda: len(store.find(Query()).events) == 20)
    saved = vitcam("backup", str(tmp_path / "saved.tar.gz"), XDG_STATE_HOME=str(tmp_path / "one"))
    store.stop(10)
    restored = vitcam("restore", str(tmp_path / "saved.tar.gz"), XDG_STATE_HOME=str(tmp_path / "two"))
    other = EventStore(tmp_path / "two" / "vitcam", RetentionRules())

    assert (saved.code, restored.code) == (0, 0), saved.err + restored.err
    events = other.find(Query()).events
    assert len(events) == 20
    assert {other.picture(event) for event in events} == {JPEG}
    other.start()
    other.put(change("new", "new", jpeg=JPEG))
    assert eventually(lambda: other.get("new"))
    other.stop(10)
    assert is_sound(other.folder)
