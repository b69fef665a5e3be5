"""Every view in the few colours that the system gives (Windows calls it high contrast): backgrounds tell nothing."""

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import DESK, SCHEMES, findings
from tests.integration.web.page.every_view import VIEWS, Visit
from tests.integration.web.page.test_page import wait
from tests.integration.web.page.test_reflow import look

pytestmark = pytest.mark.slow("vitcam/web/page")

_IN_FORCE = """
  return matchMedia("(forced-colors: active)").matches
    && [...document.styleSheets].some(({ href }) => /forced/.test(href));
"""
# a box of one kind that is chosen must look other than one that is not, by what forced colours leave
_SAME = """
  const looks = (part) => {
    const style = getComputedStyle(part), of = (...names) => names.map((name) => style[name]).join();
    return of("backgroundColor", "color", "borderTopColor", "borderTopWidth",
              "outlineStyle", "outlineColor", "outlineWidth", "textDecorationLine");
  };
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((part) => part.checkVisibility());
  const pairs = [
    [".segments input:checked + span", ".segments input:not(:checked) + span"],
    [".chip input:checked + span", ".chip input:not(:checked) + span"],
    [".views [aria-current]", ".views a:not([aria-current])"],
    ["[role=switch]:checked", "[role=switch]:not(:checked)"],
    [".guide-camera[aria-checked=true]", ".guide-camera:not([aria-checked=true])"],
    [".axis-bars [aria-pressed=true]", ".axis-bars [aria-pressed=false]"],
    [".zones-list li.chosen", ".zones-list li:not(.chosen)"],
  ];
  return pairs.flatMap(([chosen, other]) => {
    const [one, two] = [shown(chosen)[0], shown(other)[0]];
    return one && two && looks(one) === looks(two) ? [chosen] : [];
  });
"""
# what shows an amount must be seen against the page
_LOST = """
  const color = (part, pseudo = null) => getComputedStyle(part, pseudo).backgroundColor;
  const page = color(document.body);
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((part) => part.checkVisibility());
  const bars = shown(".guess .fill, .gauge .level, .axis-bars .amount, .stages .share div").filter((part) => {
    const style = getComputedStyle(part);
    return style.forcedColorAdjust !== "none" || (style.backgroundImage === "none" && style.backgroundColor === page);
  });
  const knobs = shown("[role=switch]").filter((part) => color(part, "::before") === color(part));
  return [...bars, ...knobs].map((part) => part.id || part.className);
"""
# the text of a control may not have the colour of what lies below it
_UNREADABLE = """
  return [...document.querySelectorAll("button, a, label, summary, select, input")]
    .filter((part) => part.checkVisibility() && part.textContent.trim())
    .filter((part) => getComputedStyle(part).color === getComputedStyle(part).backgroundColor)
    .map((part) => part.id || part.outerHTML.slice(0, 80));
"""
_WITHOUT_RING = """
  const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary";
  const rings = (part) => {
    const style = getComputedStyle(part);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  };
  const all = [...document.querySelectorAll(controls)].filter((part) => part.checkVisibility() && !part.disabled);
  return all.filter((part) => {
    part.focus({ focusVisible: true, preventScroll: true });
    const shown = part.matches(".quiet") ? part.labels?.[0] ?? part : part;
    return document.activeElement === part
      && ![part, shown, part.nextElementSibling, part.parentElement].filter(Boolean).some(rings);
  }).map((part) => part.id || part.outerHTML.slice(0, 80));
"""


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_says_in_few_colours_what_it_says_in_many(chrome: Chrome, visit: Visit, name: str) -> None:
    visit.open(chrome, name)
    found: list[str] = []
    for scheme in SCHEMES:
        resize(chrome, *DESK, scheme, forced=True)
        wait(chrome, lambda: chrome.execute_script(_IN_FORCE))
        found += [f"{scheme}: {each} looks like one that is not chosen" for each in chrome.execute_script(_SAME)]
        found += [f"{scheme}: {each} is not to be seen" for each in chrome.execute_script(_LOST)]
        found += [f"{scheme}: {each} is not to be read" for each in chrome.execute_script(_UNREADABLE)]
        found += [f"{scheme}: {each} has no focus ring" for each in chrome.execute_script(_WITHOUT_RING)]
        look(chrome, f"forced-{name}-{scheme}".replace(" ", "-"))

    assert found == []
    assert console_errors(chrome) == []


def test_axe_finds_nothing_in_few_colours(chrome: Chrome, visit: Visit) -> None:
    for name in ("live", "history", "alerts"):
        visit.open(chrome, name)
        resize(chrome, *DESK, "dark", forced=True)
        wait(chrome, lambda: chrome.execute_script(_IN_FORCE))
        assert findings(chrome) == []
