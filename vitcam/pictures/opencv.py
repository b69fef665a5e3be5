"""OpenCV's global settings: messages, threads, and the options of captures."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import cv2

SELECT_TIMEOUT_S = 2  # a camera in the dark may need a second for one picture


def quiet_opencv() -> None:
    """Stop OpenCV's own messages, since its callers report errors. OPENCV_LOG_LEVEL stays in force."""
    if "OPENCV_LOG_LEVEL" not in os.environ:
        switch = getattr(cv2.utils, "logging", cv2)  # OpenCV 5 has moved it
        switch.setLogLevel(0)


def use_one_thread() -> None:
    """Switch off OpenCV's threads: they spin while they wait for work, on the cores that the model needs.

    With two threads, overlay and JPEG of a 640×360 picture take twice the CPU time (3.6 instead of 1.6 ms) and no less
    wall time.
    """
    cv2.setNumThreads(1)


def prepare_capture() -> None:
    """Call before a capture is opened: OpenCV reads the environment once, at its first capture.

    If a V4L2 device gives no picture, `read` fails after 2 s instead of 10 (`CAP_PROP_READ_TIMEOUT_MSEC` is refused
    by that backend). FFmpeg is silenced, too (-8 is AV_LOG_QUIET). What the user has set stays in force.
    """
    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", str(SELECT_TIMEOUT_S))
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    quiet_opencv()


@contextmanager
def stream_options() -> Iterator[None]:
    """FFmpeg's options while a network stream is opened.

    TCP, since a lost UDP packet damages the picture for seconds; and no buffering of frames to guess their rate. OpenCV
    4.11 ignores these options, and tries TCP first anyway.
    """
    name = "OPENCV_FFMPEG_CAPTURE_OPTIONS"
    if name in os.environ:  # the user's own
        yield
        return
    os.environ[name] = "rtsp_transport;tcp|fflags;nobuffer|fpsprobesize;0"
    try:
        yield
    finally:
        del os.environ[name]
