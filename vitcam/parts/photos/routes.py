"""The figure of a photo, by the interpreter of uploaded photos, so that the camera does not wait."""

from functools import partial

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.pictures.encode import encode_png
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import one_of
from vitcam.web.requests.photos import PHOTO_BODY, ask_model
from vitcam.web.route import Route

_SCHEMES = ("light", "dark")
_NO_EXPLAIN = (
    "this model file has no signature `explain`, so it cannot tell where its blocks looked; export it again with "
    "vitcam-train export"
)


class PhotoRoutes(Handlers):
    """Works on one photo after the other."""

    def __init__(self, app: AppContext) -> None:
        self._backend = app.parts.photos
        self._model = app.parts.model
        self._photos = app.photos

    @Route(
        "POST",
        "/api/explain",
        Scope.CONTROL,
        parameters={"scheme": one_of(_SCHEMES, "The figure has the page's colours in it. Else those of print.")},
        body=PHOTO_BODY,
        answers={"image/png": {}},
        refusals=(409,),
    )
    async def explain(self, request: web.Request) -> web.Response:
        """Draw how the model came to its answer for a photo, as PNG.

        It is the figure of `vitcam explain`.
        """
        if "rollout" not in self._model.value.info.gives:
            raise UsageError(_NO_EXPLAIN)
        scheme = request.query.get("scheme", "")
        if scheme and scheme not in _SCHEMES:
            raise UsageError(f"scheme is {scheme[:40]!r}; it must be light or dark")
        png = await self._photos.serve(request, lambda photo: self._draw_figure(photo, scheme))
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": "no-store"})

    def _draw_figure(self, photo: bytes, scheme: str) -> bytes:
        draw = partial(self._backend.explain, scheme=scheme)
        return encode_png(ask_model(draw, self._backend.decode(photo)))


HANDLERS = (PhotoRoutes,)
