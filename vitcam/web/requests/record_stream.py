"""An answer of server-sent events that ends: what has been done so far, and at the end what came of it."""

import json
from typing import Any

from aiohttp import web

from vitcam.sentence import with_keys


def record_stream() -> web.StreamResponse:
    """An answer that events can be written to once it is prepared."""
    return web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})


async def write_record(response: web.StreamResponse, record: dict[str, Any]) -> None:
    """Send a record, with the keys of its sentences, as an event of its `type`.

    One of the type `alive` only keeps the connection open.

    raises  ConnectionError if the client has left
    """
    kind = record["type"]
    text = ": alive\n\n" if kind == "alive" else f"event: {kind}\ndata: {json.dumps(with_keys(record))}\n\n"
    await response.write(text.encode())
