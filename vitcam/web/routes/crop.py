"""The part of the picture that the model is shown: said to the page, and set by it."""

from typing import Any

from aiohttp import web

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, crop_of, rect_of
from vitcam.pictures.view import Region
from vitcam.sources.active_crop import ActiveCrop
from vitcam.web.live import LivePipeline
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, read_json
from vitcam.wire import fractions


class CropRoute:
    """`POST /api/crop`, and what `/api/state` says of it."""

    def __init__(self, live: LivePipeline, active_crop: ActiveCrop, spec: InputSpec, admission: Admission) -> None:
        self._live = live
        self._active_crop = active_crop
        self._spec = spec
        self._admission = admission

    async def answer(self, request: web.Request) -> web.Response:
        """Show the model another part, from the next frame on; `remembered`: whether the next run will have it."""
        reason = await self._admission.serve(request, self._point)
        return web.json_response({**self.record(), "remembered": not reason, "reason": reason})

    def _point(self, body: Body) -> str:
        """Why the crop is not remembered; writes to the disk, and an SD card takes its time."""
        return self._active_crop.replace(read_region(read_json(body)))

    def record(self) -> dict[str, Any]:
        """Rectangles as x, y, width, height, in fractions of the upright picture.

        picture     its width and height in px; None before the first, and then `seen` is None, too
        crop        the part that was chosen; None: all of it
        seen        the part of it that the model sees
        line        what keeps the crop in the configuration file, below [camera]
        remembered  whether it was chosen in an earlier run
        """
        region = self._active_crop.region
        shown = self._live.latest.peek()
        record: dict[str, Any] = {
            "picture": None,
            "crop": None,
            "seen": None,
            "line": _line(region),
            "remembered": self._active_crop.from_earlier_run,
        }
        if region is not None and region.in_fractions:
            record["crop"] = [region.x, region.y, region.width, region.height]
        if shown is None:
            return record
        height, width = shown.frame.preview.shape[:2]
        record["picture"] = [width, height]
        try:
            within = None if region is None else rect_of(region, height, width)
        except UsageError:  # in px, of a camera that now gives smaller pictures
            return record
        if within is not None and record["crop"] is None:
            record["crop"] = fractions(within, height, width)
        seen = crop_of(self._spec, height, width, within)  # the frame's own may be older than the crop
        return record | {"seen": fractions(seen, height, width)}


def read_region(body: Any) -> Region | None:
    """`{"crop": [x, y, width, height]}` in fractions, or null for the whole picture. Raises UsageError."""
    if not isinstance(body, dict) or "crop" not in body:
        raise UsageError(
            'send {"crop": [x, y, width, height]} in fractions of the picture, or {"crop": null} for all of it'
        )
    crop = body["crop"]
    if crop is None:
        return None
    numbers = isinstance(crop, list) and len(crop) == 4 and all(type(side) in (int, float) for side in crop)
    if not numbers or not all(abs(side) <= 1 for side in crop):
        raise UsageError(
            "the crop is no list of four numbers from 0 to 1: x, y, width, height as fractions of the picture"
        )
    return Region(*(float(side) for side in crop))


def _line(region: Region | None) -> str:
    return f'crop = "{region or Region(0, 0, 1, 1)}"'
