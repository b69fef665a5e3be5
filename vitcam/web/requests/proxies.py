"""Who asks, and by which name, behind reverse proxies.

Everybody can send `X-Forwarded-…`, so only that of the addresses in `web.proxies` is believed, and of a list only what
these proxies themselves have added.
"""

import ipaddress
from collections.abc import Sequence

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from multidict import CIMultiDict

from vitcam.web.requests.allowed_hosts import is_address

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class TrustedProxies:
    """Finds what a request was before proxies passed it on.

    networks  addresses or networks of the proxies, such as `192.168.1.2` or `10.0.0.0/8`
    """

    def __init__(self, networks: Sequence[str] = ()) -> None:
        self._networks = [ipaddress.ip_network(network, strict=False) for network in networks]

    def middleware(self) -> Middleware:
        """A request that a proxy passed on becomes the one that the proxy got: address, host and scheme."""

        @web.middleware
        async def resolve(request: web.Request, handler: Handler) -> web.StreamResponse:
            remote = request.remote or ""
            if self._networks and self.is_proxy(remote):
                return await handler(self._before(request, remote))
            return await handler(request)

        return resolve

    def said(self, request: web.Request, header: str) -> str:
        """The value of a header if a proxy has sent the request, else an empty text."""
        return _last(request, header) if self.is_proxy(request.remote or "") else ""

    def _before(self, request: web.Request, remote: str) -> web.Request:
        headers = CIMultiDict(request.headers)
        if host := _last(request, "X-Forwarded-Host"):
            headers["Host"] = host
        scheme = "https" if _last(request, "X-Forwarded-Proto").lower() == "https" else request.scheme
        address = self._client(remote, _listed(request, "X-Forwarded-For"))
        return request.clone(headers=headers, remote=address, scheme=scheme)

    def _client(self, remote: str, hops: Sequence[str]) -> str:
        """The address nearest to us that is not a proxy; a hop that is not an address ends the search."""
        address = remote
        for hop in reversed(hops):
            if not self.is_proxy(address) or not is_address(hop):
                break
            address = hop
        return address

    def is_proxy(self, address: str) -> bool:
        """Whether it is one of them."""
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        return any(found.version == network.version and found in network for network in self._networks)


def address_of(request: web.Request) -> str:
    """The client's IP address without its port; empty once the client has left."""
    return request.remote or ""


def _listed(request: web.Request, header: str) -> list[str]:
    """All values of a header that is a list, in their order."""
    return [part.strip() for line in request.headers.getall(header, []) for part in line.split(",") if part.strip()]


def _last(request: web.Request, header: str) -> str:
    """The value that the nearest proxy has added; empty if there is none."""
    values = _listed(request, header)
    return values[-1] if values else ""
