"""The model card, and the words of a model whose labels are words. The page shows both and can change the words."""

from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.model.record import model_record, names_of_model
from vitcam.pictures.overlay_kinds import available_overlays
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import Admission, Quota
from vitcam.web.requests.body import Body, BodyLimits, read_json
from vitcam.web.route import Route, as_json
from vitcam.web.stream.variant import stream_record
from vitcam.words.live_labels import LiveLabels

_WORDS = BodyLimits(65536, 5.0, "the words")
_MAX_WORDS = 2


class ModelRoutes(Handlers):
    """Says what the model is, and lets viewers change its labels where these are words."""

    def __init__(self, app: AppContext) -> None:
        self._model = app.parts.model
        self._words = app.parts.words
        self._names = app.parts.names
        self._default = app.parts.default
        self._overlays = available_overlays(app.parts.model.gives)
        quota = Quota(_MAX_WORDS, _MAX_WORDS, "changes of the words")
        self._admission = Admission(_WORDS, quota, app.threads.change)

    @Route("GET", "/api/model", Scope.READ, answers=as_json("Model"))
    async def show(self, _: web.Request) -> web.Response:
        """The model card."""
        record = {
            **model_record(self._model),
            **self._displayed(),
            **words_record(self._words),
            "stream": stream_record(self._default.value, self._overlays),
        }
        return web.json_response(record, headers={"Cache-Control": "no-store"})

    def _displayed(self) -> dict[str, Any]:
        """Labels and groups as predictions name them."""
        naming = self._names.of(self._model.labels, self._model.groups)
        return {} if naming is None else names_of_model(naming.labels, naming.members)

    @Route("POST", "/api/words", Scope.CONTROL, body=as_json("WordsRequest"), answers=as_json("Words"))
    async def change_words(self, request: web.Request) -> web.Response:
        """Give a model whose labels are words other words.

        From the next frame on. `remembered` says whether the next run will have them, too.
        """
        words = self._words
        if words is None:
            raise UsageError(
                "the labels of this model cannot be changed; `vitcam-train words` makes models whose labels are words"
            )
        reason = await self._admission.serve(request, lambda body: _replace(words, body))
        return web.json_response({"words": list(words.labels), "remembered": not reason, "reason": reason})


def words_record(words: LiveLabels | None) -> dict[str, Any]:
    """What `/api/model` says beside what the model's file says.

    labels  the words, in place of the labels that the model had at the start; absent where they are not words
    words   the most that there may be; null where they cannot be changed
    """
    return {"words": None} if words is None else {"labels": list(words.labels), "words": words.room}


def _replace(words: LiveLabels, body: Body) -> str:
    """Returns why they will not be remembered, or ""."""
    wanted = read_words(read_json(body))
    try:
        return words.replace(wanted)
    except VitcamError as error:
        if isinstance(error, UsageError) and not isinstance(error, ModelError):
            raise
        raise web.HTTPServiceUnavailable(text=str(error)) from error  # the client cannot mend what is missing here


def read_words(body: Any) -> list[str]:
    """`{"words": ["a cat", "a dog"]}`. Raises UsageError."""
    words = body.get("words") if isinstance(body, dict) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError('send {"words": ["a cat on the table", "an empty table"]}, a list of texts')
    return words
