"""From "Discovered" to the picture on a dashboard, as a person does it with the page of Home Assistant.

    unshare --net --mount python -m tests.home_assistant.walk FOLDER

Root runs it. This side's network is that of Home Assistant and of a browser; the camera has another one, and a cable
joins them. Avahi tells of the camera there, as `vitcam service install --lan` has it told. What is seen after each step
is a picture in FOLDER. At the end it prints how often something was pressed, and how long all of it took.
"""

import base64
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome, Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.daemon import Daemon, daemon, first_message, status_of
from tests.eventually import eventually
from tests.home_assistant.cable import THERE, Cable, cable
from tests.home_assistant.running import COMPONENTS, HomeAssistant, home_assistant
from tests.integration.web.browser import open_browser
from vitcam._version import __version__
from vitcam.config.identity import Identity
from vitcam.config.web import WebSettings
from vitcam.service.announce import announcement
from vitcam.service.places import Instance

PASSWORD = "correct horse battery"
SERVICES = Path("/etc/avahi/services")
_AVAHI = "[server]\nhost-name=kitchen\nuse-ipv6=no\nallow-interfaces=eth0\nenable-dbus=no\n"
_MORE = "frontend:\nzeroconf:\n"
_DONE = ["user", "core_config", "analytics", "integration"]
_ONBOARDING = {"version": 4, "key": "onboarding", "data": {"done": _DONE}}
_BUTTON = "ha-button, mwc-button"
_FIND = """
  const [selector, text] = arguments;
  const words = (element) => [element.label, element.innerText, ...[element, ...element.querySelectorAll("*")]
    .flatMap((each) => [...each.shadowRoot?.children ?? []].map(words))].join(" ");
  const search = (root) => {
    for (const each of root.querySelectorAll("*")) {
      const shown = each.matches(selector) && each.getBoundingClientRect().width > 0;
      if (shown && words(each).toLowerCase().includes(text.toLowerCase())) return each;
      const below = each.shadowRoot && search(each.shadowRoot);
      if (below) return below;
    }
    return null;
  };
  return search(document);
"""
_WIDTH = "return arguments[0].naturalWidth;"


class Person:
    """Looks at the page, and counts what she presses.

    folder  where the pictures are kept
    """

    def __init__(self, chrome: Chrome, folder: Path) -> None:
        self.presses = 0
        self._chrome = chrome
        self._folder = folder
        self._pictures = 0

    def sees(self, selector: str, text: str = "") -> WebElement:
        """The element of that kind with this text, once it is displayed. Raises AssertionError where none is."""
        found: WebElement | None = eventually(
            lambda: self._chrome.execute_script(_FIND, selector, text),
            every_s=0.1,
        )
        self._keep()
        assert found is not None, f"{selector} {text!r} is not there: {self._folder}"
        return found

    def presses_on(self, selector: str, text: str = "") -> None:
        """Press it once it is displayed."""
        self.sees(selector, text).click()
        self.presses += 1

    def picture_width(self, selector: str) -> int:
        """Of a picture that is displayed and loaded, in its own pixels; 0: none is."""
        image = self._chrome.execute_script(_FIND, selector, "")
        return int((image and self._chrome.execute_script(_WIDTH, image)) or 0)

    def _keep(self) -> None:
        self._pictures += 1
        self._chrome.save_screenshot(str(self._folder / f"{self._pictures}.png"))


@contextmanager
def announced(lan: Cable, folder: Path, running: Daemon) -> Iterator[None]:
    """Let Avahi tell of a camera in its network."""
    port = int(running.url.rpartition(":")[2])
    text = announcement(Instance(), WebSettings(host="0.0.0.0", port=port), __version__, _identity_of(running))
    (folder / "services").mkdir()
    (folder / "services" / "vitcam.service").write_text(text or "")
    (folder / "avahi.conf").write_text(_AVAHI)
    subprocess.run(["mount", "--bind", folder / "services", SERVICES], check=True)
    options = ("--no-drop-root", "--no-rlimits", "--no-chroot", "-f", str(folder / "avahi.conf"))
    with (folder / "avahi.log").open("w") as log:
        avahi = subprocess.Popen([lan.program("avahi-daemon"), *options], stderr=log)
        try:
            yield
        finally:
            avahi.terminate()
            avahi.wait(30)


def _identity_of(running: Daemon) -> Identity:
    basic = base64.b64encode(f"vitcam:{PASSWORD}".encode()).decode()
    return Identity(**first_message(running.url, {"Authorization": f"Basic {basic}"})["camera"])


def walk(home: HomeAssistant, chrome: Chrome, folder: Path) -> dict[str, float]:
    """What it took: `presses`, and `seconds` from the sight of the camera to that of its picture."""
    chrome.get(f"{home.url}/manifest.json")
    kept = json.dumps(home.ask("sign_in", url=home.url))
    chrome.execute_script("localStorage.hassTokens = arguments[0];", kept)
    chrome.get(f"{home.url}/config/integrations/dashboard")
    person = Person(chrome, folder)
    person.sees("ha-config-flow-card", "kitchen")
    started = time.monotonic()
    person.presses_on(_BUTTON, "Add")
    person.sees("input[type=password]").send_keys(PASSWORD, Keys.TAB)
    person.presses_on(_BUTTON, "Submit")
    person.presses_on(_BUTTON, "inish")
    person.presses_on(".item-text", "Overview")
    person.sees("hui-picture-entity-card")
    width = eventually(lambda: person.picture_width("hui-image img, img#image"), every_s=0.1)
    seconds = time.monotonic() - started
    person.sees("hui-picture-entity-card")
    return {"presses": person.presses, "seconds": round(seconds, 1), "picture": width}


def main(folder: Path) -> None:
    """Make everything, walk, and print what it took."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    home_folder = folder / "home"
    (home_folder / ".storage").mkdir(parents=True)
    (home_folder / ".storage" / "onboarding").write_text(json.dumps(_ONBOARDING))
    shutil.copytree(COMPONENTS, home_folder / "custom_components")
    environment: dict[str, Any] = {
        "VITCAM_WEB_PASSWORD": PASSWORD,
        "VITCAM_MQTT_NAME": "kitchen",
        "VITCAM_MODEL_FPS": "4",
        "XDG_STATE_HOME": str(folder),
    }
    options = ("--source", "demo", "--loop", "--host", "0.0.0.0")
    with cable(folder) as lan, daemon(*options, python=lan.program(sys.executable), **environment) as running:
        running.url = running.url.replace("127.0.0.1", THERE)
        assert eventually(lambda: _is_ready(running), every_s=0.1), running.errors()
        subprocess.run(["ip", "route", "add", "default", "dev", lan.name], check=True)  # Home Assistant looks there
        with (
            announced(lan, folder, running),
            home_assistant(home_folder, more=_MORE) as home,
            open_browser(folder / "profile", look="") as chrome,
        ):
            print(json.dumps(walk(home, chrome, folder)))


def _is_ready(running: Daemon) -> bool:
    with suppress(OSError):
        return status_of(f"{running.url}/readyz") == 200
    return False


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
