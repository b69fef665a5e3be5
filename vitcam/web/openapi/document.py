"""`GET /openapi.json`: every route of the table, with what it takes and answers, and who may call it."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from aiohttp import web

from vitcam._version import __version__
from vitcam.access.tokens import Scope
from vitcam.parts import PARTS
from vitcam.run.part import load_each
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.components import components
from vitcam.web.openapi.schema import TEXT, Schema
from vitcam.web.requests.base_path import base_of
from vitcam.web.route import BODY_REFUSALS, JSON, Route, as_json

_INTRODUCTION = (
    "A camera that says what it sees and shows where it looked. A daemon that is bound to this machine alone asks for "
    "no credentials; any other does, unless it was told not to."
)
_SCHEMES: dict[str, Schema] = {
    "basic": {"type": "http", "scheme": "basic", "description": "The user is `vitcam`; the password is the daemon's."},
    "bearer": {"type": "http", "scheme": "bearer", "description": "A token of `vitcam token create`."},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "vitcam_session",
        "description": "What a browser gets for the password.",
    },
}
_WHY = {
    206: "A part of it, as the request's Range asks.",
    304: "The client has it already.",
    400: "What was sent is invalid.",
    401: "There are no credentials, or wrong ones.",
    403: "The `Host` is not one of this vitcam's names, another site's page asks, or the token's scope is too small.",
    404: "There is nothing of that name.",
    408: "The body did not arrive in time.",
    409: "The source cannot do that, or the configuration says otherwise.",
    412: "It was changed after the version that `If-Match` names.",
    413: "The body is too large.",
    416: "The file has no such part.",
    429: "There are too many variants, or too many attempts with wrong credentials.",
    503: "It is busy, or there is no picture or no answer now.",
}


_ETAG: dict[str, Any] = {"description": "The version of the document: another one where it is.", "schema": TEXT}
_IF_MATCH: dict[str, Any] = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag of the version that the change is of. Without it, any version is changed.",
    "schema": {"type": "string", "pattern": r'^(\*|"[0-9a-f]{24}")$'},
}


class OpenApiRoute(Handlers):
    """Makes the document when a client asks for the first time, and keeps it."""

    def __init__(self, app: AppContext) -> None:
        self._json = lru_cache(maxsize=4)(partial(openapi_json, app.routes))

    @Route("GET", "/openapi.json", Scope.READ, answers={JSON: {"type": "object"}})
    async def answer(self, request: web.Request) -> web.Response:
        """This description of the HTTP interface, for programs."""
        document = self._json(base_of(request))
        return web.Response(body=document, content_type=JSON, headers={"Cache-Control": "no-cache"})


def openapi_json(routes: Sequence[Route], base: str = "") -> bytes:
    """The document in UTF-8."""
    return json.dumps(openapi_document(routes, base), ensure_ascii=False).encode()


def openapi_document(routes: Sequence[Route], base: str = "") -> dict[str, Any]:
    """The document (OpenAPI 3.1.0, https://spec.openapis.org/oas/v3.1.0).

    base  where a proxy shows vitcam, such as `/cameras/vitcam`; empty: beside the document
    """
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    of_parts: dict[str, Schema] = {}
    for schemas in load_each(part.schemas for part in PARTS):
        of_parts |= schemas()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "vitcam",
            "version": __version__,
            "description": _INTRODUCTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": base or "."}],
        "paths": paths,
        "components": {"schemas": components() | of_parts, "securitySchemes": _SCHEMES},
    }


def _operation(route: Route) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": _identifier(route),
        "summary": route.doc,
        "security": _security(route.needs),
        "parameters": _parameters(route),
        "responses": _responses(route),
    }
    if route.body:
        described["requestBody"] = {"required": True, "content": _content(route.body)}
    return described


def _identifier(route: Route) -> str:
    words = re.findall(r"[a-z]+", route.path.replace("{name}", "file")) or ["index"]
    return "_".join([route.method.lower(), *words])


def _security(needs: Scope | None) -> list[dict[str, list[str]]]:
    """Any one of these is enough. The password may do everything; a token has a scope."""
    return [] if needs is None else [{"basic": []}, {"bearer": [needs.value]}, {"session": []}]


def _parameters(route: Route) -> list[dict[str, Any]]:
    in_path = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    in_query = [{"name": name, "in": "query", "schema": schema} for name, schema in route.parameters.items()]
    return in_path + in_query + ([_IF_MATCH] if route.versioned and route.method != "GET" else [])


def _responses(route: Route) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    if route.answers:
        responses["200"] = {"description": route.doc, "content": _content(route.answers)}
        if route.versioned and route.method != "DELETE":
            responses["200"]["headers"] = {"ETag": _ETAG}
    if route.leads_to:
        responses["303"] = {"description": route.leads_to}
    if route.cached:
        responses["304"] = {"description": _WHY[304]}
    if route.ranges:
        responses["206"] = {"description": _WHY[206], "content": _content(route.answers)}
    refusals = {403, *route.refusals, *(BODY_REFUSALS if route.body else ()), *((401, 429) if route.needs else ())}
    for status in sorted(refusals):
        content = as_json("Error") | (dict(route.unavailable) if status == 503 else {})
        responses[str(status)] = {"description": _WHY[status], "content": _content(content)}
    if route.versioned and route.method != "GET":
        content = _content(as_json("OutOfDate"))
        responses["412"] = {"description": _WHY[412], "headers": {"ETag": _ETAG}, "content": content}
    return responses


def _content(by_type: Mapping[str, Schema]) -> dict[str, Any]:
    return {media_type: {"schema": schema} if schema else {} for media_type, schema in by_type.items()}
