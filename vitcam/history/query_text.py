"""A query as texts, as the HTTP interface and the command line take it."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta

from vitcam.errors import UsageError
from vitcam.history.stored import KINDS, Kind, Query
from vitcam.text import probability_in

FILTERS = ("since", "until", "label", "shown", "zone", "min_p", "kind", "favourite", "corrected", "text")
"""The names that `read_query` knows."""
_LONGEST = 200
_DAYS_AGO = {"today": 0, "yesterday": 1}
_AGO = re.compile(r"(\d{1,6}) ?(min|h|d)")
_MS = {"min": 60_000, "h": 3_600_000, "d": 86_400_000}
_FLAGS = {"1": True, "true": True, "0": False, "false": False}


def as_written(text: str) -> tuple[str, ...]:
    """Default of `names_of`: a label has no other name."""
    return (text,)


def read_query(given: Mapping[str, str], names_of: Callable[[str], tuple[str, ...]] = as_written) -> Query:
    """The query that the filters in `given` make; other names are ignored. Raises UsageError.

    names_of  gives every name of a label or a group
    """
    texts = {name: given[name] for name in FILTERS if given.get(name)}
    for name, text in texts.items():
        if len(text) > _LONGEST:
            raise UsageError(f"{name} is longer than {_LONGEST} characters; use a part of it")
    kind = texts.get("kind")
    return Query(
        since_ms=read_time("since", texts["since"]) if "since" in texts else None,
        until_ms=read_time("until", texts["until"]) if "until" in texts else None,
        label=texts.get("label"),
        also=frozenset(names_of(texts["label"])) - {texts["label"]} if "label" in texts else frozenset(),
        shown=frozenset((texts["shown"], *names_of(texts["shown"]))) if "shown" in texts else frozenset(),
        zone=texts.get("zone"),
        min_p=_probability(texts),
        kind=None if kind is None else _kind(kind),
        favourite=_flag(texts, "favourite"),
        corrected=_flag(texts, "corrected"),
        text=texts.get("text", ""),
    )


def read_time(name: str, text: str) -> int:
    """In ms since the epoch. A time without an offset is one of this machine. Raises UsageError, which says `name`.

    text  ISO 8601; `today` or `yesterday`: the midnight that this day began with; `90min`, `12h` or `3d`: so long ago
    """
    try:
        if text in _DAYS_AGO:
            day = date.today() - timedelta(days=_DAYS_AGO[text])
            return int(datetime.combine(day, time()).timestamp() * 1000)
        if ago := _AGO.fullmatch(text):
            return int(datetime.now().timestamp() * 1000) - int(ago[1]) * _MS[ago[2]]
        return int(datetime.fromisoformat(text.replace(" ", "T") if "T" not in text else text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f"{name} is {text[:40]!r}; it must be a time such as 2026-01-31, 2026-01-31T22:00 or "
            "2026-01-31T21:00:00Z, or yesterday, today, 90min, 12h or 3d"
        ) from error


def _probability(texts: Mapping[str, str]) -> float:
    text = texts.get("min_p", "0")
    if (p := probability_in(text)) is None:
        raise UsageError(f"min_p is {text[:40]!r}; it must be a number from 0 to 1")
    return p


def _kind(text: str) -> Kind:
    for kind in KINDS:
        if text == kind:
            return kind
    raise UsageError(f"kind is {text[:40]!r}; it must be {', '.join(KINDS[:-1])} or {KINDS[-1]}")


def _flag(texts: Mapping[str, str], name: str) -> bool | None:
    text = texts.get(name)
    if text is not None and text not in _FLAGS:
        raise UsageError(f"{name} is {text[:40]!r}; it must be 1 or 0")
    return None if text is None else _FLAGS[text]
