"""Follows what moves in stored frames; runs in the guest of `tests.bench.follow`. NumPy and OpenCV, no more.

python follow_guest.py FRAMES.npy

One thread. One frame is taken between the marks that insn.c counts between, after those with which a scene is learned.
"""

import contextlib
import os
import sys

import cv2
import numpy as np

from vitcam.frames import Frame
from vitcam.look.areas import NO_AREAS
from vitcam.look.follower import Follower
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

BEGIN, END = 0x7EA0000, 0x7EA0001  # as in insn.c
_LEARNED = 45


def main(path: str) -> None:
    """Learn, mark, take, mark."""
    cv2.setNumThreads(1)
    pictures = np.load(path)
    follows = Follower("motion", InputSpec(224, 224, "crop"))
    for seq in range(_LEARNED + 1):
        picture = pictures[seq % len(pictures)]
        frame = Frame(picture, None, Rect(280, 0, 720, 720), seq, round(seq / 30 * 1e9), "bench")
        if seq == _LEARNED:
            _mark(BEGIN)
        follows.take(frame, NO_AREAS)
    _mark(END)


def _mark(which: int) -> None:
    """A system call that does nothing: no process group has that number."""
    with contextlib.suppress(OSError):
        os.getpgid(which)


if __name__ == "__main__":
    main(sys.argv[1])
