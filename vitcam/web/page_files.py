"""The files of the page: read and compressed once, at the start."""

import gzip
import hashlib
from dataclasses import dataclass

from aiohttp import web

from vitcam.web.page_sources import page_files
from vitcam.web.requests.compress import GZIP, VARY, accepts_gzip, gzipped

_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webmanifest": "application/manifest+json",
}
_BINARY = ("image/x-icon", "image/png", "image/jpeg")
INDEX = "index.html"
ICON = "favicon.ico"
_BEST = 9


@dataclass(frozen=True, slots=True)
class _File:
    """A file. It is kept as gzip alone, which nearly every browser takes: all files are 0.9 MB, and 0.4 so."""

    kind: str
    packed: bytes
    tag: str
    """Of the plain file; that of the gzip is another one, because its bytes differ."""


class PageFiles:
    """All files of the page. Browsers ask each time if one has changed, and mostly get a 304."""

    def __init__(self) -> None:
        self._files = {
            name: _file(kind, data)
            for name, data in page_files().items()
            if (kind := _TYPES.get("." + name.rpartition(".")[2]))
        }

    def serve(self, request: web.Request, name: str) -> web.Response:
        """A file of the page. Raises HTTPNotFound for any other name."""
        file = self._files.get(name)
        if file is None:
            raise web.HTTPNotFound
        as_gzip = accepts_gzip(request)
        tag = f"{file.tag}-gzip" if as_gzip else file.tag
        headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache", **VARY}
        if any(known.value in (tag, "*") for known in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        charset = None if file.kind in _BINARY else "utf-8"
        if as_gzip:
            return web.Response(body=file.packed, headers=headers | GZIP, content_type=file.kind, charset=charset)
        return web.Response(body=gzip.decompress(file.packed), headers=headers, content_type=file.kind, charset=charset)


def _file(kind: str, data: bytes) -> _File:
    return _File(kind, gzipped(data, _BEST), hashlib.sha256(data).hexdigest()[:16])
