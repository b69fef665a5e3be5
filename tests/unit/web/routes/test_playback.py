"""The playback of a slideshow in `/api/state`."""

import json
from concurrent.futures import ThreadPoolExecutor

from vitcam.sources.playback import Playback
from vitcam.web.requests.admission import Admission, Quota
from vitcam.web.requests.body import BodyLimits
from vitcam.web.routes.playback import PlaybackRoute


def test_a_file_name_that_is_not_utf_8_becomes_text_that_every_client_can_read() -> None:
    playback = Playback()
    playback.offer(2)
    playback.arrive(1, "photos/caf\udce9.jpg")
    with ThreadPoolExecutor(1) as executor:
        record = PlaybackRoute(
            playback, Admission(BodyLimits(100, 1, "the change"), Quota(1, 1, "changes"), executor)
        ).record()

    assert record is not None
    assert record["path"] == r"photos/caf\xe9.jpg"
    assert json.dumps(record, ensure_ascii=False).encode()
