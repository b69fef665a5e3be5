"""Where browsers find this vitcam on its host: behind a reverse proxy that may be a path such as `/cameras/vitcam`.

The page itself needs to know nothing of it, since all its addresses are relative. What needs it are the path of the
cookie, and addresses in answers.
"""

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from multidict import CIMultiDict

from vitcam.config.base_path import is_base_path
from vitcam.web.requests.proxies import TrustedProxies

_HEADER = "X-Forwarded-Prefix"


class BasePath:
    """Finds the base path of each request. It also works where a proxy leaves that path in the address.

    given    the setting `web.base`; empty: the root of the host
    proxies  whose `X-Forwarded-Prefix` is believed; it comes before the setting
    """

    def __init__(self, given: str, proxies: TrustedProxies) -> None:
        self._given = given.strip().rstrip("/")
        self._proxies = proxies

    def middleware(self) -> Middleware:
        """From here on, the `X-Forwarded-Prefix` of a request is its path. What others wrote there is removed.

        It comes before the proxies' own middleware, which replaces the address.
        """

        @web.middleware
        async def resolve(request: web.Request, handler: Handler) -> web.StreamResponse:
            base = self._of(request)
            if base and request.path == base and request.method in ("GET", "HEAD"):
                query = f"?{request.query_string}" if request.query_string else ""
                # relative addresses need the slash
                return web.Response(status=307, headers={"Location": f"{base}/{query}", "Cache-Control": "no-store"})
            if request.headers.getall(_HEADER, []) != ([base] if base else []):
                headers = CIMultiDict(request.headers)
                headers.popall(_HEADER, None)
                if base:
                    headers[_HEADER] = base
                request = request.clone(headers=headers)
            return await handler(request)

        return resolve

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Let every route be found below the path, too."""
        router.register_resource(_Below(router, self))

    def inner_path(self, request: web.Request) -> str | None:
        """What follows the path in the request's own path, from its slash on; None if it is not below it, just once."""
        base, path = self._of(request), request.rel_url.raw_path
        if not base or not f"{path}/".startswith(f"{base}/"):
            return None
        inner = path.removeprefix(base) or "/"
        return None if f"{inner}/".startswith(f"{base}/") else inner

    def _of(self, request: web.Request) -> str:
        said = self._proxies.said(request, _HEADER)
        return said.rstrip("/") if said and is_base_path(said) else self._given


class _Below(web.PlainResource):
    """Stands for every path below the base path."""

    def __init__(self, router: web.UrlDispatcher, base: BasePath) -> None:
        super().__init__("/")
        self._resolver = router
        self._base = base

    async def resolve(self, request: web.Request) -> tuple[web.UrlMappingMatchInfo | None, set[str]]:
        inner = self._base.inner_path(request)
        if inner is None:
            return None, set()
        found = await self._resolver.resolve(request.clone(rel_url=request.rel_url.with_path(inner, encoded=True)))
        if isinstance(found.http_exception, web.HTTPMethodNotAllowed):
            return None, found.http_exception.allowed_methods
        return (None if found.http_exception else found), set()


def base_of(request: web.Request) -> str:
    """The path such as `/cameras/vitcam`; empty for the root of the host, and where nobody says it."""
    return request.headers.get(_HEADER, "")


def address_on_page(request: web.Request, name: str) -> str:
    """For `Location`: the address of the page (empty name) or of `login`.

    Where nobody says the path it is relative. So it is right behind every proxy, and for a request of the page itself.
    """
    base = base_of(request)
    return f"{base}/{name}" if base else name or "./"
