"""Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

_MOST_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Message:
    """One of them; a comment has no kind and no data."""

    kind: str
    data: Any


async def messages_in(chunks: AsyncIterator[bytes]) -> AsyncIterator[Message]:
    """The messages of a body. Raises ValueError where it is none of server-sent events."""
    waiting = b""
    async for chunk in chunks:
        waiting += chunk
        *blocks, waiting = waiting.split(b"\n\n")
        if len(waiting) > _MOST_BYTES:
            raise ValueError("a message is too long")
        for block in blocks:
            yield _message(block)


def _message(block: bytes) -> Message:
    kind, data = "", ""
    for line in block.decode().split("\n"):
        name, _, value = line.partition(":")
        if name == "event":
            kind = value.strip()
        elif name == "data":
            data += value
    return Message(kind, json.loads(data) if data else None)
