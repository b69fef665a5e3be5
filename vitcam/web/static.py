"""The files of the page, read once."""

import hashlib
from importlib.resources import files

from aiohttp import web

_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
INDEX = "index.html"


class Page:
    """Every file in `page/`; a browser asks each time whether it has changed, and mostly is told it has not."""

    def __init__(self) -> None:
        self._files = {
            entry.name: entry.read_bytes()
            for entry in (files("vitcam.web") / "page").iterdir()
            if "." + entry.name.rpartition(".")[2] in _TYPES
        }
        self._tags = {name: hashlib.sha256(data).hexdigest()[:16] for name, data in self._files.items()}

    def serve(self, request: web.Request, name: str) -> web.Response:
        """A file of the page; 404 for any other name."""
        if name not in self._files:
            raise web.HTTPNotFound
        headers = {"ETag": f'"{self._tags[name]}"', "Cache-Control": "no-cache"}
        if any(tag.value in (self._tags[name], "*") for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        kind = _TYPES["." + name.rpartition(".")[2]]
        return web.Response(body=self._files[name], headers=headers, content_type=kind, charset="utf-8")
