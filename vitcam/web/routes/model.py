"""The model in use, and its words where its labels are words. The page shows both and can change them."""

import asyncio
from typing import TYPE_CHECKING, Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.model.record import brief_record, model_record, names_of_model
from vitcam.pictures.overlay_kinds import available_overlays
from vitcam.run_model import ChosenModel, RunModel
from vitcam.storage.unsaved import Unsaved
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import one_of
from vitcam.web.requests.admission import Admission, Quota
from vitcam.web.requests.body import Body, BodyLimits, read_json
from vitcam.web.requests.versions import remembered
from vitcam.web.route import BODY_REFUSALS, Route, as_json
from vitcam.web.stream.variant import stream_record

if TYPE_CHECKING:
    from vitcam.daemon.model_choice import RunningModel
    from vitcam.model.text.live_labels import LiveLabels

_WORDS = BodyLimits(65536, 5.0, "the words")
_FLAGS = ("true", "false")
_SHOWING = {"brief": one_of(_FLAGS, "Whether what is long is left empty.")}
_LONGEST_S = 20.0  # for reading all models
_MAX_WORDS = 2
_LONGEST_NAME = 200
_NO_STORE = {"Cache-Control": "no-store"}


class ModelRoutes(Handlers):
    """Says what the model is, lets viewers choose another one, and change its labels where these are words."""

    def __init__(self, app: AppContext) -> None:
        self._model = app.parts.model
        self._models = app.parts.models
        self._names = app.parts.names
        self._unsaved = app.parts.unsaved
        self._default = app.parts.default
        self._files = app.threads.models
        quota = Quota(_MAX_WORDS, _MAX_WORDS, "changes of the words")
        self._admission = Admission(_WORDS, quota, app.threads.change)
        self._choices = app.changes

    @Route("GET", "/api/model", Scope.READ, parameters=_SHOWING, answers=as_json("Model"), refusals=(400,))
    async def show(self, request: web.Request) -> web.Response:
        """The model card.

        With `brief=true`, what is long is empty: labels, groups, where the photos are from, and all but the first
        figures of the accuracy.
        """
        brief = request.query.get("brief", "false")
        if brief not in _FLAGS:
            raise UsageError(f"brief is {brief[:40]!r}; it must be true or false")
        model = self._model.value
        record = {
            **model_record(model.info),
            **(brief_record(model.info) if brief == "true" else self._displayed(model)),
            **words_record(model.words),
            "stream": stream_record(self._default.value, available_overlays(model.info.gives)),
        }
        return web.json_response(record, headers=_NO_STORE)

    def _displayed(self, model: RunModel) -> dict[str, Any]:
        """Labels and groups as predictions name them."""
        naming = self._names.of(model.labels, model.members)
        return {} if naming is None else names_of_model(naming.labels, naming.members)

    @Route("GET", "/api/models", Scope.READ, answers=as_json("Models"), refusals=(404, 503))
    async def list_models(self, _: web.Request) -> web.Response:
        """The models that can be chosen."""
        reading = asyncio.wrap_future(self._files.submit(self._choice().record))
        try:
            record = await asyncio.wait_for(reading, _LONGEST_S)
        except TimeoutError:
            raise VitcamError(
                f"the files of the models were not read within {_LONGEST_S:g} s; look whether the disk or a mount that "
                "they lie on answers"
            ) from None
        return web.json_response(record, headers=_NO_STORE)

    @Route(
        "POST",
        "/api/model",
        Scope.CONTROL,
        body=as_json("ModelRequest"),
        answers=as_json("ChosenModel"),
        refusals=(404, 409),
    )
    async def choose(self, request: web.Request) -> web.Response:
        """Use another model from the next frame on.

        It is loaded and verified beside the one in use. With `check`, nothing is changed: the answer says which labels
        of zones and rules the model does not know. Answers 409 where the configuration names the model. `remembered`
        says whether the next run will use it, too.
        """
        choice = self._choice()
        chosen = await self._choices.serve(request, lambda body: _chosen(choice, read_json(body)))
        return web.json_response(_choice_record(chosen))

    @Route("POST", "/api/model/back", Scope.CONTROL, answers=as_json("ChosenModel"), refusals=(400, 404, 409))
    async def back(self, request: web.Request) -> web.Response:
        """Use the model that was used before this one again."""
        choice = self._choice()
        return web.json_response(_choice_record(await self._choices.serve(request, lambda _: _back(choice))))

    @Route("DELETE", "/api/models/{name}", Scope.CONTROL, answers=as_json("Models"), refusals=(*BODY_REFUSALS, 404))
    async def delete(self, request: web.Request) -> web.Response:
        """Delete a model that was taught on a device, for good.

        One that is in use stays, and so does any other model.
        """
        choice, name = self._choice(), request.match_info["name"]

        def work(_: Body) -> dict[str, Any]:
            choice.delete(name)
            return choice.record()

        return web.json_response(await self._choices.serve(request, work))

    def _choice(self) -> "RunningModel":
        if self._models is None:
            raise web.HTTPNotFound(text="no other model can be chosen in this run")
        return self._models

    @Route("POST", "/api/words", Scope.CONTROL, body=as_json("WordsRequest"), answers=as_json("Words"))
    async def change_words(self, request: web.Request) -> web.Response:
        """Give a model whose labels are words other words.

        From the next frame on. `remembered` says whether the next run will have them, too.
        """
        words = self._model.value.words
        if words is None:
            raise UsageError(
                "the labels of this model cannot be changed; `vitcam-train words` makes models whose labels are words"
            )
        reason = await self._admission.serve(request, lambda body: _replace(words, body, self._unsaved))
        return web.json_response({"words": list(words.labels), **remembered(reason)})


