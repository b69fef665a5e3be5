"""The playback of a slideshow in `/api/state`."""

import json

from vitcam.sources.playback import Playback
from vitcam.web.routes.playback import playback_record


def test_a_file_name_that_is_not_utf_8_becomes_text_that_every_client_can_read() -> None:
    playback = Playback()
    playback.offer(2)
    playback.arrive(1, "photos/caf\udce9.jpg")
    record = playback_record(playback)

    assert record is not None
    assert record["path"] == r"photos/caf\xe9.jpg"
    assert json.dumps(record, ensure_ascii=False).encode()
