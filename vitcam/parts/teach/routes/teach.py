"""Teaching a model with a data set of your own, in another process: the camera continues meanwhile."""

import asyncio
import contextlib
import json
import os
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from typing import Any, cast

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.model.files import model_folders
from vitcam.parts.teach.datasets.collector import Collector
from vitcam.parts.teach.inbox.target import base_of_model
from vitcam.processes import bound
from vitcam.processes.child import without_settings
from vitcam.sentence import Sentence
from vitcam.storage.file_names import can_name_file
from vitcam.storage.files import remove_abandoned
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import TEXT, described
from vitcam.web.requests.admission import CHANGE, Quota
from vitcam.web.requests.body import read_body, read_json
from vitcam.web.requests.proxies import address_of
from vitcam.web.requests.record_stream import record_stream, write_record
from vitcam.web.route import ENDLESS, Route, as_json

_LONGEST_S = 900.0
_QUIET_S = 10.0
_MOST_LINE = 8 * 2**20  # bytes: a report names every picture that may be named wrong
_KEYS = frozenset({"dataset", "name", "base", "add_to", "compare"})
_FORM = 'send {"dataset": "mine", "name": "my things"}; "base", "add_to" and "compare" may be added'


class TeachRoute(Handlers):
    """One teaching at a time. It ends where its client leaves, and nothing is written then."""

    def __init__(self, app: AppContext) -> None:
        self._collector = app.parts.objects.one(Collector)
        self._model = app.parts.model
        self._reads = app.threads.reads
        self._quota = Quota(1, 1, "teachings")

    @Route(
        "POST",
        "/api/teach",
        Scope.CONTROL,
        limits=ENDLESS,
        body=as_json("TeachRequest"),
        answers={
            "text/event-stream": described(TEXT, "`progress`; at the end `report`, or `error` with one sentence.")
        },
        refusals=(404,),
    )
    async def teach(self, request: web.Request) -> web.StreamResponse:
        """Teach a model with a data set, on this machine.

        The answer says how far it is, and at the end how well the model knows each label. `POST /api/model` uses it.
        Without `base`, the model in use is taught, or what that was taught from. With `compare`, the report has
        `compared`: the model in use beside the new one.
        """
        collector = self._collector
        if collector is None:
            raise web.HTTPNotFound(text="this run has no data sets: it is one of files, or there is no state folder")
        with self._quota.reserve(address_of(request)):
            asked = read_task(read_json(await read_body(request, CHANGE)))
            folder = await asyncio.wrap_future(self._reads.submit(collector.data_sets.path, asked["dataset"]))
            in_use = self._model.value
            base = asked["base"] or base_of_model(in_use.info.card, in_use.name_or_file)
            options = ["-o", asked["name"], f"--base={base}", *(["--add-to"] if asked["add_to"] else [])]
            options += [f"--versus={in_use.name_or_file}"] if asked["compare"] else []
            try:
                async with _running("teach", str(folder), *options, "--json") as child:
                    return await _send(request, child)
            finally:
                self._reads.submit(remove_abandoned, model_folders()[0])  # what the child left, if it was killed


def read_task(body: Any) -> dict[str, Any]:
    """What is to be taught. Raises UsageError."""
    if not isinstance(body, dict) or not body.keys() <= _KEYS:
        raise UsageError(_FORM)
    asked: dict[str, Any] = {"base": "", "add_to": False, "compare": False} | body
    texts = all(isinstance(asked.get(key), str) for key in ("dataset", "name", "base"))
    texts = texts and bool(asked["dataset"] and asked["name"])
    # a text that begins like an option would be one, and a path would lead anywhere
    names = [asked["name"], *([asked["base"]] if asked["base"] else [])]
    plain = texts and all(can_name_file(name) and not name.startswith("-") for name in names)
    if not plain or not all(isinstance(asked[key], bool) for key in ("add_to", "compare")):
        raise UsageError(_FORM)
    return asked


@contextlib.asynccontextmanager
async def _running(*arguments: str) -> AsyncIterator[Process]:
    """`vitcam` with these arguments, at low priority; killed at the end of the context, and with this process."""
    child = await asyncio.create_subprocess_exec(
        *bound.command(*arguments),
        stdin=DEVNULL, stdout=PIPE, stderr=PIPE, limit=_MOST_LINE, env=without_settings(os.environ),
    )  # fmt: skip
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        await child.wait()


async def _send(request: web.Request, child: Process) -> web.StreamResponse:
    """Pass on each line of the child as an event. What it refuses before the first one is an answer 400."""
    response = record_stream()
    async for record in _lines(child):
        if not response.prepared:
            if record["type"] == "alive":  # a busy machine takes its time to start it
                continue
            if record["type"] == "error":
                raise UsageError(_with_key(record))
            await response.prepare(request)
        await write_record(response, record)
    await response.write_eof()
    return response


async def _lines(child: Process) -> AsyncIterator[dict[str, Any]]:
    """What the child says, and at the end why it failed, if it did. "alive" where it says nothing for long."""
    out, err = cast(StreamReader, child.stdout), cast(StreamReader, child.stderr)  # as `PIPE` gives them
    errors = asyncio.create_task(err.read())
    ends = asyncio.get_running_loop().time() + _LONGEST_S
    waiting: asyncio.Task[bytes] | None = None
    try:
        while True:
            waiting = waiting or asyncio.create_task(out.readline())
            done, _ = await asyncio.wait({waiting}, timeout=_QUIET_S)
            if asyncio.get_running_loop().time() > ends:
                yield {"type": "error", "error": f"it took longer than {_LONGEST_S:g} s; teach fewer pictures"}
                return
            if not done:
                yield {"type": "alive"}
                continue
            line, waiting = waiting.result(), None
            if not line:
                break
            record = json.loads(line)
            yield record
            if record["type"] == "error":
                return
        if await child.wait():
            yield {"type": "error", "error": _sentence(await errors)}
    finally:
        for task in (errors, waiting):
            if task is not None:
                task.cancel()


def _with_key(record: dict[str, Any]) -> str:
    """The sentence of a refusal."""
    said = record.get("said", ())
    return Sentence(record["error"], said[0]["key"], **said[0]["values"]) if said else record["error"]


def _sentence(errors: bytes) -> str:
    """The last line of what a command says to people."""
    said = errors.decode(errors="replace").strip().splitlines()
    return said[-1].removeprefix("vitcam: ") if said else "the teaching ended without a word; try again"
