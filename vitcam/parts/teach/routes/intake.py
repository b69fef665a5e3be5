"""Photos that viewers bring to their data sets: one by one, or many in a zip."""

import asyncio
import os
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import closing
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import IO, Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.teach.datasets.collector import Collector
from vitcam.parts.teach.datasets.intake import Brought, PhotoIntake
from vitcam.parts.teach.datasets.photo_zip import PhotoZip, ZippedPhoto
from vitcam.parts.teach.datasets.teachable import MOST_PHOTOS, checked_label
from vitcam.pictures.photo_tree import PlacedPhoto, is_hidden, placed
from vitcam.sentence import Sentence
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import TEXT, Schema, array_of, described, record
from vitcam.web.requests.admission import Admission, Quota
from vitcam.web.requests.body import BodyLimits, read_json, receive_body
from vitcam.web.requests.photos import PHOTO_BODY
from vitcam.web.requests.proxies import address_of
from vitcam.web.requests.record_stream import record_stream, write_record
from vitcam.web.route import ENDLESS, JSON, Route, as_json

ZIP = BodyLimits(1024 * 2**20, 900.0, "the zip")
_LONGEST_S = 1800.0
"""For the photos of one zip."""
_LEAST_FREE = 256 * 2**20  # bytes that a zip leaves on the disk
_LONGEST_NAME = 200
_PATHS = BodyLimits(8 * 2**20, 30.0, "the list of paths")
_LATEST = 4_102_444_800.0  # the year 2100, in seconds since the epoch
_TAKEN: Schema = described(TEXT, "When it was taken, in seconds since the epoch; used where the photo does not say so.")
_CALLED: Schema = described(TEXT, "The name of its file.")
_LABEL: Schema = described(TEXT, "All photos get this label; without it, that of their folder.")


_LIST: Schema = record({"paths": array_of(TEXT, "Of all files of a folder, such as `photos/cat/1.jpg`.")})
_PLACES: Schema = record({"places": array_of(record({"label": TEXT, "why": TEXT}), "In the same order.")})


