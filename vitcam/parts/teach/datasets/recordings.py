"""Pictures of one recording look alike: what they are called, `RECORDING-NUMBER.jpg`, says which belong together."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import PurePath

TOGETHER = timedelta(minutes=5)
"""Photos that were taken within this time of the first one show the same thing in the same place."""
_RECORDING = re.compile(r"(?P<recording>.*\d{6}.*)-\d+")
"""`20260102T030405-007.jpg`: picture 7 of the recording of that time."""
_OF_A_FILE = re.compile(r"\w[\w.-]{0,80}")
_SHOT = "%Y%m%dT%H%M%S"
_BROUGHT = re.compile(r"\d{8}T\d{9}s(?P<shot>\d{8}T\d{6})")
_MOST_DIGITS = 6
_LONGEST = 88  # letters of a recording, so that its pictures can have their names


def recording_of(name: str) -> str:
    """The recording in the name of a picture, `RECORDING-NUMBER.jpg`; empty where there is none.

    A recording has six digits in a row, as a time has.
    """
    found = _RECORDING.fullmatch(PurePath(name).stem)
    return found["recording"] if found else ""


def new_recording(now: datetime) -> str:
    """The name of a recording that begins now: two may begin within a second."""
    return now.strftime("%Y%m%dT%H%M%S%f")[:-3]


def name_for(there: Sequence[str], taken: datetime | None, called: str, now: datetime) -> str:
    """A name for a photo that somebody brings, which none of the pictures there has.

    Photos that were taken within five minutes are one recording. Without a time, the name of the file may say of which
    recording it is; else the photo was taken by itself. What is brought later comes later by name.

    there   the pictures of its label
    taken   when it was taken; None: nobody knows
    called  the name of its file
    """
    if taken is not None:
        recording = _recording_at(there, taken) or f"{new_recording(now)}s{taken.strftime(_SHOT)}"
    else:
        recording = recording_of(called)
        if not _OF_A_FILE.fullmatch(recording):
            recording = _free_recording(there, now)
    numbers = [int(number) for each in there if (number := _number_in(each, recording))]
    return f"{recording}-{max(numbers, default=0) + 1:03}.jpg"


def free_name(there: Sequence[str], picture: str) -> str:
    """A name for a picture of a label that gets another one: of the same recording, and none of the pictures there
    has it. Its recording is the part before the last hyphen, or all of its name.
    """
    recording = (recording_of(picture) or PurePath(picture).stem)[:_LONGEST]
    numbers = [int(number) for each in there if (number := _number_in(each, recording))]
    return f"{recording}-{max(numbers, default=0) + 1:03}.jpg"


def _recording_at(there: Sequence[str], taken: datetime) -> str:
    for each in there:
        recording = recording_of(each)
        found = _BROUGHT.fullmatch(recording)
        shot = _time(found["shot"]) if found else None
        if shot is not None and abs(shot - taken) <= TOGETHER:
            return recording
    return ""


def _time(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _SHOT)
    except ValueError:
        return None


def _free_recording(there: Sequence[str], now: datetime) -> str:
    used = {recording_of(each) for each in there}
    while (name := new_recording(now)) in used:
        now += timedelta(milliseconds=1)
    return name


def _number_in(picture: str, recording: str) -> str:
    """The number of a picture of this recording; empty if it is of another one."""
    before, _, number = picture.removesuffix(".jpg").rpartition("-")
    return number if before == recording and number.isdecimal() and len(number) <= _MOST_DIGITS else ""
