"""What was chosen on the page, kept from one start to the next: for each camera its crop, its zones and its masks.

Only cameras have them, since they look at the same thing at the next start. The demo, files and pipes may show
something else then.
"""

import json
import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from vitcam.config.camera import CameraSettings
from vitcam.config.settings import Settings
from vitcam.daemon.part_options import masks_of, zones_of
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import UsageError
from vitcam.folders import state_folder
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import MOST_ZONES, NO_AREAS, Areas, Zone
from vitcam.look.record import areas_record, own_sides, read_areas, read_zone
from vitcam.pictures.view import Region, is_region
from vitcam.redaction import redacted
from vitcam.sources import is_camera
from vitcam.sources.active_crop import ActiveCrop
from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile
from vitcam.storage.unsaved import NotWritten
from vitcam.text import shortened

log = logging.getLogger(__name__)

_MOST = 32  # cameras; the oldest is deleted
_NOTHING: dict[str, Any] = {"zones": {}, "masks": []}


class _CameraRecords:
    """A file of the state folder with a record for each camera. A disk that cannot be written loses one, no more.

    What cannot be read stays in the file as it was, and costs no other record.

    folder   the state folder; None: nothing is kept
    source   the camera whose record is read and written
    pronoun  such a record: `it` or `them`
    """

    def __init__(self, folder: Path | None, name: str, source: str, pronoun: str) -> None:
        self.file = StateFile(folder / name) if folder else None
        self.source = source
        self._pronoun = pronoun

    def load(self) -> Any | None:
        """As it stands in the file; None where nothing does, or the file cannot be read."""
        return self._all().get(self.source)

    def save(self, record: Any | None) -> str:
        """Save it, or delete it; returns why that failed, "" if it did not."""
        records = {source: each for source, each in self._all().items() if source != self.source}
        if record is not None:
            records[self.source] = record
        if self.file is None:
            return f"there is no folder to keep {self._pronoun} in"
        try:
            self.file.write(json.dumps(dict(list(records.items())[-_MOST:]), indent=1))
        except OSError as error:
            return NotWritten.of(self.file.path, error)
        return ""

    def parse(self, text: str) -> dict[str, Any]:
        """Camera -> record, the newest last. Raises ValueError if it is damaged."""
        records = json.loads(text)
        if not isinstance(records, dict):
            raise ValueError("it does not hold a record for each camera")
        return records

    def _all(self) -> dict[str, Any]:
        return (self.file.read_if_good(self.parse) if self.file else None) or {}


class SavedCrop:
    """The saved crop of one camera."""

    def __init__(self, folder: Path | None, source: str) -> None:
        self._records = _CameraRecords(folder, "crops.json", source, "it")

    def load(self) -> Region | None:
        """None where nothing was chosen, or what is there cannot be read."""
        text = self._records.load()
        if text is not None and not _is_crop(text):
            log.warning("the crop of %s is left out: %s cannot be read", self._records.source, shortened(repr(text)))
            return None
        region = Region.parse(text) if text else None
        return None if region is None or region.is_whole else region  # older versions kept the whole picture, too

    def save(self, region: Region | None) -> str:
        """Save it, or delete it; returns why that failed, "" if it did not."""
        if region is None:
            return self._records.save(None)
        sides = (region.x, region.y, region.width, region.height)
        return self._records.save(",".join(map(repr, sides)))  # rounded, their sum might be more than the picture


def _is_crop(record: Any) -> bool:
    return isinstance(record, str) and is_region(record)


class SavedAreas:
    """The saved zones and masks of one camera.

    configured  which of the two the configuration sets, in words; "" if none
    """

    def __init__(self, folder: Path | None, source: str, configured: str = "") -> None:
        self._records = _CameraRecords(folder, "zones.json", source, "them")
        self._file = self._records.file
        self._configured = configured

    def load(self) -> tuple[Areas, str]:
        """What was drawn; none of either where nothing was. Zones that cannot be read are left out.

        returns  the zones and masks, and why nobody knows the masks, as one sentence; empty if they are known
        """
        if self._file is None:
            return NO_AREAS, ""
        try:
            record = (self._file.read(self._parsed) or {}).get(self._records.source)
        except OSError as error:
            if not os.access(self._file.path.parent, os.X_OK) or not self._file.path.parent.is_dir():
                return NO_AREAS, ""  # this user has never kept anything there
            return NO_AREAS, self._unknown(error.strerror or type(error).__name__)
        except ValueError as error:
            return Areas(self._zones_without_masks()), self._unknown(f"damaged: {error}")
        if record is None:
            return NO_AREAS, ""
        return Areas(self._readable_zones(record), _masks_of(record)), ""

    def masks_of_another(self) -> tuple[Region, ...]:
        """Where nothing was drawn for this camera: the masks that were drawn last for another one.

        It may be the same camera under another address, and a start must not show what they hide.
        """
        records = self._readable()
        if self._records.source in records:
            return ()
        found = (masks for masks in map(_readable_masks, reversed(records.values())) if masks)
        return next(found, ())

    def _readable(self) -> dict[str, Any]:
        try:
            return (self._file and self._file.read(self._records.parse)) or {}
        except (OSError, ValueError):
            return {}

    def _zones_without_masks(self) -> tuple[Zone, ...]:
        """Of a file in which nobody can read the masks."""
        record = self._readable().get(self._records.source)
        return self._readable_zones(record) if isinstance(record, dict) else ()

    def _readable_zones(self, record: Mapping[str, Any]) -> tuple[Zone, ...]:
        zones = _zones_in(record)
        for unread in zones.unread:
            log.warning("%s: a zone is left out: %s", self._file and self._file.path, unread.reason)
        return tuple(zones)

    def _unknown(self, reason: str) -> str:
        path = self._file.path if self._file else ""
        return (
            f"{path} cannot be read ({reason}), and the privacy masks are in it, so no picture is shown; "
            "send the masks again with PUT /api/zones, set camera.masks, or delete the file if there are none"
        )

    def save(self, areas: Areas) -> str:
        """Save them; returns why they will not be in force at the next start, "" if they will."""
        written, before = areas_record(areas, own_sides), self._records.load()
        if isinstance(before, dict):
            zones = _zones_in(before).table(written["zones"])
            if not zones and not isinstance(before.get("zones"), dict):  # another version may know what that is
                zones = before.get("zones") or zones
            written = {**before, **written, "zones": zones}
        others = (each for source, each in self._readable().items() if source != self._records.source)
        # without a record of its own, the next start would give it the masks of another camera
        needs_record = written != _NOTHING or any(map(_readable_masks, others))
        reason = self._records.save(written if needs_record else None)
        return reason or (f"{self._configured} are set by the configuration" if self._configured else "")

    def _parsed(self, text: str) -> dict[str, Any]:
        """Raises ValueError if the masks of this camera are not as `save` wrote them."""
        records = self._records.parse(text)
        if self._records.source in records:
            _masks_of(records[self._records.source])
        return records


