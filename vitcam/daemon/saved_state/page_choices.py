"""The zones and masks that were drawn on the page, kept from one start to the next: for each camera, as crops are."""

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from vitcam.config.settings import Settings
from vitcam.daemon.part_options import masks_of, zones_of
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import UsageError
from vitcam.folders import state_folder
from vitcam.pictures.view import Region
from vitcam.redaction import redacted
from vitcam.sources import is_camera
from vitcam.storage.state_file import StateFile
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
        self._file = StateFile(folder / "zones.json") if folder else None
        self._source = source
        self._configured = configured

    def load(self) -> tuple[Areas, str]:
        """What was drawn; none of either where nothing was. Zones that cannot be read are left out.

        returns  the zones and masks, and why nobody knows the masks, as one sentence; empty if they are known
        """
        if self._file is None:
            return NO_AREAS, ""
        try:
            record = (self._file.read(self._parsed) or {}).get(self._source)
        except OSError as error:
            if not os.access(self._file.path.parent, os.X_OK) or not self._file.path.parent.is_dir():
                return NO_AREAS, ""  # this user has never kept anything there
            return NO_AREAS, self._unknown(error.strerror or type(error).__name__)
        except ValueError as error:
            return NO_AREAS, self._unknown(f"damaged: {error}")
        if record is None:
            return NO_AREAS, ""
        masks = _masks_of(record)
        try:
            return replace(read_areas({**record, "masks": []}, in_px=True), masks=masks), ""
        except UsageError as error:
            log.warning("%s: the zones are left out: %s", self._file.path, error)
            return Areas(masks=masks), ""

    def _unknown(self, reason: str) -> str:
        path = self._file.path if self._file else ""
        return (
            f"{path} cannot be read ({reason}), and the privacy masks are in it, so no picture is shown; "
            "send the masks again with PUT /api/zones, set camera.masks, or delete the file if there are none"
        )

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
        return (self._file.read_if_good(_records_in) if self._file else None) or {}

    def _parsed(self, text: str) -> dict[str, Any]:
        """Raises ValueError if the masks of this camera are not as `save` wrote them."""
        records = _records_in(text)
        if self._source in records:
            _masks_of(records[self._source])
        return records


def _records_in(text: str) -> dict[str, Any]:
    """Raises ValueError if it is not what `save` wrote."""
    records = json.loads(text)
    if not isinstance(records, dict) or not all(isinstance(record, dict) for record in records.values()):
        raise ValueError("it does not hold zones and masks for each camera")
    return records


def _masks_of(record: dict[str, Any]) -> tuple[Region, ...]:
    """Raises ValueError."""
    try:
        return read_areas({"zones": {}, "masks": record.get("masks")}, in_px=True).masks
    except UsageError as error:
        raise ValueError(str(error)) from None


def initial_areas(settings: Settings, environ: Mapping[str, str], trials: Trials | None = None) -> ActiveAreas:
    """Zones and masks at the start: as the configuration says, else as they were drawn on the page last.

    trials  keep zones once they have worked; None: at once
    """
    zones, masks = zones_of(settings), masks_of(settings)
    source = settings.camera.source
    configured = Areas(zones, masks)
    if not is_camera(source):
        return ActiveAreas(configured, lambda _: "zones and masks are kept for cameras only; use the configuration")
    words = " and ".join(word for word, found in (("zones", zones), ("masks", masks)) if found)
    saved = SavedAreas(state_folder(environ), redacted(source) or "auto", words)
    save = partial(_keep, saved, trials)
    drawn, unknown = saved.load()
    if zones:
        drawn = replace(drawn, zones=zones)
    if masks:
        drawn, unknown = replace(drawn, masks=masks), ""
    if drawn == configured:
        return ActiveAreas(configured, save, unknown=unknown)
    log.info(
        "%d zones and %d masks are in force, some of them as drawn on the page in an earlier run; change them there",
        len(drawn.zones),
        len(drawn.masks),
    )
    return ActiveAreas(drawn, save, "page", unknown)


def _keep(saved: SavedAreas, trials: Trials | None, areas: Areas) -> str:
    """As `SavedAreas.save`; but masks at once, since a start without them would show what they hide."""
    kept, _ = saved.load()
    if trials is None or areas.zones == kept.zones:
        return saved.save(areas)
    if areas.masks != kept.masks:
        saved.save(replace(areas, zones=kept.zones))
    return trials.keep("zones", lambda: saved.save(areas))
