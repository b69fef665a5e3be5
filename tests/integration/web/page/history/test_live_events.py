"""Events that begin, change and end while the history is open appear by themselves."""

import time
from dataclasses import replace
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.eventually import eventually
from tests.integration.web.browser import console_errors
from tests.integration.web.camera import Camera
from tests.integration.web.page.history.conftest import EVENTS
from tests.integration.web.page.history.site import LASTED_MS, Site, cards, fill, ids, open_history, seen_at
from tests.integration.web.page.test_page import text, wait
from tests.integration.web.page.test_page_states import hidden
from vitcam.history.store import EventStore
from vitcam.web.given import Binding
from vitcam.web.server import WebServer


def now_ms() -> int:
    return int(time.time() * 1000)


def test_an_event_appears_while_it_lasts_and_its_card_says_when_it_ended(page: Chrome, site: Site) -> None:
    open_history(page, site)
    wait(page, lambda: len(cards(page)) > 10)
    begun = site.see(replace(seen_at(now_ms(), EVENTS + 4), end_ms=None))
    wait(page, lambda: ids(page)[0] == begun.id)
    lasting = cards(page)[0]
    site.see(replace(begun, end_ms=begun.start_ms + LASTED_MS))
    wait(page, lambda: cards(page)[0].endswith(", 20 s"))

    assert lasting.endswith("still there")
    assert console_errors(page) == []


_HOLD = """
  const real = window.fetch;
  window.held = [];
  window.fetch = async (address, ...rest) => {
    const answer = await real(address, ...rest);
    if (String(address).startsWith("api/events?")) await new Promise((go) => { window.held?.push(go) ?? go(); });
    return answer;
  };
  location.hash = "events?view=all";
"""
_FOLLOW = """
  const source = new EventSource("api/predictions?only=events");
  source.addEventListener("event", ({ data }) => {
    if (JSON.parse(data).end) { window.ended = true; source.close(); }
  });
"""


def test_an_event_that_ends_while_the_history_is_being_loaded_is_shown_as_ended(page: Chrome, site: Site) -> None:
    begun = site.see(replace(seen_at(now_ms(), EVENTS + 12), end_ms=None))
    assert eventually(lambda: site.store.get(begun.id))
    page.get("about:blank")
    page.get(site.server.url)
    wait(page, lambda: text(page, "status") == "Live")
    page.execute_script(_FOLLOW)
    page.execute_script(_HOLD)
    wait(page, lambda: page.execute_script("return window.held.length > 0"))
    site.see(replace(begun, end_ms=begun.start_ms + LASTED_MS))
    wait(page, lambda: page.execute_script("return Boolean(window.ended)"))
    page.execute_script("window.held.forEach((go) => go()); window.held = null")
    wait(page, lambda: begun.id in ids(page))

    wait(page, lambda: cards(page)[ids(page).index(begun.id)].endswith(", 20 s"))
    assert console_errors(page) == []


def test_the_page_does_not_jump_while_somebody_reads_further_down(page: Chrome, site: Site) -> None:
    open_history(page, site)
    wait(page, lambda: len(cards(page)) > 10)
    page.execute_script("scrollTo(0, 2000)")
    wait(page, lambda: len(ids(page)) > 10 and f"e{EVENTS - 1}" not in ids(page))
    wait(page, lambda: page.find_element(By.ID, "grid").size["height"] > 6000)  # older events are loaded, too
    before = ids(page)
    newest = site.see(seen_at(now_ms(), EVENTS + 8))
    wait(page, lambda: text(page, "fresh") == "1 new event")
    after = ids(page)
    page.find_element(By.ID, "fresh").click()
    wait(page, lambda: ids(page)[0] == newest.id)

    assert before == after
    assert hidden(page, "fresh")
    assert console_errors(page) == []


def test_an_event_that_does_not_fit_the_filters_does_not_appear(page: Chrome, site: Site) -> None:
    open_history(page, site, "events?view=all&label=cat")
    wait(page, lambda: cards(page))
    dog = seen_at(now_ms(), 1002)
    cat = seen_at(now_ms(), 1005)
    assert (dog.label, cat.label) == ("dog", "cat")
    site.see(dog)
    site.see(cat)
    wait(page, lambda: cat.id in ids(page))

    assert dog.id not in ids(page)
    assert console_errors(page) == []


def test_an_open_event_follows_what_happens(page: Chrome, site: Site) -> None:
    begun = site.see(replace(seen_at(now_ms(), 1012), end_ms=None))
    open_history(page, site, f"event/{begun.id}")
    wait(page, lambda: "still there" in text(page, "event-facts"))
    site.see(replace(begun, end_ms=begun.start_ms + LASTED_MS))

    wait(page, lambda: "20 s" in text(page, "event-facts"))
    assert console_errors(page) == []


def test_what_happened_while_the_connection_was_away_appears_once_it_is_back(
    page: Chrome, camera: Camera, tmp_path: Path
) -> None:
    store = EventStore(tmp_path)
    store.start()
    fill(store, 3)
    before = WebServer(camera.parts(history=store), Binding())
    before.start()
    open_history(page, Site(camera, store, before))
    wait(page, lambda: ids(page) == ["e2", "e1", "e0"])
    before.stop(2)
    wait(page, lambda: text(page, "status") == "Reconnecting")
    missed = Site(camera, store, before).see(seen_at(now_ms(), 3))
    assert eventually(lambda: store.get(missed.id))
    after = WebServer(camera.parts(history=store), Binding(port=int(before.url.rsplit(":", 1)[1])))
    after.start()
    wait(page, lambda: ids(page) == ["e3", "e2", "e1", "e0"])
    after.stop(2)
    store.stop(5)
