"""The application: the routes of the table, and the middleware around them all."""

from aiohttp import web

from vitcam.web.context import AppContext
from vitcam.web.given import Binding, WebParts, WebThreads
from vitcam.web.page_files import PageFiles
from vitcam.web.requests.access import AccessControl
from vitcam.web.requests.admission import CHANGE, Admission, Quota, RouteLimits
from vitcam.web.requests.allowed_hosts import AllowedHosts
from vitcam.web.requests.base_path import BasePath
from vitcam.web.requests.compress import compress_json
from vitcam.web.requests.connections import Connections
from vitcam.web.requests.middleware import (
    check_host_and_origin,
    errors_as_json,
    headers_adder,
    tell_connection,
)
from vitcam.web.requests.photos import PhotoRequests
from vitcam.web.requests.proxies import TrustedProxies
from vitcam.web.requests.versions import Versions
from vitcam.web.route_table import HANDLERS
from vitcam.web.stream.encoder import Encoder

MAX_CLIENTS = 256  # of each kind
MAX_OF_ONE_ADDRESS = 224  # so that one address cannot take all of them


def build_app(
    parts: WebParts,
    *,
    threads: WebThreads,
    encoder: Encoder,
    allowed_hosts: AllowedHosts,
    binding: Binding,
    access: AccessControl | None,
    connections: Connections,
    proxies: TrustedProxies,
) -> web.Application:
    """All routes and the middleware around them.

    access  None: everybody who reaches the server may do everything
    """
    framed = bool(binding.frame_ancestors)
    base = BasePath(binding.base, proxies)
    context = AppContext(
        parts,
        threads,
        encoder,
        access,
        framed,
        routes=[route for each in HANDLERS for route in each.ROUTES],
        files=PageFiles(),
        viewers={
            kind: Quota(MAX_CLIENTS, MAX_OF_ONE_ADDRESS, kind) for kind in ("streams", "predictions", "snapshots")
        },
        photos=PhotoRequests(parts, threads),
        versions=Versions(parts.revisions, access),
        changes=Admission.of_changes(CHANGE, threads.change),
    )
    checks = [check_host_and_origin(allowed_hosts, framed), *([access.middleware(context.routes)] if access else [])]
    limits = RouteLimits(context.routes, connections)
    who = [tell_connection, base.middleware(), errors_as_json, proxies.middleware()]
    app = web.Application(middlewares=[*who, limits.middleware(), compress_json, *checks])
    app.on_response_prepare.append(headers_adder(binding.frame_ancestors))
    for each in HANDLERS:
        handlers = each(context)
        for route in each.ROUTES:
            for method in ("GET", "HEAD") if route.method == "GET" else (route.method,):
                app.router.add_route(method, route.path, getattr(handlers, route.handler))
    base.add_to(app.router)
    return app
