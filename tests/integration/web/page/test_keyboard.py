"""The keyboard alone: Tab comes to all that can be pressed, says where it is, is never trapped, and comes back."""

from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.action_chains import ActionChains

from tests.integration.web.browser import resize
from tests.integration.web.page.every_view import VIEWS, Visit
from tests.integration.web.page.test_page import wait

pytestmark = pytest.mark.slow("vitcam/web")

_MOST_STOPS = 400
# what a Tab must come to: of radio buttons of a name one, of a group that arrow keys walk through one
_WANTED = """
  window.__ids ??= 0;
  const named = (part) => (part.dataset.tabTest ??= String(window.__ids++));
  const kinds = "a[href], button, input:not([type=hidden]), select, textarea, summary, video[controls], [tabindex]";
  const can = [...document.querySelectorAll(kinds)].filter((part) =>
    part.tabIndex >= 0 && !part.disabled && part.checkVisibility({ visibilityProperty: true }));
  const radios = new Map();
  for (const part of can) if (part.type === "radio") {
    const group = `${part.form?.id} ${part.name}`;
    if (!radios.has(group) || part.checked) radios.set(group, part);
  }
  return can.filter((part) => part.type !== "radio" || radios.get(`${part.form?.id} ${part.name}`) === part)
    .map((part) => [named(part), part.id || part.outerHTML.slice(0, 90)]);
"""
_HERE = """
  const part = document.activeElement;
  if (!part || part === document.body) return null;
  window.__ids ??= 0;
  const shown = part.matches(".quiet") ? part.labels?.[0] ?? part : part;
  const rings = [part, shown, part.nextElementSibling, part.parentElement].filter(Boolean).some((each) => {
    const style = getComputedStyle(each);
    return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1) || style.boxShadow !== "none";
  });
  const box = shown.getBoundingClientRect();
  return { id: part.dataset.tabTest ??= String(window.__ids++), said: part.id || part.outerHTML.slice(0, 90), rings,
           seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth };
"""
_BEGIN = "document.activeElement?.blur(); scrollTo(0, 0); getSelection().removeAllRanges();"


def tab(chrome: Chrome) -> dict[str, Any] | None:
    """Where the next Tab leads; None: out of the page."""
    ActionChains(chrome).send_keys(Keys.TAB).perform()
    found: dict[str, Any] | None = chrome.execute_script(_HERE)
    return found


def name_of(chrome: Chrome) -> str:
    """What a screen reader calls the control that has the focus."""
    focused = chrome.switch_to.active_element
    return str(focused.accessible_name)


@pytest.mark.parametrize("name", VIEWS)
def test_tab_comes_to_every_control_shows_where_it_is_and_leaves_the_page(
    chrome: Chrome, visit: Visit, name: str
) -> None:
    resize(chrome, 1280, 800, "light")
    visit.open(chrome, name)
    chrome.execute_script(_BEGIN)
    before = dict(chrome.execute_script(_WANTED))
    reached: dict[str, str] = {}
    faults: list[str] = []
    left = 0  # how often it led out of the page: a view may begin with the focus in its middle
    while left < 2 and len(reached) < _MOST_STOPS:
        here = tab(chrome)
        if here is None:
            left += 1
            continue
        if here["id"] in reached and here["id"] != [*reached][-1]:  # a date has three stops
            break
        reached[here["id"]] = here["said"]
        faults += [f"{here['said']} has no focus ring"] if not here["rings"] else []
        faults += [f"{here['said']} is not on the screen"] if not here["seen"] else []
        faults += [f"{here['said']} has no name"] if not name_of(chrome) else []
    after = dict(chrome.execute_script(_WANTED))  # the demo goes on: cards of events come and go

    assert len(reached) < _MOST_STOPS
    assert faults == []
    assert {said for each, said in after.items() if each in before and each not in reached} == set()


@pytest.mark.parametrize("name", ["zones", "models", "guide"])
def test_escape_closes_a_panel_and_gives_the_focus_back(chrome: Chrome, visit: Visit, name: str) -> None:
    visit.open(chrome, name)
    shows, button = VIEWS[name].shows, VIEWS[name].button
    wait(chrome, lambda: chrome.execute_script("return document.activeElement !== document.body"))
    ActionChains(chrome).send_keys(Keys.ESCAPE).perform()
    wait(chrome, lambda: chrome.execute_script("return document.activeElement.id") == button)

    assert not chrome.find_element("css selector", shows).is_displayed()
