"""Make docs/screenshot.png: the page in a browser while `vitcam run --source demo --loop` runs.

This needs Chromium with its driver (Debian: chromium, chromium-driver) and the `dev` extra. Options after the script's
name go to `vitcam run`:

    python examples/screenshot.py [--model NAME]
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

TARGET = Path(__file__).parents[1] / "docs" / "screenshot.png"
WIDTH, HEIGHT = 1280, 800
SHOWN = "Egyptian cat"
"""What the picture is to show: the page must say so while the clip is paused there."""
LOOP_S = 24
"""In which each event of the clip comes once."""
SETTLED_S = 3
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars")  # fmt: skip


@contextmanager
def running(*options: str) -> Iterator[str]:
    """A daemon on a free port. Yields its address when it is ready."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "vitcam", "run", "--source", "demo", "--loop", "--port", str(port), *options]
    with tempfile.TemporaryDirectory() as state:
        daemon = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"STATE_DIRECTORY": state})
        try:
            wait_until_ready(f"http://127.0.0.1:{port}/readyz", daemon)
            yield f"http://127.0.0.1:{port}"
        finally:
            daemon.terminate()
            daemon.wait(10)


def wait_until_ready(url: str, daemon: "subprocess.Popen[bytes]", timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline and daemon.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - our own daemon
                return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"vitcam did not become ready within {timeout_s:.0f} s")


@contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        sys.exit("chromium and chromedriver are needed; on Debian: apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        chrome = webdriver.Chrome(options=options, service=Service(driver))
        try:
            yield chrome
        finally:
            chrome.quit()


def said(page: webdriver.Chrome) -> str:
    """The name of what is seen."""
    found = page.execute_script('return document.querySelector("#label span:first-child")?.textContent')
    return str(found or "")


def main() -> None:
    with running(*sys.argv[1:]) as url, browser() as chrome:
        metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        chrome.get(url)
        WebDriverWait(chrome, 60, 0.1).until(lambda page: page.find_element("id", "guide-close").is_displayed())
        chrome.find_element("id", "guide-close").click()
        time.sleep(LOOP_S)
        WebDriverWait(chrome, 60, 0.1).until(lambda page: said(page) == SHOWN)
        chrome.find_element("id", "pause").click()
        time.sleep(SETTLED_S)  # then what is said is about the picture that is seen
        if said(chrome) != SHOWN:
            sys.exit(f"the page says {said(chrome)}, not {SHOWN}; run this again on a machine with less to do")
        TARGET.parent.mkdir(exist_ok=True)
        chrome.save_screenshot(str(TARGET))
    print(f"wrote {TARGET}")


if __name__ == "__main__":
    main()
