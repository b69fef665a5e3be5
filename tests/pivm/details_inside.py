"""What the real picamera2 captures, cut and whole: run by `run_inside.py` in a process for each camera.

`python -m tests.pivm.details_inside NUMBER` prints what it found as JSON.
"""

import json
import sys
from typing import Any

import cv2
import numpy as np

from vitcam.pictures.view import UPRIGHT
from vitcam.rects import Rect
from vitcam.sources.picamera.copying import Copying
from vitcam.sources.picamera.details import parts_of
from vitcam.sources.picamera.larger import configure_for_boxes
from vitcam.sources.picamera.messages import CameraConfig, Ready
from vitcam.sources.picamera.streams import Streams, buffers_size

CONFIG = CameraConfig(0, 320, 240, 15, None, follow=True)
RECTS = [Rect(0, 0, 40, 40), Rect(101, 57, 61, 63), Rect(279, 199, 41, 41)]
ROOM = 3 * 320 * 240


def compare(camera: Any, streams: Streams) -> dict[str, object]:
    """How much each detail of one frame differs from the same place of all of it."""
    from picamera2 import MappedArray

    if streams.large is None:
        return {"following": streams.following}
    ready = Ready(240, 320, room=ROOM)
    buffer = np.zeros(ready.buffer_size, np.uint8)
    camera.start()
    request = camera.capture_request(wait=60)
    cuts = Copying(streams, CONFIG, ready, UPRIGHT).copy(request, buffer, RECTS)
    with MappedArray(request, streams.large.name, write=False) as mapped:
        whole = cv2.cvtColor(np.ascontiguousarray(mapped.array), cv2.COLOR_YUV2RGB_I420)
    request.release()
    apart = []
    parts = parts_of(RECTS, streams.preview, streams.large, ROOM)
    for part, detail in zip(parts, ready.details(buffer, cuts), strict=True):
        x, y = part.inside.x, part.inside.y
        there = whole[y : y + part.inside.height, x : x + part.inside.width]
        apart.append(int(np.abs(there.astype(int) - detail).max()))
    preview, _ = ready.pictures(buffer)
    small = cv2.resize(whole, (320, 240), interpolation=cv2.INTER_AREA)
    return {
        "following": streams.following,
        "preview": [streams.preview.width, streams.preview.height],
        "apart": apart,
        "levels": int(whole.max()) - int(whole.min()),
        "preview_apart": float(np.abs(small.astype(int) - preview).mean()),
        "bytes": buffers_size(camera),
    }


def main(number: int) -> int:
    from libcamera import ColorSpace, Transform
    from picamera2 import Picamera2

    camera = Picamera2(number)
    streams = configure_for_boxes(camera, CONFIG, ColorSpace.Smpte170m(), Transform())
    print(json.dumps(compare(camera, streams)))
    camera.stop()
    camera.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
