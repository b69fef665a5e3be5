"""Zones and privacy masks. The page shows them and can change them."""

from dataclasses import replace
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.look.areas import Areas, zone_rect
from vitcam.look.record import areas_record, own_sides, read_areas
from vitcam.model.labels import unknown_labels
from vitcam.pictures.view import Region, check_size
from vitcam.web.async_slot import size_of
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, BodyLimits, read_json
from vitcam.web.requests.versions import Precondition, remembered
from vitcam.web.revisions import Document
from vitcam.web.route import Route, as_json
from vitcam.wire import fractions

_ZONES = BodyLimits(65536, 5.0, "the zones")
_ROUNDED = 0.0002


class ZonesRoute(Handlers):
    """Shows them, and replaces them for the next frame."""

    def __init__(self, app: AppContext) -> None:
        parts = app.parts
        self._latest = parts.latest
        self._model = parts.model
        self._vocabulary = parts.vocabulary()
        self._active = parts.areas
        self._fixed = parts.fixed
        self._versions = app.versions
        self._admission = Admission.of_changes(_ZONES, app.threads.change)

    @Route("GET", "/api/zones", Scope.READ, answers=as_json("Zones"), versioned=True)
    async def show(self, _: web.Request) -> web.Response:
        """Zones and privacy masks."""
        return self._versions.answer(self._document())

    @Route(
        "PUT",
        "/api/zones",
        Scope.CONTROL,
        body=as_json("ZonesRequest"),
        answers=as_json("ChangedZones"),
        refusals=(409,),
        versioned=True,
    )
    async def change(self, request: web.Request) -> web.Response:
        """Replace all zones and privacy masks.

        From the next frame on. Answers 409 with the place where the configuration says otherwise. `remembered` says
        whether the next run will use them, too. `removed` has what was there and is not any more.
        """
        version = self._versions.precondition(request)
        document, more = await self._admission.serve(request, lambda body: self._replace(body, version))
        return self._versions.answer(document, more)

    def _replace(self, body: Body, version: Precondition) -> tuple[Document, dict[str, Any]]:
        """Returns them, and what else the answer says. It writes to the disk, and an SD card is slow."""
        before = self._document()
        version.check(before)
        areas = self._without_fixed(read_areas(read_json(body)))
        for zone in areas.zones:
            check_size(f"the zone {zone.name}", zone.region, size_of(self._latest))
        if self._model.value.words is None:  # words change while it runs
            for sentence in unknown_labels(areas.watched_labels, self._vocabulary.known):
                raise UsageError(sentence)
        reason = self._active.replace(areas)
        document = self._document()
        version.note((before, document))
        return document, {**remembered(reason), "removed": _removed(before, document)}

    def _without_fixed(self, areas: Areas) -> Areas:
        """With the zones and masks of the configuration, where it has some. Raises HTTPConflict for others."""
        now = self._active.areas
        before, wanted = areas_record(now, self._sides), areas_record(areas, self._sides)
        for name, kind in (("zones", "zones"), ("camera.masks", "masks")):
            place = self._fixed(name)
            if place and not _alike(before[kind], wanted[kind]):
                raise web.HTTPConflict(text=f"the {kind} are set by {place}; change them there")
            areas = replace(areas, **{kind: getattr(now, kind)}) if place else areas
        return areas

    def _document(self) -> Document:
        areas, origin = self._active.in_force
        fixed = {"zones": self._fixed("zones"), "masks": self._fixed("camera.masks")}
        more = {"from": origin, "fixed": fixed, "warning": self._active.warning}
        return Document("zones", areas_record(areas, own_sides), {**areas_record(areas, self._sides), **more})

    def _sides(self, region: Region) -> list[float] | None:
        """x, y, width, height in fractions; None for a region in px before the first picture."""
        if region.in_fractions:
            return own_sides(region)
        newest = self._latest.peek()
        if newest is None:
            return None
        height, width = newest.frame.preview.shape[:2]
        return fractions(zone_rect(region, height, width), height, width)


def _removed(before: Document, after: Document) -> dict[str, Any]:
    """Names of zones, and masks, that were there and are not any more."""
    zones = [name for name in before.record["zones"] if name not in after.record["zones"]]
    return {"zones": zones, "masks": [each for each in before.record["masks"] if each not in after.record["masks"]]}


def _alike(one: Any, other: Any) -> bool:
    """Whether two records say the same; the page rounds fractions."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float | int) and isinstance(other, float | int):
        return abs(one - other) <= _ROUNDED
    return bool(one == other)
