"""What strangers may make the log say: one line a minute, however often they come."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

from aiohttp.http_exceptions import HttpProcessingError

log = logging.getLogger(__name__)

_EVERY_S = 60.0
_NO_ACCEPT = "socket.accept() out of system resource"  # asyncio.selector_events


def limit_accept_errors() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """For an event loop: asyncio reports each connection that it cannot accept, which makes 100 MB a minute."""
    due = 0.0

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal due
        if context.get("message") != _NO_ACCEPT:
            loop.default_exception_handler(context)
        elif (now := time.monotonic()) >= due:
            due = now + _EVERY_S
            log.error("too many connections: %s; new ones wait (said once a minute)", context.get("exception"))

    return handle


def protocol_logger() -> logging.Logger:
    """For aiohttp, which logs a whole traceback for each request that is not HTTP; its answer, 400, is enough."""
    logger = logging.getLogger("vitcam.web.protocol")
    logger.addFilter(_is_ours)
    return logger


def _is_ours(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)
