"""Photos that come with requests: as the body, in a form, or as the address of one on the internet."""

from collections.abc import Callable
from typing import Any, TypeVar

from aiohttp import web

from vitcam.errors import UsageError, VitcamError
from vitcam.web.given import WebParts, WebThreads
from vitcam.web.openapi.schema import TEXT, Schema, record
from vitcam.web.requests.admission import CHANGE, Admission, Quota
from vitcam.web.requests.body import Body, BodyLimits, read_field, read_json
from vitcam.web.route import JSON

T = TypeVar("T")
R = TypeVar("R")

MAX_BYTES = 32 * 1024 * 1024
MAX_AT_ONCE = 4
MAX_OF_ONE = 3  # of one address, so that its slow uploads leave room for others
PHOTO = BodyLimits(MAX_BYTES, 60.0, "the photo")
ADDRESS: dict[str, Schema] = {JSON: record({"url": TEXT}, "The address of a picture; only with `web.fetch`.")}
_FORM: Schema = {
    "type": "object",
    "properties": {"image": {"type": "string", "contentMediaType": "application/octet-stream"}},
    "required": ["image"],
}
PHOTO_BODY: dict[str, Schema] = {
    "image/*": {},
    "application/octet-stream": {},
    "multipart/form-data": _FORM,
    **ADDRESS,
}


class PhotoRequests:
    """Works on one photo after the other, and fetches one after the other beside that."""

    def __init__(self, parts: WebParts, threads: WebThreads) -> None:
        self._fetch = parts.fetch
        self._photos = Admission(PHOTO, Quota(MAX_AT_ONCE, MAX_OF_ONE, "photos"), threads.upload)
        self._fetches = Admission(CHANGE, Quota(MAX_AT_ONCE, MAX_OF_ONE, "addresses"), threads.fetch)

    @property
    def fetches(self) -> bool:
        """Whether pictures may be fetched from addresses."""
        return self._fetch is not None

    async def serve(self, request: web.Request, work: Callable[[bytes], T]) -> T:
        """What `work` returns for the photo of a request. Raises what `Admission.serve` raises."""
        if request.content_type == JSON:
            return await self.serve_address(request, work)
        return await self._photos.serve(request, lambda body: work(_read_photo(body)))

    async def serve_address(self, request: web.Request, work: Callable[[bytes], T]) -> T:
        """What `work` returns for the photo at the address that a request names. Raises HTTPConflict, too."""
        fetch = self._fetch
        if fetch is None:
            raise web.HTTPConflict(
                text="pictures are fetched from addresses only with `fetch = true` below [web] in the configuration"
            )
        data = await self._fetches.serve(request, lambda body: fetch(_read_address(read_json(body))))
        return await self._photos.serve(request, lambda body: work(body.data), Body(data, ""))


def _read_photo(body: Body) -> bytes:
    """The body, or the field `image` of a form. Raises UsageError if there is no photo."""
    data = read_field(body, "image") if body.is_form else body.data
    if not data:
        raise UsageError("the request contains no photo; send one as the body, or as the form's field 'image'")
    return data


def _read_address(body: Any) -> str:
    """`{"url": "https://example.org/cat.jpg"}`. Raises UsageError."""
    address = body.get("url") if isinstance(body, dict) else None
    if not isinstance(address, str):
        raise UsageError('send {"url": "https://example.org/cat.jpg"}, the address of a picture')
    return address


def ask_model(question: Callable[[T], R], photo: T) -> R:
    """The model's answer. If the model cannot be loaded, that is an error of the server (503), not of the client."""
    try:
        return question(photo)
    except VitcamError as error:
        raise web.HTTPServiceUnavailable(text=str(error)) from error
