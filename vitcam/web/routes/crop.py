"""The crop: the part of the picture that the model sees. The page shows it and can change it."""

from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.pictures.resize import crop_of, rect_of
from vitcam.pictures.view import Region, check_size
from vitcam.web.async_slot import size_of
from vitcam.web.context import AppContext, Handlers
from vitcam.web.given import WebParts
from vitcam.web.requests.body import Body, read_json
from vitcam.web.requests.versions import remembered
from vitcam.web.route import Route, as_json
from vitcam.wire import fractions


class CropRoute(Handlers):
    """Changes it for the next frame."""

    def __init__(self, app: AppContext) -> None:
        self._parts = app.parts
        self._admission = app.changes

    @Route(
        "POST", "/api/crop", Scope.CONTROL, body=as_json("CropRequest"), answers=as_json("ChangedView"), refusals=(409,)
    )
    async def answer(self, request: web.Request) -> web.Response:
        """Give the model another part of the picture.

        From the next frame on. Answers 409 with its place where the configuration has one. `remembered` says whether
        the next run will use it, too.
        """
        reason = await self._admission.serve(request, self._replace_crop)
        return web.json_response({**view_record(self._parts), **remembered(reason)})

    def _replace_crop(self, body: Body) -> str:
        """Returns why the crop will not be remembered, or "". It writes to the disk, and an SD card is slow."""
        region = read_region(read_json(body))
        if place := self._parts.fixed("camera.crop"):
            raise web.HTTPConflict(text=f"the crop is set by {place}; change it there")
        if region is not None:
            check_size("the crop", region, size_of(self._parts.latest))
        return self._parts.crop.replace(region)


def view_record(parts: WebParts) -> dict[str, Any]:
    """The crop as `/api/state` shows it. Rectangles are x, y, width, height in fractions of the upright picture.

    picture     its width and height in px; None before the first picture, and then `seen` is None, too
    crop        the part that was chosen; None: the whole picture
    seen        the part of the crop that the model sees
    line        the crop as a line of the configuration file, below [camera]
    remembered  whether it was chosen in an earlier run
    fixed       where the configuration says it, so that the page cannot change it; empty: it can
    """
    region = parts.crop.region
    newest = parts.latest.peek()
    record: dict[str, Any] = {
        "picture": None,
        "crop": None,
        "seen": None,
        "line": _line(region),
        "remembered": parts.crop.from_earlier_run,
        "fixed": parts.fixed("camera.crop"),
    }
    if region is not None and region.in_fractions:
        record["crop"] = [region.x, region.y, region.width, region.height]
    if newest is None:
        return record
    height, width = newest.frame.preview.shape[:2]
    record["picture"] = [width, height]
    try:
        within = None if region is None else rect_of(region, height, width)
    except UsageError:  # a crop in px, and the camera gives smaller pictures now
        return record
    if within is not None and record["crop"] is None:
        record["crop"] = fractions(within, height, width)
    seen = crop_of(
        parts.model.value.info.card.input, height, width, within
    )  # not `newest.frame.crop`, which may be older than the crop
    return record | {"seen": fractions(seen, height, width)}


def read_region(body: Any) -> Region | None:
    """`{"crop": [x, y, width, height]}` in fractions, or null for the whole picture. Raises UsageError."""
    if not isinstance(body, dict) or "crop" not in body:
        raise UsageError(
            'send {"crop": [x, y, width, height]} in fractions of the picture, or {"crop": null} for the whole picture'
        )
    crop = body["crop"]
    if crop is None:
        return None
    numbers = isinstance(crop, list) and len(crop) == 4 and all(type(side) in (int, float) for side in crop)
    if not numbers or not all(abs(side) <= 1 for side in crop):
        raise UsageError(
            "the crop must be a list of four numbers from 0 to 1: x, y, width, height in fractions of the picture"
        )
    return Region(*(float(side) for side in crop))


def _line(region: Region | None) -> str:
    return f'crop = "{region or Region(0, 0, 1, 1)}"'
