"""The grid of events and its filters, as a person uses them."""

from collections import Counter
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.history.conftest import EVENTS
from tests.integration.web.page.history.site import Site, cards, ids, open_history
from tests.integration.web.page.test_page import picture_width, text, wait
from tests.integration.web.page.test_page_states import hidden
from vitcam.history.stored import Query

_LOADED = """
  const pictures = [...document.querySelectorAll("#grid img")];
  return pictures.length > 0 && pictures.every((img) => img.complete && img.naturalWidth > 100);
"""
_COUNTED = """
  const rows = [...document.querySelectorAll("#counts-table tbody tr")];
  return rows.map((row) => [...row.querySelectorAll("td")].slice(0, 24).map((cell) => Number(cell.textContent)));
"""
_TOTAL = """
  const rows = [...document.querySelectorAll("#counts-table tbody tr")]; // at one moment: it may be filled anew
  return rows.reduce((sum, row) => sum + Number(row.lastElementChild.textContent), 0);
"""


def choose(page: Chrome, name: str, value: str) -> None:
    Select(page.find_element(By.NAME, name)).select_by_value(value)


def focused(page: Chrome) -> str | None:
    found: str | None = page.execute_script("return document.activeElement.dataset.id ?? null")
    return found


def test_the_newest_events_come_first_and_only_those_on_the_screen_exist(
    page: Chrome, site: Site, findings: Findings
) -> None:
    open_history(page, site)
    wait(page, lambda: page.execute_script(_LOADED))
    first = ids(page)[:3]
    names = cards(page)

    assert page.find_elements(By.CSS_SELECTOR, "#grid .day"), "each day has a line of its own"
    assert first == [f"e{EVENTS - 1}", f"e{EVENTS - 2}", f"e{EVENTS - 3}"]
    assert names[0].startswith("person, ")
    assert ", zone door, " in " ".join(names)
    assert 10 <= len(names) < 80
    assert findings(page) == []
    assert console_errors(page) == []


def test_scrolling_leads_to_the_oldest_event(page: Chrome, site: Site) -> None:
    open_history(page, site)
    bottom = "scrollTo(0, document.documentElement.scrollHeight); return document.getElementById('grid').lastChild"

    wait(page, lambda: page.execute_script(bottom) and "e0" in ids(page))

    assert len(ids(page)) < 80
    assert console_errors(page) == []


def test_filters_leave_what_fits_and_stay_in_the_address(page: Chrome, site: Site) -> None:
    open_history(page, site)
    wait(page, lambda: len(page.find_elements(By.CSS_SELECTOR, "[name=shown] option")) > 4)
    choose(page, "shown", "cat")
    choose(page, "zone", "yard")
    choose(page, "min_p", "0.9")
    wait(page, lambda: cards(page) and all(name.startswith("cat, 95 %, zone yard") for name in cards(page)))
    address = str(page.current_url)
    page.refresh()
    wait(page, lambda: cards(page) and all(name.startswith("cat, 95 %, zone yard") for name in cards(page)))
    chosen = Select(page.find_element(By.NAME, "shown")).first_selected_option.text
    page.find_element(By.ID, "filters-clear").click()

    wait(page, lambda: len({name.split(",")[0] for name in cards(page)}) == 4)
    assert address.endswith("#events?view=all&shown=cat&zone=yard&min_p=0.9")
    assert chosen == "cat"
    assert console_errors(page) == []


def test_a_search_that_nothing_fits_says_so(page: Chrome, site: Site, findings: Findings) -> None:
    open_history(page, site)
    page.find_element(By.NAME, "text").send_keys("zebra", Keys.ENTER)

    wait(page, lambda: text(page, "grid-empty") == "No event fits these filters.")
    assert cards(page) == []
    assert findings(page) == []


_ASKED = (
    "return performance.getEntriesByType('resource').filter(({name}) => /[?&]text=/.test(name)).map(({name}) => name)"
)


def test_events_are_searched_while_a_viewer_types(page: Chrome, site: Site) -> None:
    """A pause asks once; the cursor stays in the field, and leaving it asks for nothing."""
    open_history(page, site)
    wait(page, lambda: len({name.split(",")[0] for name in cards(page)}) == 4)
    page.execute_script("performance.clearResourceTimings()")
    field = page.find_element(By.NAME, "text")
    field.send_keys("cxp", Keys.ARROW_LEFT, Keys.BACKSPACE, "u")
    wait(page, lambda: cards(page) and all(name.startswith("cup,") for name in cards(page)))
    wait(page, lambda: page.find_element(By.ID, "axis").get_attribute("aria-busy") == "false")
    focused = page.switch_to.active_element == field
    caret = page.execute_script("return document.activeElement.selectionStart")
    page.execute_script("document.activeElement.blur()")
    asked = [name for name in page.execute_script(_ASKED) if "format=csv" not in name]

    assert (focused, caret) == (True, 2)
    assert field.get_attribute("value") == "cup"
    assert page.current_url.endswith("#events?view=all&text=cup")
    assert len(asked) <= 3, asked
    assert all("text=cup" in name for name in asked)