def _chosen(choice: "RunningModel", body: Any) -> ChosenModel:
    """`{"name": "everyday", "check": false}`. Raises UsageError."""
    name = body.get("name") if isinstance(body, dict) else None
    check = body.get("check", False) if isinstance(body, dict) else None
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or not isinstance(check, bool):
        raise UsageError('send {"name": "everyday"}, the name of a model that GET /api/models lists')
    if check:
        return choice.check(name)
    _refuse_fixed(choice)
    return choice.use(name)


def _back(choice: "RunningModel") -> ChosenModel:
    _refuse_fixed(choice)
    return choice.back()


def _refuse_fixed(choice: "RunningModel") -> None:
    if choice.fixed:
        raise web.HTTPConflict(text=f"the model is set by {choice.fixed}; change it there")


def _choice_record(chosen: ChosenModel) -> dict[str, Any]:
    return {"name": chosen.name, "unknown": list(chosen.unknown), **remembered(chosen.reason)}


def words_record(words: "LiveLabels | None") -> dict[str, Any]:
    """What `/api/model` says beside what the model's file says.

    labels  the words, in place of the labels that the model had at the start; absent where they are not words
    words   the most that there may be; null where they cannot be changed
    """
    return {"words": None} if words is None else {"labels": list(words.labels), "words": words.room}


def _replace(words: "LiveLabels", body: Body, unsaved: Unsaved) -> str:
    """Returns why they will not be remembered, or ""."""
    wanted = read_words(read_json(body))
    try:
        words.replace(wanted)
    except VitcamError as error:
        if isinstance(error, UsageError) and not isinstance(error, ModelError):
            raise
        raise web.HTTPServiceUnavailable(text=str(error)) from error  # the client cannot mend what is missing here
    return unsaved.keep("words", words.save)


def read_words(body: Any) -> list[str]:
    """`{"words": ["a cat", "a dog"]}`. Raises UsageError."""
    words = body.get("words") if isinstance(body, dict) else None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise UsageError('send {"words": ["a cat on the table", "an empty table"]}, a list of texts')
    return words
