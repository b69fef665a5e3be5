"""What the handlers of one running application share, and what their classes have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from vitcam.web.given import WebParts, WebThreads
from vitcam.web.page_files import PageFiles
from vitcam.web.requests.access import AccessControl
from vitcam.web.requests.admission import Admission, Quota
from vitcam.web.requests.photos import PhotoRequests
from vitcam.web.requests.versions import Versions
from vitcam.web.route import Route
from vitcam.web.stream.encoder import Encoder


@dataclass(frozen=True, slots=True, eq=False)
class AppContext:
    """Made on the event loop, once."""

    parts: WebParts
    threads: WebThreads
    encoder: Encoder
    access: AccessControl | None
    """None: everybody who reaches the server may do everything."""
    framed: bool
    """Whether other sites may show the page in a frame."""
    routes: Sequence[Route]
    """All of them."""
    files: PageFiles
    viewers: Mapping[str, Quota]
    """Who has an open `streams` or `predictions`, or gets one of the `snapshots`."""
    photos: PhotoRequests
    """Of requests that bring a photo, all together: each is kept in memory while it waits for its turn."""
    versions: Versions
    """Of documents that several clients may change."""
    changes: Admission
    """Of requests that change how vitcam works, all together."""


class Handlers:
    """The routes of one subject. The application makes one object of each class."""

    ROUTES: ClassVar[tuple[Route, ...]]
    """The entries on its methods."""

    def __init_subclass__(cls) -> None:
        cls.ROUTES = tuple(route for each in vars(cls).values() for route in getattr(each, "routes", ()))

    def __init__(self, app: AppContext) -> None: ...
