"""What starts were made without, as `set_aside.json` keeps it. What cannot be read of it stays there as it was."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vitcam.errors import UsageError
from vitcam.look.areas import Areas, Zone
from vitcam.look.record import areas_record, own_sides, read_areas
from vitcam.pictures.view import Region
from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)

_EVERY_CAMERA = "*"
"""In place of a camera, none of which can be called so: settings that were set on the page are those of all."""


@dataclass(frozen=True, slots=True)
class PageChoices:
    """What earlier runs of one camera left for the next."""

    crop: Region | None = None
    zones: tuple[Zone, ...] = ()
    model: str = ""
    """File of the model whose words were changed, in place of the one that was installed."""
    chosen: str = ""
    """The model that was chosen in place of the configuration's."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """`section.key` -> value, as set on the page."""

    @property
    def names(self) -> list[str]:
        """What there is, in words."""
        each = (("crop", self.crop), ("zones", self.zones), ("words", self.model), ("model", self.chosen))
        return [word for word, found in (*each, ("settings", self.settings)) if found]


class AsideFile:
    """The part of the file that belongs to one camera, and the part that belongs to all.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None, source: str) -> None:
        self._file = StateFile(folder / "set_aside.json") if folder else None
        self._source = source

    def load(self) -> tuple[PageChoices, str]:
        """What is aside, and why."""
        records = self._records()
        found, reason = _read_own(records.get(self._source))
        settings, why = _read_common(records.get(_EVERY_CAMERA))
        return replace(found, settings=settings), reason or why

    def save(self, found: PageChoices, reason: str) -> None:
        """Keep it in place of what was. Raises UsageError."""
        if self._file is None:
            return
        records = self._records()
        common = {"settings": dict(found.settings), "reason": reason}
        nothing = {"settings": {}, "reason": ""}
        before, (settings, why) = records.get(_EVERY_CAMERA), _read_common(records.get(_EVERY_CAMERA))
        read = {"settings": settings, "reason": why}
        _put(records, _EVERY_CAMERA, common if found.settings else nothing, nothing, _unread(before, read, nothing))
        before, empty = records.get(self._source), _own_record(PageChoices(), "")
        unread = _unread(before, _own_record(*_read_own(before)), empty)
        _put(records, self._source, _own_record(found, reason) if found.names else empty, empty, unread)
        try:
            self._file.write(json.dumps(records, indent=1))
        except OSError as error:
            raise UsageError(f"{self._file.path} cannot be written: {error.strerror}") from None

    def _records(self) -> dict[str, Any]:
        return (self._file.read_if_good(_parsed) if self._file else None) or {}


def _parsed(text: str) -> dict[str, Any]:
    """Raises ValueError if it is damaged."""
    records = json.loads(text)
    if not isinstance(records, dict):
        raise ValueError("it holds no table")
    return records


def _put(
    records: dict[str, Any], key: str, record: dict[str, Any], empty: dict[str, Any], unread: Mapping[str, Any]
) -> None:
    """A record with what cannot be read of the one before, where it says nothing else; none where that is all empty."""
    whole = record | {each: value for each, value in unread.items() if record.get(each) == empty.get(each)}
    if whole != empty:
        records[key] = whole
    elif isinstance(records.get(key), dict):
        del records[key]


def _unread(before: Any, read: Mapping[str, Any], empty: Mapping[str, Any]) -> dict[str, Any]:
    """What of a record cannot be read."""
    if not isinstance(before, dict):
        return {}
    return {key: value for key, value in before.items() if key not in read or read[key] == empty[key] != value}


def _own_record(found: PageChoices, reason: str) -> dict[str, Any]:
    return {
        "crop": None if found.crop is None else own_sides(found.crop),
        "areas": areas_record(Areas(found.zones), own_sides),
        "model": found.model,
        "chosen": found.chosen,
        "reason": reason,
    }


def _read_own(record: Any) -> tuple[PageChoices, str]:
    if not isinstance(record, dict):
        return PageChoices(), ""
    model, chosen, reason = (_text(record.get(key)) for key in ("model", "chosen", "reason"))
    return PageChoices(_crop_in(record.get("crop")), _zones_in(record.get("areas")), model, chosen), reason


def _read_common(record: Any) -> tuple[dict[str, Any], str]:
    settings = record.get("settings") if isinstance(record, dict) else None
    return (settings, _text(record.get("reason"))) if isinstance(settings, dict) else ({}, "")


def _text(value: object) -> str:
    return value if isinstance(value, str) and value.isprintable() else ""


def _crop_in(record: Any) -> Region | None:
    """None where there is none, or it is damaged."""
    try:
        return None if record is None else Region(*map(float, record))
    except (TypeError, ValueError, OverflowError, UsageError) as error:
        log.warning("the crop that was set aside is damaged (%s) and is left out", error)
        return None


def _zones_in(record: Any) -> tuple[Zone, ...]:
    """None where there are none, or they are damaged."""
    try:
        return read_areas(record, in_px=True).zones
    except UsageError as error:
        log.warning("the zones that were set aside are damaged (%s) and are left out", error)
        return ()
