"""Video files made by OpenCV's writer, and by PyAV where a film needs what that cannot write."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import av
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


def encode_film(
    path: Path,
    pictures: Iterable[NDArray[np.uint8]],
    *,
    codec: str = "libx264",
    fps: int = 10,
    matrix: Sequence[int] | None = None,
    pixel_aspect: Fraction = Fraction(1),
    times: Sequence[float] | None = None,
    gop: int = 12,
    options: dict[str, str] | None = None,
) -> Path:
    """Write pictures ((H, W, 3) uint8, RGB) in the container of the path's ending.

    matrix        display matrix, nine numbers
    pixel_aspect  width of a pixel by its height
    times         of each picture, in s; None: by `fps`
    gop           most frames from one key frame to the next
    options       of the container's writer
    """
    first, *others = pictures
    with av.open(str(path), "w", options=options) as container:
        stream = container.add_stream(codec, rate=fps)
        assert isinstance(stream, av.VideoStream)
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        tick = Fraction(1, fps if times is None else 1000)
        stream.time_base = stream.codec_context.time_base = tick
        if matrix is not None:
            stream.set_display_matrix(matrix)
        stream.gop_size = gop
        stream.height, stream.width = first.shape[:2]
        stream.codec_context.sample_aspect_ratio = pixel_aspect
        for number, rgb in enumerate((first, *others)):
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            frame.pts = number if times is None else round(1000 * times[number])
            frame.time_base = tick
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path
