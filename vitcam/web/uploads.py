"""A photo comes in, a prediction goes out. Classified beside the camera, by an interpreter of its own."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

from aiohttp import BodyPartReader, StreamReader, web

from vitcam.decode import decode_image
from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Image, Prediction
from vitcam.resize import InputSpec, crop_of
from vitcam.web.predictions import nested_lists
from vitcam.wire import frame_record, prediction_record

MOST_BYTES = 32 * 1024 * 1024
MOST_AT_ONCE = 4
_UPLOAD_TIMEOUT_S = 60.0
_PIECE_BYTES = 64 * 1024


class Uploads:
    """Takes a bounded number of photos at once."""

    def __init__(
        self, classify: Callable[[Image], Prediction], input_spec: InputSpec | None, executor: Executor
    ) -> None:
        self._classify = classify
        self._input = input_spec
        self._executor = executor
        self._taken = 0

    async def answer(self, request: web.Request) -> web.Response:
        """`POST /api/classify`."""
        with self._place():
            try:
                async with asyncio.timeout(_UPLOAD_TIMEOUT_S):
                    data = await _read_image(request)
            except TimeoutError:
                raise web.HTTPRequestTimeout(
                    text=f"the photo did not arrive within {_UPLOAD_TIMEOUT_S:.0f} s; send a smaller one"
                ) from None
            loop = asyncio.get_running_loop()
            return web.json_response(await loop.run_in_executor(self._executor, self._describe, data))

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._taken >= MOST_AT_ONCE:
            raise web.HTTPServiceUnavailable(
                text=f"{MOST_AT_ONCE} photos are being classified already; try again in a second",
                headers={"Retry-After": "1"},
            )
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1

    def _describe(self, data: bytes) -> dict[str, Any]:
        """Runs in the executor: decoding a large photo takes longer than classifying it."""
        image = decode_image(data)
        try:
            prediction = self._classify(image)
        except VitcamError as error:  # no fault of the photo's
            raise web.HTTPServiceUnavailable(text=str(error)) from error
        height, width = image.shape[:2]
        record = {**prediction_record(prediction), "frame": frame_record(prediction)}
        record["image"] = {"width": width, "height": height}
        if self._input is not None:
            record["crop"] = asdict(crop_of(self._input, height, width))
        record["attention"] = nested_lists(prediction.attention)
        if prediction.rollout is not None:
            record["rollout"] = nested_lists(prediction.rollout)
        if prediction.evidence is not None:
            record["evidence"] = nested_lists(prediction.evidence)
        return record


def read_input_spec(model_card: dict[str, Any]) -> InputSpec | None:
    """What the model sees of a photo, from its card; None where the card does not say."""
    raw = model_card.get("input")
    names = {field.name for field in fields(InputSpec)}
    if not isinstance(raw, dict) or not {"height", "width"} <= raw.keys():
        return None
    return InputSpec(**{name: value for name, value in raw.items() if name in names})


async def _read_image(request: web.Request) -> bytes:
    """The body, or the field `image` of a form."""
    if not request.content_type.startswith("multipart/"):
        data = await _read_bounded(request.content)
    else:
        data = await _read_field(request)
    if not data:
        raise UsageError("the request carries no photo; send one as the body, or as the form's field 'image'")
    return data


async def _read_field(request: web.Request) -> bytes:
    try:
        form = await request.multipart()
        while (part := await form.next()) is not None:
            if isinstance(part, BodyPartReader) and part.name == "image":
                return await _read_bounded(part)
    except ValueError as error:
        raise UsageError(f"the form cannot be read ({error}); send the photo as the form's field 'image'") from error
    raise UsageError("the form has no field 'image'; send the photo under that name")


async def _read_bounded(body: StreamReader | BodyPartReader) -> bytes:
    data = bytearray()
    while piece := await (body.read(_PIECE_BYTES) if isinstance(body, StreamReader) else body.read_chunk(_PIECE_BYTES)):
        data += piece
        if len(data) > MOST_BYTES:
            raise web.HTTPRequestEntityTooLarge(
                MOST_BYTES, len(data), text=f"the photo is larger than {MOST_BYTES // 2**20} MiB; send a smaller one"
            )
    return bytes(data)
