"""One HTTP request to a receiver: certificates are checked, redirects not followed, everything has a limit."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from vitcam._version import __version__
from vitcam.sentence import Sentence

TIMEOUT_S = 10.0
_MOST_ANSWER = 4000  # bytes that are read
_LATER = frozenset({408, 425, 429})


class RetryLater(Exception):
    """It was not delivered, and may be later. The sentence says why.

    after_s  how long the receiver wants to be left alone; 0: it does not say
    """

    def __init__(self, why: str, after_s: float = 0.0) -> None:
        super().__init__(why)
        self.sentence = why
        self.after_s = after_s


class Refused(Exception):
    """The receiver will never take it. The sentence says why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.sentence = why


@dataclass(frozen=True, slots=True)
class Answer:
    """What a receiver said."""

    status: int
    body: bytes = b""
    """Its first bytes."""
    after_s: float = 0.0
    """How long it wants to be left alone (`Retry-After`); 0: it does not say."""


async def send(url: str, body: bytes, headers: dict[str, str], timeout_s: float | None = None) -> Answer:
    """Send a POST; returns the answer. Raises RetryLater where there is none within `timeout_s` (None: `TIMEOUT_S`).

    No text has more of the address than its host: the path is often its password.
    """
    import ssl

    import aiohttp  # takes 0.3 s

    host, timeout_s = urlsplit(url).netloc, timeout_s or TIMEOUT_S
    limits = aiohttp.ClientTimeout(total=timeout_s)
    sent = {"User-Agent": f"vitcam/{__version__}", "Accept-Encoding": "identity", **headers}
    try:
        async with (
            aiohttp.ClientSession(
                timeout=limits, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False
            ) as session,
            session.post(url, data=body, headers=sent, allow_redirects=False) as answer,
        ):
            said = await answer.content.read(_MOST_ANSWER)
            return Answer(answer.status, said, _seconds(answer.headers.get("Retry-After", "")))
    except TimeoutError:
        silent = f"{host} did not answer within {timeout_s:g} s"
        raise RetryLater(Sentence(silent, "alerts.silent", host=host)) from None
    except (aiohttp.ClientSSLError, ssl.SSLError):
        untrusted = f"the certificate of {host} cannot be trusted"
        raise RetryLater(Sentence(untrusted, "alerts.untrusted", host=host)) from None
    except aiohttp.ClientConnectorError as error:
        number = error.os_error.errno or 0  # below zero: getaddrinfo's own
        why = os.strerror(number) if number > 0 else "its name is not known"
        raise RetryLater(Sentence(f"{host} cannot be reached: {why}", "alerts.unreachable", host=host)) from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        strange = f"{host} did not answer as a web server does ({type(error).__name__})"
        raise RetryLater(Sentence(strange, "alerts.strange", host=host)) from None


def judged(host: str, answer: Answer) -> Sentence:
    """What the receiver said, as a part of a sentence, where it took it. Raises RetryLater, Refused."""
    said = Sentence(f"{host} answered {answer.status}", "alerts.answered", host=host, status=answer.status)
    if 200 <= answer.status < 300:
        return said
    if 300 <= answer.status < 400:
        leads = f"{said}, a redirect; put the address that it leads to into the rule"
        raise Refused(Sentence(leads, "alerts.redirect", host=host))
    if answer.status >= 500 or answer.status in _LATER:
        raise RetryLater(said, answer.after_s)
    raise Refused(said)


def _seconds(text: str) -> float:
    """The number of a `Retry-After`; 0 where it is a date or nothing."""
    return float(text) if text.isascii() and text.isdecimal() else 0.0
