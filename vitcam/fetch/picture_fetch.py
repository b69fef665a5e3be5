"""Fetches a picture from a public address, within a time and a size.

A name is looked up once for each connection, all of its addresses are checked, and the connection goes to one of these:
the name cannot mean something else in between. It is the same again for every redirect.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import Protocol

from vitcam._version import __version__
from vitcam.errors import UsageError, VitcamError
from vitcam.fetch.picture_url import PORTS, PictureUrl
from vitcam.fetch.public_address import is_public, own_networks
from vitcam.sources.network.address import reason_of, status_words
from vitcam.sources.network.connection import DeadlineConnection
from vitcam.sources.network.name_lookup import NameLookup

MAX_BYTES = 16 * 1024 * 1024
_WITHIN_S = 20.0  # from the lookup of the name to the last byte
_STEP_S = 5.0
_MOST_REDIRECTS = 5
_MOST_ADDRESSES = 2  # of a host, tried one after the other
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BINARY = frozenset({"application/octet-stream", "binary/octet-stream"})
_PIECE = 64 * 1024
_HEADERS = {
    "User-Agent": f"vitcam/{__version__}",
    "Accept": "image/jpeg, image/png, image/webp, image/bmp",
    "Accept-Encoding": "identity",
    "Connection": "close",
}


class HostLookup(Protocol):
    """Finds the addresses of a host; `NameLookup` is one."""

    def __call__(self, host: str, limit_s: float) -> Sequence[str]:
        """The addresses. Raises OSError."""

    def hang_up(self) -> None:
        """End the lookup that runs, if one does."""


class PublicLookup:
    """The addresses of a host, if all of them are public.

    lookup  finds them
    public  says of an address whether it is
    """

    def __init__(self, lookup: HostLookup, public: Callable[[str], bool]) -> None:
        self._lookup, self._public = lookup, public

    def __call__(self, host: str) -> tuple[str, ...]:
        """Raises OSError; UsageError where one of them is not public."""
        addresses = tuple(self._lookup(host, _STEP_S))
        if not all(map(self._public, addresses)):
            raise UsageError(f"{host} is not on the public internet; nothing of this machine or its network is fetched")
        return addresses[:_MOST_ADDRESSES]

    def hang_up(self) -> None:
        self._lookup.hang_up()


def on_the_internet(address: str) -> bool:
    """Whether an address is public, and in none of the networks that this machine is in now."""
    return is_public(address, own_networks())


class PictureFetch:
    """Called in one thread; `close` in any.

    lookup    finds the addresses of a host
    public    says of an address whether it may be asked
    ports     that may be asked
    within_s  how long all of it may take
    """

    def __init__(
        self,
        lookup: Callable[[], HostLookup] = NameLookup,
        public: Callable[[str], bool] = on_the_internet,
        ports: tuple[int, ...] = PORTS,
        within_s: float = _WITHIN_S,
    ) -> None:
        self._lookup, self._public = lookup, public
        self._ports, self._within_s = ports, within_s
        self._lock = threading.Lock()
        self._closed = False
        self._connected: DeadlineConnection | None = None

    def __call__(self, address: str) -> bytes:
        """What is at an address: at most `MAX_BYTES`, not looked into.

        raises  UsageError where it may not be asked, or gives no picture; VitcamError after `close`
        """
        url = PictureUrl.of(address, self._ports)
        with DeadlineConnection(PublicLookup(self._lookup(), self._public)) as connected:
            with self._lock:
                if self._closed:
                    raise VitcamError("vitcam is ending")
                self._connected = connected
            try:
                with connected.deadline(self._within_s):
                    data = self._follow(connected, url)
            except (OSError, HTTPException, ValueError) as error:
                raise self._failed(url, connected, reason_of(error)) from error
            finally:
                self._connected = None
            if connected.timed_out:  # what was read until then looks like all of it
                raise self._failed(url, connected, "")
            return data

    def close(self) -> None:
        """End a fetch that is running, and begin no other."""
        with self._lock:
            self._closed = True
            connected = self._connected
        if connected is not None:
            connected.shut_down()

    def _failed(self, url: PictureUrl, connected: DeadlineConnection, reason: str) -> VitcamError:
        if self._closed:
            return VitcamError("vitcam is ending")
        if connected.timed_out:
            reason = f"it took more than {self._within_s:g} s"
        return UsageError(f"{url.host} gave no picture: {reason}; save the picture, and send it as a file")

    def _follow(self, connected: DeadlineConnection, url: PictureUrl) -> bytes:
        for _ in range(_MOST_REDIRECTS + 1):
            with closing(connected.to(url.parts, _STEP_S)) as line:
                line.request("GET", url.target, headers=_HEADERS)
                with closing(line.getresponse()) as response:
                    location = response.headers.get("Location")
                    if response.status not in _REDIRECTS or location is None:
                        return _read(url, response)
                    url = url.leads_to(location, self._ports)  # whatever the body is, it is not read
        raise UsageError(f"{url.host} leads to another address more than {_MOST_REDIRECTS} times; give the last one")


def _read(url: PictureUrl, response: HTTPResponse) -> bytes:
    if response.status != HTTPStatus.OK:
        raise UsageError(f"{url.host} answers {status_words(response.status)}; give the address of a picture")
    coding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise UsageError(f"{url.host} sends Content-Encoding {coding[:20]!r}; save the picture, and send it as a file")
    kind = response.headers.get_content_type() if "Content-Type" in response.headers else ""
    if kind and not kind.startswith("image/") and kind not in _BINARY:
        raise UsageError(f"{url.host} answers with {kind[:40]!r}; give the address of a picture itself, not of a page")
    if (response.length or 0) > MAX_BYTES:
        raise _too_large(url)
    data = bytearray()
    while piece := response.read1(_PIECE):
        data += piece
        if len(data) > MAX_BYTES:
            raise _too_large(url)
    if response.length:
        raise OSError(0, "it ended before the picture was complete")
    return bytes(data)


def _too_large(url: PictureUrl) -> UsageError:
    return UsageError(f"the picture at {url.host} is larger than {MAX_BYTES >> 20} MiB; give a smaller one")
