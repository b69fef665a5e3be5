"""The limits that the table of routes gives each route: how many requests at once, and how long they may be unread."""

from collections.abc import Sequence

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from vitcam.web.requests.admission import Quota
from vitcam.web.requests.connections import Connections
from vitcam.web.requests.proxies import address_of
from vitcam.web.route_table import USUAL, RequestLimits, Route

_ELSEWHERE = ("", "")


class RouteLimits:
    """Keeps every request to the limits of its route, and an address to its share of all connections.

    It counts the addresses that proxies name, so its middleware comes after theirs. What is found nowhere has the usual
    limits, too.
    """

    def __init__(self, routes: Sequence[Route], connections: Connections) -> None:
        self._connections = connections
        self._all = Quota(connections.most, connections.most_of_one, "requests")
        limits = {_ELSEWHERE: USUAL} | {(route.method, route.path): route.limits for route in routes}
        self._limits: dict[tuple[str, str], tuple[RequestLimits, Quota]] = {
            key: (each, Quota(each.at_once, each.of_one_address, f"requests of {key[1]}" if key[1] else "requests"))
            for key, each in limits.items()
        }

    def middleware(self) -> Middleware:
        """A request counts until its client has read the answer."""

        @web.middleware
        async def limit(request: web.Request, handler: Handler) -> web.StreamResponse:
            limits, quota = self._limits.get(_route_of(request), self._limits[_ELSEWHERE])
            address = address_of(request)
            with self._all.reserve(address), quota.reserve(address):
                self._connections.may_be_unread(request, limits.unread_s)
                response = await handler(request)
                await response.prepare(request)  # aiohttp would send it after all middleware
                await response.write_eof()
                return response

        return limit


def _route_of(request: web.Request) -> tuple[str, str]:
    """Method and path as the table has them."""
    resource = request.match_info.route.resource
    return "GET" if request.method == "HEAD" else request.method, resource.canonical if resource else ""
