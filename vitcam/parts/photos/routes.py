"""The figure of a photo, by the interpreter of uploaded photos, so that the camera does not wait."""

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.pictures.encode import encode_png
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.photos import PHOTO_BODY, ask_model
from vitcam.web.route import Route

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

    @Route("POST", "/api/explain", Scope.CONTROL, body=PHOTO_BODY, answers={"image/png": {}}, refusals=(409,))
    async def explain(self, request: web.Request) -> web.Response:
        """Draw how the model came to its answer for a photo, as PNG.

        It is the figure of `vitcam explain`.
        """
        if "rollout" not in self._model.value.info.gives:
            raise UsageError(_NO_EXPLAIN)
        png = await self._photos.serve(request, self._draw_figure)
        return web.Response(body=png, content_type="image/png", headers={"Cache-Control": "no-store"})

    def _draw_figure(self, photo: bytes) -> bytes:
        return encode_png(ask_model(self._backend.explain, self._backend.decode(photo)))


HANDLERS = (PhotoRoutes,)