def test_a_part_of_the_day_is_chosen_on_the_axis(page: Chrome, site: Site, findings: Findings) -> None:
    open_history(page, site)
    wait(page, lambda: text(page, "timeline-title"))
    if text(page, "timeline-title") != "Yesterday":  # just after midnight the newest event is of yesterday
        page.find_element(By.ID, "day-before").click()
    wait(page, lambda: text(page, "timeline-title") == "Yesterday")
    wait(page, lambda: page.find_element(By.ID, "axis").get_attribute("aria-busy") == "false")
    assert len(page.find_elements(By.CSS_SELECTOR, "#axis button")) > 20
    page.find_element(By.CSS_SELECTOR, "#axis [data-step*='\"from\":3,']").click()
    wait(page, lambda: text(page, "timeline-title") == "Yesterday, 03:00 to 04:00")
    chosen = "const {dataset, ariaPressed} = document.activeElement; return ariaPressed === 'true' && dataset.step"
    wait(page, lambda: page.execute_script(chosen) == '{"from":3,"hours":1}')
    page.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.switch_to.active_element.send_keys(Keys.ENTER)

    wait(page, lambda: text(page, "timeline-title") == "Yesterday, 04:00 to 05:00")
    wait(page, lambda: cards(page) and all("Yesterday 04:" in name for name in cards(page)))
    assert len(cards(page)) == 6, "one every ten minutes"
    assert findings(page) == []


def test_counts_by_label_and_hour_are_a_picture_and_a_table(page: Chrome, site: Site, findings: Findings) -> None:
    open_history(page, site)
    page.find_element(By.CSS_SELECTOR, "#counts summary").click()
    wait(page, lambda: len(page.find_elements(By.CSS_SELECTOR, "#counts-picture .cell")) == 4 * 24)
    total = page.execute_script(_TOTAL)
    picture = page.find_element(By.CSS_SELECTOR, "#counts-picture svg")

    assert total == EVENTS
    assert picture.get_attribute("role") == "img"
    assert "cup 70" in str(picture.get_attribute("aria-label"))
    assert findings(page) == []


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "Australia/Adelaide", "Asia/Kathmandu", "America/New_York"])
def test_events_count_in_the_hours_of_the_viewers_time_zone(page: Chrome, site: Site, zone: str) -> None:
    local = ZoneInfo(zone)
    hours = Counter(
        datetime.fromtimestamp(e.start_ms / 1000, local).hour for e in site.store.find(Query(), EVENTS).events
    )
    page.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
    try:
        open_history(page, site)
        page.find_element(By.CSS_SELECTOR, "#counts summary").click()
        wait(page, lambda: page.find_elements(By.CSS_SELECTOR, "#counts-table tbody tr"))
        rows = page.execute_script(_COUNTED)
    finally:
        page.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})

    assert [sum(counted) for counted in zip(*rows, strict=True)] == [hours[hour] for hour in range(24)]


def test_the_arrow_keys_lead_through_the_grid_and_enter_opens_an_event(page: Chrome, site: Site) -> None:
    open_history(page, site)
    wait(page, lambda: len(cards(page)) > 10)
    columns = int(page.execute_script("return getComputedStyle(grid).getPropertyValue('--columns')"))
    page.find_element(By.CSS_SELECTOR, "#grid .event").send_keys(Keys.ARROW_RIGHT, "")
    right = focused(page)
    page.switch_to.active_element.send_keys(Keys.END)
    wait(page, lambda: focused(page) not in (right, None))
    page.switch_to.active_element.send_keys(Keys.HOME)
    wait(page, lambda: focused(page) == f"e{EVENTS - 1}")
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    down = focused(page)
    page.switch_to.active_element.send_keys(Keys.ENTER)
    wait(page, lambda: page.find_element(By.ID, "event-title").is_displayed())
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    wait(page, lambda: focused(page) == down)

    assert right == f"e{EVENTS - 2}"
    assert down is not None
    assert int(down[1:]) >= EVENTS - 1 - columns
    assert console_errors(page) == []


@pytest.mark.parametrize("address", ["event/%", "event/%E0%A4%A", "events?day=%&from=%zz&open=%"])
def test_an_address_that_is_no_text_opens_the_history(address: str, page: Chrome, site: Site) -> None:
    page.get("about:blank")
    page.get(f"{site.server.url}/#{address}")
    wait(page, lambda: page.find_elements(By.CSS_SELECTOR, "#stories .told"))

    assert hidden(page, "history-message")
    assert console_errors(page) == []


_OF_TODAY = {"/page/history/addresses.js"}


def test_the_live_picture_is_not_sent_while_the_history_is_open(page: Chrome, site: Site) -> None:
    page.get(site.server.url)
    wait(page, lambda: picture_width(page) > 100)
    files = "return performance.getEntriesByType('resource').map(({name}) => new URL(name).pathname)"
    live = page.execute_script(files)
    page.find_element(By.ID, "to-history").click()
    wait(page, lambda: page.find_elements(By.CSS_SELECTOR, "#stories .told"))
    stopped = page.execute_script("return document.getElementById('picture').src.startsWith('data:')")
    resize(page, 390, 844, "light")
    page.find_element(By.ID, "to-live").click()
    wait(page, lambda: picture_width(page) > 100)

    loaded = {name for name in live if "/history/" in name} - _OF_TODAY
    assert loaded == set(), "only what the summary of today needs is loaded before"
    assert stopped
    assert hidden(page, "history")
    assert console_errors(page) == []
