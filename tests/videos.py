"""Video files made by OpenCV's writer."""

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.pictures.opencv import prepare_capture


def write_video(path: Path, pictures: Iterable[NDArray[np.uint8]], codec: str = "mp4v", fps: int = 30) -> Path:
    """Write pictures ((H, W, 3) uint8, BGR, all of one size).

    OpenCV reads FFmpeg's log level once in a process, also for a writer. So it is set first, or every video that a
    later test reads would print FFmpeg's messages.
    """
    prepare_capture()
    first, *others = pictures
    height, width, _ = first.shape
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, (width, height))
    for bgr in (first, *others):
        writer.write(bgr)
    writer.release()
    return path
