"""The wall of several cameras, with real daemons: one asks for a token, one is killed, one means harm."""

import os
import signal
from pathlib import Path

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.command import vitcam
from tests.daemon import daemon, free_port, get_json
from tests.http_camera import jpeg, server
from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import findings_at_every_size
from tests.integration.web.page.test_page import text, wait
from tests.parts.peers.test_peer_watch import as_vitcam
from tests.secured import quick_hash
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token

pytestmark = pytest.mark.slow("vitcam/parts/peers", "vitcam/cli/token.py")

PATIENCE_S = 120
MARKUP = '{"status": "degraded", "reason": "<img src=x onerror=alert(1)> is <b>hot</b>"}'
_WIDTH = "return Math.max(document.documentElement.scrollWidth, innerWidth)"
_LOADED = "return performance.getEntriesByType('resource').map(({ name }) => name)"
_HIDE = """
  Object.defineProperty(document, "hidden", { value: arguments[0], configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  performance.clearResourceTimings();
"""
_SIZES = ((390, 844), (1280, 800), (1920, 1080))


def tile(chrome: Chrome, name: str) -> str:
    """What the tile of a camera says; empty while there is none."""
    try:
        found = [each.text for each in chrome.find_elements(By.CLASS_NAME, "tile")]
    except StaleElementReferenceException:
        return ""
    return next((each for each in found if name in each), "")


def pictures(chrome: Chrome) -> list[str]:
    found: list[str] = chrome.execute_script(
        "return [...document.querySelectorAll('.tile img')].filter((each) => each.naturalWidth).map(({ src }) => src)"
    )
    return found


def look(chrome: Chrome, name: str) -> None:
    """Screenshots for a person, where somebody wants some; and nothing may be wider than the screen."""
    for size in _SIZES:
        for scheme in ("light", "dark"):
            resize(chrome, *size, scheme)
            assert chrome.execute_script(_WIDTH) <= size[0], (name, size)
            if folder := os.environ.get("VITCAM_SCREENSHOTS"):
                chrome.save_screenshot(str(Path(folder, f"wall-{name}-{size[0]}-{scheme}.png")))
    resize(chrome, 1280, 800)


def test_a_wall_shows_every_camera_and_says_what_is_wrong_with_one(tmp_path: Path, chrome: Chrome) -> None:
    demo = ("--source", "demo", "--loop", "--set", "model.fps=1")
    folders = {name: tmp_path / name for name in ("this", "garden", "porch")}
    for folder in folders.values():
        folder.mkdir()
    save_password(folders["garden"], quick_hash())
    token = create_token(folders["garden"], "wall", Scope.READ)
    with (
        daemon(*demo, "--host", "0.0.0.0", STATE_DIRECTORY=str(folders["garden"])) as garden,
        daemon(*demo, STATE_DIRECTORY=str(folders["porch"])) as porch,
        server(as_vitcam(jpeg(), state=MARKUP.encode())) as harm,
    ):
        config = tmp_path / "config.toml"
        lines = [f'garden = "{garden.url}"', f'porch = "{porch.url}/"', f'cellar = "http://127.0.0.1:{harm}"']
        config.write_text("\n".join(["[peers]", *lines, f'attic = "http://127.0.0.1:{free_port()}"', ""]))
        with daemon(*demo, "--config", str(config), STATE_DIRECTORY=str(folders["this"])) as this:
            porch.wait_for("ok")
            this.wait_for("ok")

            # nothing of it is loaded before it is opened, and nothing was asked of the others
            chrome.set_script_timeout(PATIENCE_S)
            chrome.get(this.url)
            wait(chrome, lambda: chrome.find_element(By.ID, "to-wall").is_displayed(), PATIENCE_S)
            assert not [each for each in chrome.execute_script(_LOADED) if "/wall/" in each or "/api/peers" in each]
            chrome.find_element(By.ID, "to-wall").click()
            wait(chrome, lambda: "asks for a token" in tile(chrome, "garden").lower(), PATIENCE_S)

            # the token is kept, and the camera is there within some seconds
            own = str(folders["this"])
            kept = vitcam("token", "peer", "garden", "--stdin", stdin=token.encode(), STATE_DIRECTORY=own)
            assert kept.code == 0, kept.err
            wait(chrome, lambda: "Live" in tile(chrome, "garden"), PATIENCE_S)
            wait(chrome, lambda: "Live" in tile(chrome, "porch"), PATIENCE_S)
            assert "Demo film" in tile(chrome, "This camera")
            wait(chrome, lambda: len(pictures(chrome)) == 4, PATIENCE_S)
            before = set(pictures(chrome))
            wait(chrome, lambda: len(set(pictures(chrome)) - before) == 4, PATIENCE_S)
            wait(chrome, lambda: "Last:" in tile(chrome, "porch") or "since" in tile(chrome, "porch"), PATIENCE_S)
            assert "%" in tile(chrome, "This camera") or "Not sure" in tile(chrome, "This camera")
            assert "<b>hot</b>" in tile(chrome, "cellar")
            assert "nothing answers" in tile(chrome, "attic")
            links = [each.get_attribute("href") for each in chrome.find_elements(By.CSS_SELECTOR, ".tile a")]
            assert f"{porch.url}/" in links
            assert token not in chrome.page_source
            look(chrome, "all")
            assert findings_at_every_size(chrome) == []

            # one is killed: its tile says so, and the others go on
            porch.end(signal.SIGKILL)
            wait(chrome, lambda: "nothing answers" in tile(chrome, "porch"), PATIENCE_S)
            before = set(pictures(chrome))
            wait(chrome, lambda: len(set(pictures(chrome)) - before) >= 3, PATIENCE_S)
            assert "Live" in tile(chrome, "garden")
            look(chrome, "killed")
            assert findings_at_every_size(chrome) == []

            # nothing is asked while nobody sees it
            resize(chrome, 1280, 800)
            chrome.execute_script(_HIDE, True)
            chrome.execute_async_script("setTimeout(arguments[0], 9000)")  # what was asked before has ended
            chrome.execute_script("performance.clearResourceTimings()")
            chrome.execute_async_script("setTimeout(arguments[0], 4000)")
            assert not [each for each in chrome.execute_script(_LOADED) if "api/peers" in each]
            chrome.execute_script(_HIDE, False)
            wait(chrome, lambda: [each for each in chrome.execute_script(_LOADED) if each.endswith("/api/peers")])
            chrome.find_element(By.ID, "to-live").click()
            wait(chrome, lambda: text(chrome, "status") in ("Live", "Demo film"))
            assert console_errors(chrome) == []

            # a press on this camera's tile leads to its picture
            chrome.find_element(By.ID, "to-wall").click()
            wait(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, ".tile a"))
            chrome.find_element(By.CSS_SELECTOR, ".tile a").click()
            wait(chrome, lambda: chrome.find_element(By.ID, "picture").is_displayed())

            # without other cameras there is this one
            config.write_text("")
            this.process.send_signal(signal.SIGHUP)
            chrome.find_element(By.ID, "to-wall").click()
            wait(chrome, lambda: len(chrome.find_elements(By.CSS_SELECTOR, ".tile")) == 1, PATIENCE_S)
            assert get_json(f"{this.url}/api/peers")["peers"] == []
            assert token not in this.errors()
