"""Uploaded photos: classified by an interpreter of their own, so that the camera does not wait."""

import base64
from dataclasses import asdict
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.frames import Image, Prediction
from vitcam.pictures.decode import Decoded
from vitcam.pictures.encode import encode_png
from vitcam.pictures.resize import InputSpec, crop_of, to_model_size
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import switch
from vitcam.web.requests.photos import PHOTO_BODY, ask_model
from vitcam.web.route import Route, as_json
from vitcam.wire import frame_record, nested_lists, prediction_record


class UploadRoutes(Handlers):
    """Works on one photo after the other."""

    def __init__(self, app: AppContext) -> None:
        self._backend = app.parts.photos
        self._model = app.parts.model
        self._photos = app.photos

    @Route(
        "POST",
        "/api/classify",
        Scope.CONTROL,
        parameters={"input": switch("1: with the picture as the model got it.")},
        body=PHOTO_BODY,
        answers=as_json("PhotoPrediction"),
        refusals=(409,),
    )
    async def classify(self, request: web.Request) -> web.Response:
        """Classify a photo."""
        with_input = request.query.get("input") == "1"
        return web.json_response(await self._photos.serve(request, lambda photo: self._describe(photo, with_input)))

    def _describe(self, data: bytes, with_input: bool) -> dict[str, Any]:
        """Runs in the executor: decoding a large photo takes longer than classifying it."""
        photo, spec = self._backend.decode(data), self._model.value.info.card.input
        prediction = ask_model(self._backend.classify, photo.image)
        record = prediction_record(prediction) | _placement(photo, prediction, spec)
        record["attention"] = nested_lists(prediction.attention)
        if prediction.rollout is not None:
            record["rollout"] = nested_lists(prediction.rollout)
        if prediction.evidence is not None:
            record["evidence"] = nested_lists(prediction.evidence)
        if prediction.evidence_share is not None:
            record["evidence_share"] = round(prediction.evidence_share, 4)
        if with_input:
            record["input"] = _data_url(to_model_size(photo.image, spec))
        return record


def _placement(photo: Decoded, prediction: Prediction, spec: InputSpec) -> dict[str, Any]:
    """The size of the photo in px and the part that the model saw, both before any reduction by the decoder."""
    size = {"width": photo.width, "height": photo.height}
    crop = crop_of(spec, photo.height, photo.width)
    return {"image": size, "frame": frame_record(prediction) | size, "crop": asdict(crop)}


def _data_url(image: Image) -> str:
    return "data:image/png;base64," + base64.b64encode(encode_png(image)).decode()
