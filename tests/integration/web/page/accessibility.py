"""What axe-core objects to in a page, at the sizes that people look at it."""

from collections.abc import Callable
from importlib.resources import files

from selenium.webdriver import Chrome

from tests.integration.web.browser import resize

Findings = Callable[[Chrome], list[str]]
PHONE, PHONE_SIDEWAYS, DESK, WIDE = SIZES = ((390, 844), (844, 390), (1280, 800), (1920, 1080))
SCHEMES = ("light", "dark")
WALKED = ((DESK, "light"), (PHONE, "dark"), (PHONE_SIDEWAYS, "light"), (WIDE, "dark"))
"""How a walk is done once at each size; the other colours are looked at by `findings_at_every_size`."""
WALKED_IDS = ("desk", "phone", "phone sideways", "wide")
_AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_HAS_AXE = "return Boolean(window.axe)"
_RUN_AXE = """
  const done = arguments[arguments.length - 1];
  axe.run(arguments[0], {resultTypes: ["violations"]}).then(({violations}) => done(
    violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join(" ").slice(0, 300)}`)));
"""


def findings(chrome: Chrome, part: str = "html") -> list[str]:
    """At the size that the page has, in light colours; part: a selector of what is looked at."""
    width, height = chrome.execute_script("return [innerWidth, innerHeight]")
    return _findings_at(chrome, (width, height), "light", part)


def findings_at_every_size(chrome: Chrome, part: str = "html") -> list[str]:
    """On a phone, also held sideways, a desk and a wide screen, light and dark. The page stays as wide as at last."""
    return [found for size in SIZES for scheme in SCHEMES for found in _findings_at(chrome, size, scheme, part)]


def _findings_at(chrome: Chrome, size: tuple[int, int], scheme: str, part: str = "html") -> list[str]:
    if not chrome.execute_script(_HAS_AXE):
        chrome.execute_cdp_cmd("Runtime.evaluate", {"expression": _AXE})
    resize(chrome, *size, scheme)
    return [f"{size} {scheme} {each}" for each in chrome.execute_async_script(_RUN_AXE, part)]
