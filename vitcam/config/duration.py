"""Durations as people write them: 3s, 500ms, 2m."""

import re

DURATION_WORDS = "a time from 50ms to 24h, such as 3s, 0.5s, 500ms or 2m"

_FORM = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h)?")
_SECONDS = {"ms": 0.001, "s": 1.0, None: 1.0, "m": 60.0, "h": 3600.0}
_LEAST_S, _MOST_S = 0.05, 24 * 3600.0


def seconds_of(text: str) -> float:
    """A duration in s; a number without a unit is seconds. Raises ValueError for any other text."""
    found = _FORM.fullmatch(text.strip())
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if not _LEAST_S <= seconds <= _MOST_S:
        raise ValueError(f"{text!r} is not {DURATION_WORDS}")
    return seconds


def is_duration(text: str) -> bool:
    """Whether `seconds_of` takes it."""
    try:
        seconds_of(text)
    except ValueError:
        return False
    return True
