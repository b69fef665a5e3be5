"""Puts the parts of clips together: what keeps pictures, what encodes them, and the store that names the files."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vitcam.clips.ffmpeg import find_ffmpeg
from vitcam.clips.options import ClipOptions
from vitcam.clips.queue import ClipQueue, ClipStore, remove_leftovers
from vitcam.clips.recorder import ClipWitness
from vitcam.errors import VitcamError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Clips:
    """The two ends of a run's clips."""

    witness: ClipWitness
    queue: ClipQueue


def build_clips(options: ClipOptions, state: Path, store: ClipStore, has_clip: Callable[[str], bool]) -> Clips | None:
    """The parts of clips; None where ffmpeg is missing, which is logged. Nothing runs yet.

    state     the state folder
    has_clip  whether a stored event with this id names a clip; what no event names is removed
    """
    try:
        ffmpeg = find_ffmpeg()
    except VitcamError as error:
        log.warning("no clips are recorded: %s", error)
        return None
    remove_leftovers(state, has_clip)
    queue = ClipQueue(ffmpeg, state, options.fps, store)
    return Clips(ClipWitness(options, queue.put, queue.leave_out), queue)