def _zones_in(record: Mapping[str, Any]) -> Entries[Zone]:
    """Each by itself, so that one that cannot be read costs no other."""
    try:
        return Entries.of_table(record.get("zones"), partial(read_zone, in_px=True), MOST_ZONES)
    except TypeError:
        log.warning("the zones are left out: %s are none", shortened(repr(record.get("zones"))))
        return Entries()


def _masks_of(record: Any) -> tuple[Region, ...]:
    """Raises ValueError."""
    if not isinstance(record, dict):
        raise ValueError("it does not hold zones and masks")
    try:
        return read_areas({"zones": {}, "masks": record.get("masks")}, in_px=True).masks
    except UsageError as error:
        raise ValueError(str(error)) from None


def _readable_masks(record: Any) -> tuple[Region, ...]:
    try:
        return _masks_of(record)
    except ValueError:
        return ()


def initial_crop(camera: CameraSettings, environ: Mapping[str, str], trials: Trials | None = None) -> ActiveCrop:
    """What the model is shown at the start: as the configuration says, else as it was chosen on the page last.

    A crop from an earlier run is logged, with how to take it back.

    trials  keep another one once it has worked; None: at once
    """
    if camera.crop:
        return ActiveCrop(Region.parse(camera.crop), lambda _: "camera.crop is set by the configuration or an option")
    if not is_camera(camera.source):
        return ActiveCrop(None, lambda _: "crops are kept for cameras only")
    saved = SavedCrop(state_folder(environ), redacted(camera.source) or "auto")
    region = saved.load()
    if region is not None:
        log.info(
            "the model is shown only %s of the picture (x, y, width, height), as chosen on the page in an earlier run; "
            "to take it back choose the whole picture there, or start with --crop 0,0,1,1",
            region,
        )

    def keep(region: Region | None) -> str:
        return saved.save(region) if trials is None else trials.keep("crop", lambda: saved.save(region))

    return ActiveCrop(region, keep, from_earlier_run=region is not None)


def initial_areas(settings: Settings, environ: Mapping[str, str], trials: Trials | None = None) -> ActiveAreas:
    """Zones and masks at the start: as the configuration says, else as they were drawn on the page last.

    trials  keep zones once they have worked; None: at once
    """
    zones, masks = zones_of(settings), masks_of(settings)
    source = settings.camera.source
    configured = Areas(zones, masks)
    if not is_camera(source):
        return ActiveAreas(configured, lambda _: "zones and masks are kept for cameras only")
    words = " and ".join(word for word, found in (("zones", zones), ("masks", masks)) if found)
    saved = SavedAreas(state_folder(environ), redacted(source) or "auto", words)
    save = partial(_save_once_worked, saved, trials)
    drawn, unknown = saved.load()
    if not masks and (carried := saved.masks_of_another()):
        log.warning(
            "nothing was drawn for this camera, so the %d privacy masks of the one before are in force; change or "
            "delete them on the page",
            len(carried),
        )
        drawn = replace(drawn, masks=carried)
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


def _save_once_worked(saved: SavedAreas, trials: Trials | None, areas: Areas) -> str:
    """As `SavedAreas.save`; but masks at once, since a start without them would show what they hide."""
    before, _ = saved.load()
    if trials is None:
        return saved.save(areas)
    if areas.zones == before.zones:
        return trials.keep_now("zones", partial(saved.save, areas))
    failed = ""
    if areas.masks != before.masks:
        failed = trials.keep_now("zones", partial(_save_masks, saved, areas))
    reason = trials.keep("zones", partial(saved.save, areas))
    return reason and (failed or reason)


def _save_masks(saved: SavedAreas, areas: Areas) -> str:
    """With the zones that are on the disk."""
    return saved.save(replace(areas, zones=saved.load()[0].zones))
