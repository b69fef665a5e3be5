"""Rate limits for the log: clients, however many, cannot fill it."""

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
    """An exception handler for an event loop that logs connections it cannot accept at most once a minute.

    asyncio logs each of them, which makes 100 MB a minute.
    """
    due = 0.0

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal due
        if context.get("message") != _NO_ACCEPT:
            loop.default_exception_handler(context)
        elif (now := time.monotonic()) >= due:
            due = now + _EVERY_S
            log.error("too many connections: %s; new ones wait (logged once a minute)", context.get("exception"))

    return handle


def protocol_logger() -> logging.Logger:
    """A logger for aiohttp without requests that are not HTTP.

    aiohttp logs a whole traceback for each of them. Its answer with status 400 is enough.
    """
    logger = logging.getLogger("vitcam.web.protocol")
    logger.addFilter(_is_no_client_error)
    return logger


def _is_no_client_error(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError)