class IntakeRoutes(Handlers):
    """The thread that classifies uploaded photos decodes these, too, one after the other."""

    def __init__(self, app: AppContext) -> None:
        collector = app.parts.objects.one(Collector)
        self._intake = PhotoIntake(collector.data_sets, app.parts.photos.decode) if collector else None
        self._upload, self._disk = app.threads.upload, app.threads.edit
        self._photos = app.photos
        self._zips = Quota(1, 1, "zips of photos")
        self._lists = Admission(_PATHS, Quota(2, 2, "lists of paths"), app.threads.edit)

    @Route(
        "POST",
        "/api/datasets/{name}/{label}",
        Scope.CONTROL,
        parameters={"taken": _TAKEN, "called": _CALLED},
        body=PHOTO_BODY,
        answers=as_json("Brought"),
        refusals=(404, 409),
    )
    async def bring_photo(self, request: web.Request) -> web.Response:
        """Add a photo to a label.

        It is turned upright and made smaller. The same picture is kept once.
        """
        intake, asked = self._found(), request.match_info
        taken, called = _time(request.query.get("taken", "")), request.query.get("called", "")[:_LONGEST_NAME]
        brought: Brought = await self._photos.serve(
            request, lambda photo: intake.take(asked["name"], asked["label"], photo, called, taken)
        )
        return web.json_response(asdict(brought))

    @Route("POST", "/api/photo-labels", Scope.CONTROL, body={JSON: _LIST}, answers={JSON: _PLACES})
    async def labels(self, request: web.Request) -> web.Response:
        """Say which label each photo of a folder has by its place, as in a zip of that folder. Nothing is kept.

        Where a photo has no label, `why` says the reason; both are empty for what systems write beside photos.
        """
        places: list[PlacedPhoto] = await self._lists.serve(request, lambda body: _places(read_json(body)))
        found = [{"label": place.label, "why": place.why} for place in places]
        return web.json_response({"places": found})

    @Route(
        "POST",
        "/api/datasets/{name}",
        Scope.CONTROL,
        limits=ENDLESS,
        parameters={"label": _LABEL},
        body={"application/zip": {}},
        answers={
            "text/event-stream": described(
                TEXT, "`photo` for each file; at the end `report`, or `error` with one sentence."
            )
        },
        refusals=(404,),
    )
    async def bring_zip(self, request: web.Request) -> web.StreamResponse:
        """Add the photos of a zip, a folder a label.

        The answer says of each file whether it is kept, and else why not. It ends where the client leaves; what was
        kept until then stays.
        """
        self._found()
        name, label = request.match_info["name"], request.query.get("label", "")
        label = checked_label(label) if label else ""
        with self._zips.reserve(address_of(request)), closing(await self._room(name)) as file:
            await self._receive(request, file)
            photos = await self._do(PhotoZip, file)
            response = record_stream()
            await response.prepare(request)
            async for record in self._taken(photos, name, label):
                await write_record(response, record)
        await response.write_eof()
        return response

    async def _room(self, name: str) -> IO[bytes]:
        """A file without a name, so that nothing of it stays, on the disk of the data sets."""
        data_sets = self._found().data_sets

        def opened() -> IO[bytes]:
            data_sets.check_space(name)
            data_sets.folder.mkdir(0o750, parents=True, exist_ok=True)
            return tempfile.TemporaryFile(dir=data_sets.folder)

        opening = self._disk.submit(opened)
        try:
            return await asyncio.wrap_future(opening)
        except asyncio.CancelledError:  # the client has left, and nobody else would close it
            opening.add_done_callback(_close_opened)
            raise
        except OSError as error:
            raise VitcamError(f"{data_sets.folder} cannot be written: {error.strerror}") from error

    async def _receive(self, request: web.Request, file: IO[bytes]) -> None:
        """Write the body into the file, and leave the disk some room."""

        def write(chunk: bytes) -> None:
            found = os.fstatvfs(file.fileno())
            if found.f_bavail * found.f_frsize < _LEAST_FREE:
                raise VitcamError(
                    f"the disk has less than {_LEAST_FREE // 2**20} MiB left, which are not used for a zip; free some "
                    "of it, or send fewer photos"
                )
            file.write(chunk)

        async def take(chunk: bytes) -> None:
            await asyncio.wrap_future(self._disk.submit(write, chunk))

        try:
            await receive_body(request, ZIP, take)
        except OSError as error:
            if isinstance(error, ConnectionError):
                raise
            raise VitcamError(f"the zip cannot be written: {error.strerror}") from error

    async def _taken(self, photos: PhotoZip, name: str, label: str) -> AsyncIterator[dict[str, Any]]:
        """A record for each file, then one for all of them."""
        loop = asyncio.get_running_loop()
        ends, kept, left_out = loop.time() + _LONGEST_S, Counter[str](), 0
        for done, photo in enumerate(photos.photos, 1):
            if loop.time() > ends:
                slow = f"it took longer than {_LONGEST_S:g} s; send the rest in another zip"
                yield {"type": "error", "error": Sentence(slow, "teach.zip_slow", seconds=_LONGEST_S)}
                return
            try:
                brought = await self._do(self._one, photos, photo, name, label)
            except UsageError as error:
                brought = Brought("", error.sentence)
            except VitcamError as error:
                yield {"type": "error", "error": error.sentence}
                return
            kept[label or photo.label] += bool(brought.picture)
            left_out += not brought.picture
            yield {"type": "photo", "path": photo.path, "done": done, "total": len(photos.photos), **asdict(brought)}
        yield {"type": "report", "labels": {name: count for name, count in kept.items() if count}, "left_out": left_out}

    def _one(self, photos: PhotoZip, photo: ZippedPhoto, name: str, label: str) -> Brought:
        if not (label or photo.label):
            raise UsageError(photo.why)
        return self._found().take(name, label or photo.label, photos.read(photo), photo.name)

    def _do(self, work: Any, *given: Any) -> "asyncio.Future[Any]":
        return asyncio.wrap_future(self._upload.submit(partial(work, *given)))

    def _found(self) -> PhotoIntake:
        if self._intake is None:
            raise web.HTTPNotFound(text="this run keeps no pictures: it is one of files, or there is no state folder")
        return self._intake


def _close_opened(opening: "Future[IO[bytes]]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def _places(body: Any) -> list[PlacedPhoto]:
    """`{"paths": ["cat/1.jpg"]}`. Raises UsageError."""
    paths = body.get("paths") if isinstance(body, dict) and len(body) == 1 else None
    if not isinstance(paths, list) or not all(isinstance(path, str) and path.strip("/") for path in paths):
        raise UsageError('send {"paths": ["cat/1.jpg"]}, the paths of all files of a folder')
    if len(paths) > MOST_PHOTOS:
        many = f"the folder holds {len(paths):,} files; at most {MOST_PHOTOS:,} can be taught, so remove some"
        raise UsageError(Sentence(many, "teach.zip_many", n=len(paths), most=MOST_PHOTOS))
    split = [tuple(part for part in path.split("/") if part) for path in paths]
    seen = iter(placed([parts for parts in split if not is_hidden(parts)]))
    return [PlacedPhoto("") if is_hidden(parts) else next(seen) for parts in split]


def _time(text: str) -> datetime | None:
    """Raises UsageError."""
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LATEST:
        raise UsageError(f"taken is {text[:40]!r}; give seconds since the epoch, up to the year 2100, or leave it out")
    return datetime.fromtimestamp(seconds)
