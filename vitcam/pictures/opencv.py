"""OpenCV's global settings: messages, threads, and the options of captures."""

import os

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
