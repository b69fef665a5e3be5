"""Every route: what answers there, and what a caller needs for it where the interface is protected."""

from dataclasses import dataclass

from vitcam.access.tokens import Scope


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How many requests of a route are answered at once, and how long an answer waits for its client."""

    at_once: int = 320
    of_one_address: int = 160
    """Of one IP address, or of one home's network of IPv6: twenty browsers ask for six things each at once."""
    unread_s: float = 30.0
    """A client that reads nothing of the answer for this long is disconnected."""


USUAL = RequestLimits()
_STREAM = RequestLimits(at_once=256, of_one_address=224)
"""For what does not end by itself."""
_EXPORT = RequestLimits(at_once=16, of_one_address=8)
"""For what is as long as the history."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path."""

    method: str
    """GET (HEAD is answered, too), POST, PUT, PATCH or DELETE."""
    path: str
    """As aiohttp writes it, such as `/page/{name}`."""
    needs: Scope | None
    """What a caller must be allowed to do. None: everybody may call it."""
    doc: str
    """What it does, in one sentence."""
    limits: RequestLimits = USUAL


ROUTES = (
    Route("GET", "/", Scope.READ, "The page; ?action=stream and ?action=snapshot as mjpg-streamer has them.", _STREAM),
    Route("GET", "/page/{name}", Scope.READ, "A file of the page."),
    Route("GET", "/page/history/{name}", Scope.READ, "A file of the page's history."),
    Route("GET", "/favicon.ico", None, "The icon, where browsers look for it."),
    Route("GET", "/stream", Scope.READ, "The live picture as MJPEG.", _STREAM),
    Route(
        "GET", "/snapshot", Scope.READ, "The newest picture as JPEG, under the name that other cameras use.", _STREAM
    ),
    Route("GET", "/snapshot.jpg", Scope.READ, "The newest picture as JPEG.", _STREAM),
    Route("GET", "/api/predictions", Scope.READ, "Every prediction, as server-sent events.", _STREAM),
    Route("GET", "/api/state", Scope.READ, "Status, rates, latencies and clients."),
    Route("GET", "/api/model", Scope.READ, "The model card."),
    Route("GET", "/api/events", Scope.READ, "What was seen, the newest first."),
    Route("DELETE", "/api/events", Scope.CONTROL, "Delete all events that the filters mean."),
    Route("GET", "/api/events/counts", Scope.READ, "How many events of each label began in each quarter of an hour."),
    Route("GET", "/api/events/export", Scope.READ, "What was seen, as CSV or JSON Lines.", _EXPORT),
    Route("GET", "/api/events/{id}/clip.mp4", Scope.READ, "The clip of an event; parts of it by Range."),
    Route("PATCH", "/api/events/{id}", Scope.CONTROL, "Give an event another label, or make it a favourite."),
    Route("DELETE", "/api/events/{id}", Scope.CONTROL, "Delete an event with all its files."),
    Route("GET", "/api/events/{id}", Scope.READ, "One event, with its curve and its evidence."),
    Route("GET", "/api/events/{id}/frame.jpg", Scope.READ, "The best picture of an event."),
    Route("GET", "/openapi.json", Scope.READ, "This description of the HTTP interface, for programs."),
    Route("POST", "/api/classify", Scope.CONTROL, "Classify a photo."),
    Route("POST", "/api/explain", Scope.CONTROL, "Draw how the model came to its answer for a photo, as PNG."),
    Route("POST", "/api/crop", Scope.CONTROL, "Give the model another part of the picture."),
    Route("GET", "/api/zones", Scope.READ, "Zones and privacy masks."),
    Route("PUT", "/api/zones", Scope.CONTROL, "Replace all zones and privacy masks."),
    Route("POST", "/api/playback", Scope.CONTROL, "Pause and step through files."),
    Route("POST", "/api/remembered", Scope.CONTROL, "Use again what failing starts were made without, or forget it."),
    Route("POST", "/api/words", Scope.CONTROL, "Give a model whose labels are words other words."),
    Route("GET", "/login", None, "The login page."),
    Route("GET", "/login/{name}", None, "A file that the login page loads."),
    Route("POST", "/login", None, "Open a session with the form field `password`."),
    Route("POST", "/logout", None, "End the session."),
    Route("GET", "/healthz", None, "Whether the process runs."),
    Route("GET", "/readyz", None, "Whether frames are classified."),
)
