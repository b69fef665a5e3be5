"""What every page that is open is told, beside what it asks for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vitcam.web.routes.live_events import LiveEvents  # imports asyncio, which a run without the page does not need


class OpenPages:
    """The windows that show the page now: none, until the server is there. In any thread."""

    def __init__(self) -> None:
        self._live: LiveEvents | None = None

    def attach(self, live: "LiveEvents") -> None:
        """From now on it reaches them."""
        self._live = live

    def tell(self, kind: str, data: bytes) -> int:
        """Send a server-sent event of this kind to each; returns how many there are."""
        return 0 if self._live is None else self._live.tell(kind, data)
