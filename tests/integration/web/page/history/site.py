"""A page with a history: a real store filled with events that look like a week at a door."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.eventually import eventually
from tests.integration.web.camera import Camera
from tests.integration.web.page.test_page import wait
from vitcam.frames import Guess
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, FrameSummary, StoredEvent
from vitcam.rects import Rect
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

LABELS = ("cup", "cat", "dog", "person")
ZONES = ("door", "yard", None)
APART_MS = 10 * 60_000
LASTED_MS = 20_000
_AT_ONCE = 50  # fewer than may wait to be written
_SIZE = (320, 180)
_EVIDENCE = np.linspace(-1, 1, 196, dtype=np.float32).reshape(14, 14)


@dataclass(frozen=True)
class Site:
    """A running page and what is behind it."""

    camera: Camera
    store: EventStore
    server: WebServer

    def see(self, event: StoredEvent, jpeg: bytes | None = None, detail: bytes | None = None) -> StoredEvent:
        """Store an event, as if it had just been seen."""
        self.store.put(EventChange(event, "new" if event.end_ms is None else "end", jpeg or picture(0), detail=detail))
        return event


@contextmanager
def history_site(
    folder: Path,
    events: int,
    binding: Binding = Binding(),  # noqa: B008 - frozen
) -> Iterator[Site]:
    """A page whose store holds this many events, the newest of them a minute old."""
    store = EventStore(folder)
    store.start()
    fill(store, events)
    with Camera(fps=5) as camera:
        server = WebServer(camera.parts(history=store), binding)
        server.start()
        yield Site(camera, store, server)
        server.stop(2)
    store.stop(5)


def fill(store: EventStore, count: int) -> None:
    """Put `count` events into a store, and wait until they are there."""
    now_ms = int(time.time() * 1000) - 60_000
    for number in range(count):
        event = seen_at(now_ms - (count - 1 - number) * APART_MS, number)
        store.put(EventChange(event, "end", picture(number)))
        if number % _AT_ONCE == 0 or number == count - 1:
            assert eventually(lambda event=event: store.get(event.id))  # type: ignore[misc]


def seen_at(start_ms: int, number: int) -> StoredEvent:
    """An event of 20 s; label, zone and certainty follow from its number."""
    label, p = LABELS[number % len(LABELS)], 0.55 + 0.4 * (number % 5) / 4
    top = (Guess(label, p), *(Guess(other, 0.02) for other in LABELS if other != label))
    return StoredEvent(
        id=f"e{number}",
        kind="seen",
        label=label,
        zone=ZONES[number % len(ZONES)],
        camera="test",
        start_ms=start_ms,
        end_ms=start_ms + LASTED_MS,
        p=p,
        peak=p,
        model="toy",
        summary=FrameSummary(top, _SIZE, Rect(70, 0, 180, 180), _EVIDENCE),
        curve=tuple((ms, p * min(1, ms / 5000)) for ms in range(0, LASTED_MS, 500)),
    )


def picture(number: int) -> bytes:
    """A small JPEG with the number on it."""
    image = np.full((_SIZE[1], _SIZE[0], 3), (number * 37 % 200 + 30, number * 91 % 200 + 30, 90), np.uint8)
    cv2.putText(image, str(number), (90, 110), cv2.FONT_HERSHEY_SIMPLEX, 2, (255, 255, 255), 3)
    return cv2.imencode(".jpg", image)[1].tobytes()


_UNFOLD = """
  const button = document.getElementById("filters-open");
  if (button.ariaExpanded !== "true") button.click();
"""


def open_history(chrome: Chrome, site: Site, address: str = "events?view=all") -> None:
    """The history, from a fresh page: every event, or another address of it. Its filters are unfolded."""
    chrome.get("about:blank")
    chrome.get(f"{site.server.url}/#{address}")
    place = "event" if address.startswith("event/") else "grid" if "view=all" in address else "stories"
    wait(chrome, lambda: chrome.find_element(By.ID, place).is_displayed())
    chrome.execute_script(_UNFOLD)


def cards(chrome: Chrome) -> list[str]:
    """The names of the cards that exist, in the order of the screen."""
    found: list[str] = chrome.execute_script(
        "return [...document.querySelectorAll('#grid .event')].map((card) => card.getAttribute('aria-label'))"
    )
    return found


def ids(chrome: Chrome) -> list[str]:
    """The ids of the cards that exist, in the order of the screen."""
    found: list[str] = chrome.execute_script(
        "return [...document.querySelectorAll('#grid .event')].map((card) => card.dataset.id)"
    )
    return found
