"""Predictions as server-sent events: a client gets the newest one when it has read the last."""

import asyncio
import json

from aiohttp import web

from vitcam.frames import Prediction
from vitcam.web.live import AsyncSlot
from vitcam.web.stream.back_pressure import BackPressure
from vitcam.wire import frame_record, nested_lists, prediction_record

EVENT_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}
_MAX_PER_S = 30.0
_KEEP_ALIVE_S = 15.0
_WRITE_TIMEOUT_S = 30.0
_ALLOWED_UNREAD = 4096  # a few messages
_RETRY = b"retry: 1000\n\n"  # how soon a browser comes back after a restart, in ms
_COMMENT = b":\n\n"


class PredictionFeed:
    """Serialises each prediction once, however many clients receive it."""

    def __init__(self, slot: AsyncSlot[Prediction]) -> None:
        self._slot = slot
        self._messages: dict[bool, tuple[int, bytes]] = {}

    async def send(self, response: web.StreamResponse, transport: asyncio.Transport, *, attention: bool) -> None:
        """Send predictions until the client leaves or stops reading."""

        async def probe(size: int) -> None:
            await response.write(b":" + b"." * size + b"\n\n")

        back_pressure = BackPressure(transport, probe)
        await response.write(_RETRY)
        version = 0
        try:
            while True:
                found = await self._slot.newer(version, _KEEP_ALIVE_S)
                async with asyncio.timeout(_WRITE_TIMEOUT_S):
                    await response.write(self._message(*found, attention=attention) if found else _COMMENT)
                    await back_pressure.wait_until_read(_ALLOWED_UNREAD)
                version = found[0] if found else version
                await asyncio.sleep(1 / _MAX_PER_S)
        except (ConnectionError, TimeoutError):
            transport.abort()

    def _message(self, version: int, prediction: Prediction, *, attention: bool) -> bytes:
        cached = self._messages.get(attention)
        if cached is None or cached[0] != version:
            cached = self._messages[attention] = (version, _serialise(prediction, attention=attention))
        return cached[1]


def _serialise(prediction: Prediction, *, attention: bool) -> bytes:
    record = {**prediction_record(prediction), "frame": frame_record(prediction)}
    if attention:
        record["attention"] = nested_lists(prediction.attention)
    return f"event: prediction\nid: {prediction.seq}\ndata: {json.dumps(record)}\n\n".encode()
