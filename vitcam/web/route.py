"""One entry of the table of routes: what answers there, who may call it how often, and what its description says."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, TypeVar

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.web.openapi.schema import Schema, named

H = TypeVar("H", bound=Callable[[Any, web.Request], Awaitable[web.StreamResponse]])

JSON = "application/json"
BODY_REFUSALS = (400, 408, 413, 503)
"""How a request may be refused whose body is read: `requests/body.py` and `requests/admission.py`."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How many requests of a route are answered at once."""

    at_once: int = 320
    of_one_address: int = 160
    """Of one IP address, or of one home's network of IPv6: twenty browsers ask for six things each at once."""


USUAL = RequestLimits()
ENDLESS = RequestLimits(at_once=256, of_one_address=224)
"""For what does not end by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """One method of one path, written on the method that answers: `@Route("GET", "/api/state", Scope.READ, …)`.

    Access control, limits, router, `/openapi.json` and the table of docs/http.md are made from it.
    """

    method: str
    """GET (HEAD is answered, too), POST, PUT, PATCH or DELETE."""
    path: str
    """As aiohttp writes it, such as `/page/{name}`."""
    needs: Scope | None
    """What a caller must be allowed to do. None: everybody may call it."""
    _: KW_ONLY
    doc: str = ""
    """What it does, in one sentence; else the first line of the handler's docstring."""
    handler: str = ""
    """The name of the method that answers."""
    limits: RequestLimits = USUAL
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    """Of the query."""
    body: Mapping[str, Schema] = field(default_factory=dict)
    """Media type -> schema. With one, `BODY_REFUSALS` are among the refusals."""
    answers: Mapping[str, Schema] = field(default_factory=dict)
    """Status 200: media type -> schema; {} for bytes, such as a picture. Without any: it always leads elsewhere."""
    leads_to: str = ""
    """Where 303 leads, for people."""
    versioned: bool = False
    """True: it answers with the ETag of a document, and a change may name the version that it is of (If-Match)."""
    cached: bool = False
    """True: it answers 304 to a client that has it already."""
    ranges: bool = False
    """True: it answers 206 to a client that asks for a part (Range)."""
    refusals: tuple[int, ...] = ()
    """Further statuses that come with an `Error`; what every route answers stands in `openapi/document.py`."""
    unavailable: Mapping[str, Schema] = field(default_factory=dict)
    """What 503 may bring beside an `Error`."""

    def __call__(self, handler: H) -> H:
        """As a decorator of the method that answers: note the entry there."""
        doc = self.doc or (handler.__doc__ or "").partition("\n")[0]
        vars(handler).setdefault("routes", []).append(replace(self, doc=doc, handler=handler.__name__))
        return handler

    @property
    def key(self) -> tuple[str, str]:
        """Method and path: no other route has both."""
        return self.method, self.path


def key_of(request: web.Request) -> tuple[str, str]:
    """The key of a request's route. HEAD counts as GET; the path is empty where there is nothing."""
    resource = request.match_info.route.resource
    return "GET" if request.method == "HEAD" else request.method, resource.canonical if resource else ""


def as_json(name: str) -> dict[str, Schema]:
    """JSON of a schema of `openapi/components.py`, as a body or an answer."""
    return {JSON: named(name)}
