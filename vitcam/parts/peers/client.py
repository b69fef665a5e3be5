"""Asks one camera for its still, its state and its newest event, within a time and a size.

Peers stand in the configuration, or were added by somebody who may do everything here. So, other than addresses that
viewers type (`vitcam.fetch`), they may lie in the own network: that is where cameras are. No redirect is followed, so a
peer cannot send a request, or its token, to anywhere else.
"""

import base64
import errno
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import aiohttp

from vitcam._version import __version__
from vitcam.errors import VitcamError
from vitcam.parts.peers.access import PeerAccess
from vitcam.parts.peers.answers import (
    Caption,
    LastEvent,
    PeerStatus,
    caption_of,
    check_still,
    last_event_of,
    read_object,
    sentence_of,
    status_of,
)
from vitcam.parts.peers.peer import MOST_PEERS, Peer
from vitcam.parts.peers.resolver import NamesInThreads
from vitcam.sentence import Sentence

WITHIN_S = 5.0
"""From the lookup of the name to the last byte."""
_CONNECT_S = 4.0
_MOST_JPEG = 1 << 20  # bytes; a still of 640 px has a tenth of it
_MOST_JSON = 128 * 1024  # the state of 64 zones has a quarter of it
_PIECE = 64 * 1024
_STILL = "snapshot.jpg?width=640&overlay=none"
_HEADERS = {"User-Agent": f"vitcam/{__version__}", "Accept-Encoding": "identity"}
_NO_VITCAM: Final = Sentence("it does not answer as vitcam does; check its address", "peers.no_vitcam")


class PeerTrouble(VitcamError):
    """Why a camera gives nothing, as a sentence without a stop."""


class NotLetIn(PeerTrouble):
    """It asks for a token or a password, or does not accept the one that it was shown."""


