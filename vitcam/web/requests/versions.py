"""Changes of documents that several clients have open: with `If-Match` an old version is never changed (RFC 9110, 13).

Without `If-Match` a change is taken, whatever the document was before.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from vitcam.errors import UsageError, VitcamError
from vitcam.sentence import with_keys
from vitcam.web.requests.access import AccessControl
from vitcam.web.revisions import Document, Revision, Revisions

ANOTHER_BROWSER = "another browser"
_ETAG = re.compile(r'(?:W/)?"([\w-]*?)(?:-(?:gzip|br|zstd|deflate))?"', re.ASCII)
"""A proxy that compresses makes an ETag weak, or adds the name of the coding. It is that of the value all the same."""
_NO_STORE = {"Cache-Control": "no-store"}


class OutOfDateError(VitcamError):
    """A document was changed after the version that a client wants to change."""

    def __init__(self, document: Document, etag: str, last: Revision | None) -> None:
        self.etag = etag
        by = "" if last is None else f"the token {last.token!r}" if last.token else ANOTHER_BROWSER
        who = f" by {by} at {last.time}" if last else ", by the configuration or another program"
        super().__init__(
            f"this was changed meanwhile{who}; `present` is what it is now: make your change of that, and send it with "
            "its ETag"
        )
        self.record = {
            "error": str(self),
            "present": document.record,
            "etag": quoted(etag),
            "time": last.time if last else None,
            "by": by,
            "token": (last.token or None) if last else None,
        }

    def answer(self) -> web.Response:
        """412 with what the document is now."""
        return web.json_response(self.record, status=412, headers={"ETag": quoted(self.etag), **_NO_STORE})


@dataclass(frozen=True, slots=True)
class Precondition:
    """Which versions of a document a request may change, and whose request it is."""

    revisions: Revisions
    etags: frozenset[str] | None
    """None: any."""
    token: str
    """Empty: a browser, or a program that shows none."""

    def check(self, document: Document, *wider: Document) -> None:
        """Raises OutOfDateError if it is for another version.

        wider  documents that hold this one: their version stands for it, too
        """
        allowed = {self.revisions.etag_of(each) for each in (document, *wider)}
        if self.etags is not None and not self.etags & allowed:
            raise OutOfDateError(document, self.revisions.etag_of(document), self.revisions.last_change(document))

    def note(self, *changed: tuple[Document, Document]) -> None:
        """Keep who made this change: documents before and after it."""
        self.revisions.note(changed, self.token)


class Versions:
    """Gives documents their ETag, and reads that of requests.

    access  None: everybody may do everything
    """

    def __init__(self, revisions: Revisions, access: AccessControl | None) -> None:
        self._revisions = revisions
        self._access = access

    def etag_of(self, document: Document) -> str:
        """As in the header, with quotes."""
        return quoted(self._revisions.etag_of(document))

    def answer(self, document: Document, more: Mapping[str, Any] | None = None) -> web.Response:
        """A document with its ETag. more: what the answer says beside it."""
        headers = {"ETag": self.etag_of(document), **_NO_STORE}
        return web.json_response(with_keys({**document.record, **(more or {})}), headers=headers)

    def precondition(self, request: web.Request) -> Precondition:
        """Raises UsageError for an `If-Match` that is none."""
        grant = self._access.grant_of(request) if self._access else None
        token = grant.shown if grant is not None and grant.is_token else ""
        return Precondition(self._revisions, _wanted(request.headers.getall("If-Match", [])), token)


def quoted(etag: str) -> str:
    """As in the header."""
    return f'"{etag}"'


def remembered(reason: str) -> dict[str, Any]:
    """What the answer to a change says of the next start. reason: why that will not have it; empty: it will."""
    return with_keys({"remembered": not reason, "reason": reason})


def _wanted(headers: list[str]) -> frozenset[str] | None:
    """The ETags of all `If-Match`; None where any version may be changed. Raises UsageError."""
    parts = [part.strip() for header in headers for part in header.split(",")]
    if parts in ([], ["*"]):
        return None
    found = [_ETAG.fullmatch(part) for part in parts]
    etags = frozenset(match[1] for match in found if match)
    if None in found:
        raise UsageError("If-Match is not an ETag; send the ETag of the answer that you have read, with its quotes")
    return etags
