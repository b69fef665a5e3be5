"""Every view and panel of the page, and how a person comes there, with a real daemon that has seen something."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from selenium.webdriver import Chrome

from tests.daemon import Daemon, answer_to, daemon, free_port, get_json
from tests.eventually import eventually
from tests.http_camera import jpeg, server
from tests.integration.web.page.test_page import wait
from tests.parts.peers.test_peer_watch import as_vitcam

_STATUS = "return document.querySelector('#status')?.dataset.status"
_IS_THERE = "return [...document.querySelectorAll(arguments[0])].some((part) => part.offsetParent !== null)"
_CHOOSE_LOOK = """
  const look = document.querySelector(`#looks input[value=${arguments[0]}]`);
  if (!look.checked) look.click();
"""
_PRESS = "document.getElementById(arguments[0]).click()"


@dataclass(frozen=True)
class View:
    """What is opened, and by what one knows that it is there."""

    address: str
    shows: str
    """A selector of what is displayed once it is loaded."""
    look: str = "simple"
    button: str = ""
    """The id of the button that opens it, if it is a panel."""
    part: str = "html"
    """A selector of what is new in it."""


VIEWS = {
    "live": View("live", "#today-list li"),
    "expert": View("live", "#guesses .guess", "expert"),
    "history": View("events", "#stories .told"),
    "all events": View("events?view=all", "#grid .event"),
    "event": View("event/{event}", "#event-image"),
    "alerts": View("alerts", "#alerts-none"),
    "new alert": View("alerts", "#alert-form", button="alerts-new"),
    "wall": View("wall", ".tile img"),
    "learn": View("learn", "#learn-top li"),
    "settings": View("settings", ".setting"),
    "guide": View("live", "#guide-next", button="open-guide"),
    "crop": View("live", "#crop-panel", button="crop", part="#crop-panel"),
    "zones": View("live", "#zones-panel", button="zones", part="#zones-panel"),
    "names": View("live", "#names-list", button="names", part="#names-panel"),
    "models": View("live", "#models-list li", button="models", part="#models-panel"),
    "mend": View("live", "#mend-choices button", button="not-right", part="#mend"),
    "teach": View("teach", "#teach-labels li", part="#teach-panel"),
}


@dataclass(frozen=True)
class Visit:
    """A daemon, and an event that it has stored."""

    running: Daemon
    event: str

    def open(self, chrome: Chrome, name: str) -> None:
        """Come to a view from a fresh page."""
        view = VIEWS[name]
        chrome.get("about:blank")
        chrome.get(f"{self.running.url}/#{view.address.format(event=self.event)}")
        wait(chrome, lambda: chrome.execute_script(_STATUS) == "ok")
        chrome.execute_script(_CHOOSE_LOOK, view.look)
        if view.button:
            wait(chrome, lambda: chrome.execute_script(_IS_THERE, f"#{view.button}:enabled"))
            chrome.execute_script(_PRESS, view.button)
        wait(chrome, lambda: chrome.execute_script(_IS_THERE, view.shows))


@contextmanager
def visited(state: Path) -> Iterator[Visit]:
    """A daemon that shows the demo, slowly: the browser needs the processor. It knows two others; one is away."""
    state.mkdir(exist_ok=True)
    config = state / "config.toml"
    with server(as_vitcam(jpeg())) as garden:
        config.write_text(f'[peers]\ngarden = "http://127.0.0.1:{garden}"\nattic = "http://127.0.0.1:{free_port()}"\n')
        yield from _with_peers(state, config)


def _with_peers(state: Path, config: Path) -> Iterator[Visit]:
    slowly = ("--set", "camera.fps=5", "--config", str(config))
    with daemon("--source", "demo", "--loop", *slowly, STATE_DIRECTORY=str(state)) as running:
        running.wait_for("ok")

        def newest() -> str:
            found = get_json(f"{running.url}/api/events")["events"]
            return str(found[0]["id"]) if found else ""

        answer_to(f"{running.url}/api/guide", {})  # it was walked: from now on a button opens it
        yield Visit(running, eventually(newest))
