"""Times as people write them: durations such as 3s, 500ms or 2m, and spans of the day such as 22:00-06:00."""

import re

DURATION_WORDS = "a time from 50ms to 24h, such as 3s, 0.5s, 500ms or 2m"

SPAN_WORDS = "two times of the day such as 22:00-06:00"

_FORM = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s|m|h)?")
_SPAN = re.compile(r"\s*([01]?\d|2[0-3]):([0-5]\d)\s*-\s*([01]?\d|2[0-3]):([0-5]\d)\s*")
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


def minutes_of(text: str) -> tuple[int, int]:
    """A span of the day: minutes since midnight of its begin and of its end, which may lie on the next day.

    raises  ValueError for any other text, and for an empty span
    """
    found = _SPAN.fullmatch(text)
    if not found or (begin := 60 * int(found[1]) + int(found[2])) == (end := 60 * int(found[3]) + int(found[4])):
        raise ValueError(f"{text!r} is not {SPAN_WORDS}")
    return begin, end


def is_span_of_day(text: str) -> bool:
    """Whether `minutes_of` takes it."""
    try:
        minutes_of(text)
    except ValueError:
        return False
    return True
