"""Browsers and httpx-sse: pictures in a page of one's own, and events of which none is missed."""

import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

from tests.eventually import eventually
from tests.integration.web.browser import open_browser, open_firefox
from tests.integration.web.clients.conftest import PATIENCE_S, SHOWN_ADDRESS, Camera, block
from tests.integration.web.clients.line import BrokenLine
from tests.secured import PASSWORD

pytestmark = pytest.mark.slow(
    "vitcam/web/stream", "vitcam/web/requests", "vitcam/web/server.py", "vitcam/access", "vitcam/history",
    "docs/use/clients.md", "tests/integration/web/clients/conftest.py", "tests/integration/web/clients/line.py",
)  # fmt: skip
_WIDTH = "return document.querySelector('img')?.naturalWidth ?? 0"
# what the page logs, kept for the test
_LISTEN = "window.seen = []; const console = { log: (id) => window.seen.push(id) };\n"


@contextmanager
def own_page(folder: Path, picture: str) -> Iterator[int]:
    """The port of a page with this picture, put there once the page is loaded: a stream never ends."""
    text = f"addEventListener('load', () => {{ document.body.innerHTML = `{picture}`; }})"
    (folder / "index.html").write_text(f"<!doctype html><title>Mine</title><script>{text}</script><body>")
    serve = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@contextmanager
def browser(kind: str, folder: Path) -> Iterator[WebDriver]:
    """Chromium or Firefox."""
    if kind == "Chromium":
        with open_browser(folder / "profile") as chromium:
            yield chromium
    else:
        with open_firefox() as (firefox, _):
            yield firefox


def log_in(driver: WebDriver, url: str) -> None:
    driver.get(f"{url}/login")
    driver.find_element(By.CSS_SELECTOR, "input[type=password]").send_keys(PASSWORD, Keys.ENTER)
    assert eventually(lambda: not driver.current_url.endswith("/login"), every_s=0.2)
    driver.get(f"{url}/healthz")  # the page keeps a stream of its own open


@pytest.mark.parametrize("kind", ["Chromium", "Firefox"])
def test_a_browser_shows_the_stream_in_a_page_of_ones_own(kind: str, camera: Camera, tmp_path: Path) -> None:
    there = camera.address.replace("127.0.0.1", "localhost")
    picture = block("html", "<img").replace(SHOWN_ADDRESS, there)
    with own_page(tmp_path, picture) as port, browser(kind, tmp_path) as driver:
        driver.get(f"http://localhost:{port}/")
        driver.implicitly_wait(0)
        locked = driver.execute_script(_WIDTH)
        log_in(driver, f"http://{there}")
        driver.get(f"http://localhost:{port}/")
        shown = eventually(lambda: driver.execute_script(_WIDTH), every_s=0.2)

    assert locked == 0
    assert shown == 640


def test_an_eventsource_gets_what_was_missed_while_its_line_was_cut(camera: Camera, tmp_path: Path) -> None:
    with BrokenLine(camera.address) as line, browser("Chromium", tmp_path) as chromium:
        log_in(chromium, f"http://{line.address}")
        script = block("js", "EventSource").replace(SHOWN_ADDRESS, line.address)
        chromium.execute_script(_LISTEN + script)

        def seen() -> list[Any]:
            return list(chromium.execute_script("return window.seen"))

        assert eventually(lambda: len(seen()) >= 1, PATIENCE_S, 0.2)
        line.cut()
        had = camera.events()
        assert eventually(lambda: len(camera.events()) >= len(had) + 2, PATIENCE_S, 0.5)
        happened = camera.events()
        missed = set(happened).difference(had)
        assert not missed.intersection(seen())
        line.mend()
        eventually(lambda: missed <= set(seen()), PATIENCE_S, 0.2)
        got = seen()

    assert len(missed) >= 2
    assert missed <= set(got)
    assert set(got) <= set(
        camera.events()
    )  # what began before the last one comes once more: it may have ended after it


def test_httpx_sse_goes_on_where_it_was(camera: Camera, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(camera.here(block("python", "httpx_sse")))
    command = [sys.executable, "shown.py"]
    printed = subprocess.run(
        command, cwd=tmp_path, env=camera.environment, capture_output=True, text=True, timeout=PATIENCE_S
    )
    ids = [line.split()[0] for line in printed.stdout.splitlines()]

    assert len(ids) == 2, printed.stderr
    assert set(ids) <= set(camera.events())
