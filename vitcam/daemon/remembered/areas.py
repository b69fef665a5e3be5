"""The zones and masks that were drawn on the page, kept from one start to the next: for each camera, as crops are."""

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vitcam.config.settings import Settings
from vitcam.daemon.from_settings import masks_of, zones_of
from vitcam.errors import UsageError
from vitcam.folders import state_folder
from vitcam.redaction import redacted
from vitcam.sources import is_camera
from vitcam.storage.kept import KeptFile
from vitcam.zones.active import ActiveAreas
from vitcam.zones.areas import NO_AREAS, Areas
from vitcam.zones.record import areas_record, own_sides, read_areas

log = logging.getLogger(__name__)

_MOST = 32  # cameras; the oldest is deleted


class SavedAreas:
    """The saved zones and masks of one camera. A disk that cannot be written loses them, and nothing else.

    configured  which of the two the configuration sets, in words; "" if none
    """

    def __init__(self, folder: Path | None, source: str, configured: str = "") -> None:
        self._file = KeptFile(folder / "zones.json") if folder else None
        self._source = source
        self._configured = configured

    def load(self) -> Areas:
        """None of either where nothing was drawn, or what is there cannot be read."""
        record = self._records().get(self._source)
        return NO_AREAS if record is None else read_areas(record, in_px=True)

    def save(self, areas: Areas) -> str:
        """Save them; returns why they will not be in force at the next start, "" if they will."""
        records = {source: record for source, record in self._records().items() if source != self._source}
        if areas != NO_AREAS:
            records[self._source] = areas_record(areas, own_sides)
        if self._file is None:
            return "there is no folder to keep them in"
        try:
            self._file.write(json.dumps(dict(list(records.items())[-_MOST:]), indent=1))
        except OSError as error:
            return f"{self._file.path} cannot be written: {error.strerror}"
        return f"{self._configured} are set by the configuration" if self._configured else ""

    def _records(self) -> dict[str, Any]:
        """Camera -> zones and masks, the newest last."""
        return (self._file.read_if_good(_parsed) if self._file else None) or {}


def _parsed(text: str) -> dict[str, Any]:
    """Raises ValueError if it is not what `save` wrote."""
    records = json.loads(text)
    if not isinstance(records, dict):
        raise ValueError("it does not hold zones and masks for each camera")
    try:
        for record in records.values():
            read_areas(record, in_px=True)
    except UsageError as error:
        raise ValueError(str(error)) from None
    return records


def initial_areas(settings: Settings, environ: Mapping[str, str]) -> ActiveAreas:
    """Zones and masks at the start: as the configuration says, else as they were drawn on the page last."""
    zones, masks = zones_of(settings), masks_of(settings)
    source = settings.camera.source
    configured = Areas(zones, masks)
    if not is_camera(source):
        return ActiveAreas(configured, lambda _: "zones and masks are kept for cameras only; use the configuration")
    words = " and ".join(word for word, found in (("zones", zones), ("masks", masks)) if found)
    saved = SavedAreas(state_folder(environ), redacted(source) or "auto", words)
    drawn = saved.load()
    if zones:
        drawn = replace(drawn, zones=zones)
    if masks:
        drawn = replace(drawn, masks=masks)
    if drawn == configured:
        return ActiveAreas(configured, saved.save)
    log.info(
        "%d zones and %d masks are in force, some of them as drawn on the page in an earlier run; change them there",
        len(drawn.zones),
        len(drawn.masks),
    )
    return ActiveAreas(drawn, saved.save, "page")
