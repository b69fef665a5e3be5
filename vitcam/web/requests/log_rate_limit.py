"""The log of requests: clients, however many, cannot fill it."""

import logging

from aiohttp.http_exceptions import HttpProcessingError


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