class UnknownCertificate(PeerTrouble):
    """This machine does not trust its certificate."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came, read to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_jpeg(self) -> bool:
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower() == "image/jpeg"


def open_session() -> aiohttp.ClientSession:
    """For all peers together. It keeps no cookie, and unpacks nothing."""
    at_once = 2 * MOST_PEERS  # the picture of each, and its last event
    return aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=WITHIN_S, sock_connect=_CONNECT_S),
        connector=aiohttp.TCPConnector(limit=at_once, resolver=NamesInThreads(), ttl_dns_cache=60),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers=_HEADERS,
        auto_decompress=False,
    )


class PeerClient:
    """Each method raises PeerTrouble."""

    def __init__(self, session: aiohttp.ClientSession, peer: Peer, access: PeerAccess) -> None:
        self._session, self._peer, self._access = session, peer, access
        self._trust: Any = aiohttp.Fingerprint(bytes.fromhex(access.fingerprint)) if access.fingerprint else True
        self._headers = {"Authorization": f"Bearer {access.token}"} if access.token else {}

    async def still(self) -> tuple[bytes, Caption | None] | None:
        """A JPEG and what is displayed with it; None where the camera has no picture now."""
        answer = await self._get(_STILL, _MOST_JPEG)
        if answer.status == HTTPStatus.SERVICE_UNAVAILABLE and answer.is_jpeg:  # a placeholder
            return None
        self._check(answer)
        try:
            check_still(answer.body)
        except ValueError as error:
            raise PeerTrouble(str(error)) from None
        return answer.body, caption_of(answer.headers)

    async def state(self) -> tuple[PeerStatus, str]:
        """Its status, and the reason where it is not well."""
        answer = await self._get("api/state", _MOST_JSON)
        self._check(answer)
        try:
            return status_of(read_object(answer.body))
        except ValueError:
            raise PeerTrouble(_NO_VITCAM) from None

    async def last_event(self) -> LastEvent | None:
        """What happened last; None where nothing did, or it keeps no history."""
        answer = await self._get("api/events?limit=1", _MOST_JSON)
        if answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.SERVICE_UNAVAILABLE):
            return None
        self._check(answer)
        try:
            return last_event_of(read_object(answer.body))
        except ValueError:
            return None

    async def token_for(self, password: str, name: str) -> str:
        """A token that may look, for the camera's password; empty where it asks for none.

        name  of the token, which the other camera lists
        """
        shown = base64.b64encode(f"vitcam:{password}".encode()).decode()
        answer = await self._ask(
            "POST",
            "api/tokens",
            _MOST_JSON,
            json={"name": name, "scope": "read"},
            headers={"Authorization": f"Basic {shown}"},
        )
        if answer.status == HTTPStatus.UNAUTHORIZED:
            raise NotLetIn(Sentence("it does not accept this password", "peers.password"))
        if answer.status == HTTPStatus.FORBIDDEN:
            raise NotLetIn(
                Sentence(
                    "this password may only watch there; type the one that may change everything", "peers.only_watch"
                )
            )
        if answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED):
            return ""  # everybody may do everything there, or it is older than that
        self._check(answer)
        try:
            return str(read_object(answer.body)["token"])
        except (ValueError, LookupError):
            raise PeerTrouble(_NO_VITCAM) from None

    async def _get(self, path: str, most: int) -> Answer:
        return await self._ask("GET", path, most, headers=self._headers)

    async def _ask(self, method: str, path: str, most: int, **sent: Any) -> Answer:
        try:
            async with self._session.request(
                method, self._peer.base + path, ssl=self._trust, allow_redirects=False, **sent
            ) as answer:
                coding = answer.headers.get("Content-Encoding", "identity").lower()
                if (answer.content_length or 0) > most or coding != "identity":
                    raise PeerTrouble(_too_large(most))
                return Answer(answer.status, answer.headers, await _read(answer, most))
        except TimeoutError:
            slow = Sentence(f"it gave no complete answer within {WITHIN_S:g} s", "peers.slow", seconds=WITHIN_S)
            raise PeerTrouble(slow) from None
        except (aiohttp.ClientConnectorCertificateError, ssl.CertificateError) as error:
            raise UnknownCertificate(self._why(error)) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise PeerTrouble(self._why(error)) from None

    def _check(self, answer: Answer) -> None:
        """Raises PeerTrouble for a refusal."""
        status = answer.status
        if status == HTTPStatus.OK:
            return
        if status == HTTPStatus.UNAUTHORIZED:
            keep = f"keep it here with `vitcam token peer {self._peer.name}`"
            more = f"create one there with `vitcam token create`, and {keep}"
            sentence = Sentence(f"it asks for a token; {more}", "peers.wants_token")
            if self._access.token:
                sentence = Sentence(f"it does not accept the token that is kept for it; {more}", "peers.token_gone")
            # the page cannot add again what the configuration names
            raise NotLetIn(sentence if self._access.address else str(sentence))
        if 300 <= status < 400:
            raise PeerTrouble(Sentence("it leads to another address; use that one", "peers.redirect"))
        said = sentence_of(answer.body)
        raise PeerTrouble(f"it answers {status}: {said}" if said else _NO_VITCAM)

    def _why(self, error: Exception) -> str:
        name = self._peer.name
        if isinstance(error, aiohttp.ServerFingerprintMismatch):
            return Sentence(
                "its certificate is not the one that is trusted here; if it has a new one, name that with "
                f"`vitcam token peer {name} --fingerprint …`",
                "peers.certificate_other",
            )
        if isinstance(error, (aiohttp.ClientConnectorCertificateError, ssl.CertificateError)):
            return Sentence(
                "its certificate is not known to this machine; `vitcam doctor` shows its fingerprint, and "
                f"`vitcam token peer {name} --fingerprint …` trusts it",
                "peers.certificate_unknown",
            )
        if isinstance(error, (aiohttp.ClientSSLError, ssl.SSLError)):
            return Sentence("it does not speak https there; check its address", "peers.no_https")
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return Sentence("its name is not known in this network; check its address", "peers.no_name")
        number = error.errno if isinstance(error, OSError) else None
        if number == errno.ECONNREFUSED:
            nothing = "nothing answers at its address; check that it is on, and that vitcam runs there"
            return Sentence(nothing, "peers.nothing")
        if number is not None and number > 0:
            return Sentence(f"it cannot be reached: {os.strerror(number)}", "peers.unreachable")
        if isinstance(error, aiohttp.ServerDisconnectedError):
            hint = "" if self._peer.is_secure else "; if it speaks https, its address begins with https://"
            return Sentence(f"it ended the connection without an answer{hint}", "peers.ended")
        return _NO_VITCAM


async def _read(answer: aiohttp.ClientResponse, most: int) -> bytes:
    """Raises PeerTrouble for what is larger than `most` bytes."""
    data = bytearray()
    async for piece in answer.content.iter_chunked(_PIECE):
        data += piece
        if len(data) > most:
            answer.close()  # whatever comes yet
            raise PeerTrouble(_too_large(most))
    return bytes(data)


def _too_large(most: int) -> str:
    what = "a picture" if most == _MOST_JPEG else "an answer"
    return f"it sends {what} of more than {most // 1024:,} KiB, which no vitcam does"
