"""One HTTP request of a webhook, signed: certificates are checked, redirects not followed, everything has a limit."""

import hashlib
import hmac
import os
from urllib.parse import urlsplit

from vitcam._version import __version__

TIMEOUT_S = 10.0
_MOST_ANSWER = 1000  # bytes that are read
_LATER = frozenset({408, 425, 429})
TIMESTAMP, SIGNATURE = "X-Vitcam-Timestamp", "X-Vitcam-Signature"


class RetryLater(Exception):
    """It was not delivered, and may be later. The text says why."""


class WebhookRefused(Exception):
    """The receiver will never take it. The text says why."""


async def post(url: str, body: bytes, headers: dict[str, str]) -> str:
    """Send JSON; returns what the receiver said, as one sentence. Raises RetryLater, WebhookRefused.

    No text has more of the address than its host: the path of a webhook is often its password.
    """
    status = await send(url, body, {"Content-Type": "application/json", **headers})
    return _judged(urlsplit(url).netloc, status)


async def send(url: str, body: bytes, headers: dict[str, str]) -> int:
    """Send it; returns the status of the answer. Raises RetryLater where there is none."""
    import ssl

    import aiohttp  # takes 0.3 s

    host = urlsplit(url).netloc
    limits = aiohttp.ClientTimeout(total=TIMEOUT_S)
    sent = {"User-Agent": f"vitcam/{__version__}", **headers}
    try:
        async with (
            aiohttp.ClientSession(
                timeout=limits, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
            ) as session,
            session.post(url, data=body, headers=sent, allow_redirects=False) as answer,
        ):
            await answer.content.read(_MOST_ANSWER)
            return answer.status
    except TimeoutError:
        raise RetryLater(f"{host} did not answer within {TIMEOUT_S:g} s") from None
    except (aiohttp.ClientSSLError, ssl.SSLError):
        raise RetryLater(f"the certificate of {host} cannot be trusted") from None
    except aiohttp.ClientConnectorError as error:
        number = error.os_error.errno or 0  # below zero: getaddrinfo's own
        why = os.strerror(number) if number > 0 else "its name is not known"
        raise RetryLater(f"{host} cannot be reached: {why}") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise RetryLater(f"{host} did not answer as a web server does ({type(error).__name__})") from None


def _judged(host: str, status: int) -> str:
    said = f"{host} answered {status}"
    if 200 <= status < 300:
        return said
    if 300 <= status < 400:
        raise WebhookRefused(f"{said}, a redirect; put the address that it leads to into the rule")
    if status >= 500 or status in _LATER:
        raise RetryLater(said)
    raise WebhookRefused(said)


def signed(secret: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers for a body; without a secret the time alone.

    timestamp  seconds since the epoch
    source     RFC 2104; the time is signed, too, so that nobody can send an old one again unnoticed
    """
    headers = {TIMESTAMP: str(timestamp)}
    if secret:
        digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
        headers[SIGNATURE] = f"sha256={digest}"
    return headers
