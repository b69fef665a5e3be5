"""A day of 1,500 events as a household looks at it: found, folded, opened, filtered, summarised, compared, exported."""

import csv
import io
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from tests.eventually import eventually
from tests.household import FIRST, RARE, make_history
from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import DESK, WALKED, WALKED_IDS, findings_at_every_size
from tests.integration.web.page.history.site import Site, cards, history_site, open_history, seen_at
from tests.integration.web.page.test_page import text, wait
from vitcam.history.stored import Query

YESTERDAY = (datetime.now() - timedelta(days=1)).replace(hour=23, minute=59)
A_DAY, DAYS = 1500, 24
SIZES = [(*size, scheme) for size, scheme in WALKED]
_STORIES = """
  return [...document.querySelectorAll("#stories .told-face")].map((face) => face.getAttribute("aria-label"));
"""
_LOADED = """
  const all = [...document.querySelectorAll("#stories .told img")];
  const inView = () => all.filter((img) => img.getBoundingClientRect().top < innerHeight);
  if (!inView().length) all[0]?.scrollIntoView({ block: "center", behavior: "instant" }); // below what is seen first
  const pictures = inView();
  return pictures.length > 0 && pictures.every((img) => img.complete && img.naturalWidth > 100);
"""
_COMPARED = """
  const rows = [...document.querySelectorAll("#compare-table tbody tr")];
  return rows.map((row) => [...row.querySelectorAll("th, .number")].map((cell) => cell.textContent));
"""
_WIDE = "return document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("household")
    make_history(folder, DAYS, A_DAY, now=YESTERDAY, before=250)
    with history_site(folder, 0) as running:
        yield running


@pytest.fixture
def page(chrome: Chrome, request: pytest.FixtureRequest) -> Chrome:
    width, height, scheme = getattr(request, "param", SIZES[0])
    resize(chrome, width, height, scheme)
    chrome.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": width < 600})
    return chrome


def stories(page: Chrome) -> list[str]:
    found: list[str] = page.execute_script(_STORIES)
    return found


def press(page: Chrome, selector: str) -> None:
    """In the middle of the screen, where nothing lies over it."""
    element = page.find_element(By.CSS_SELECTOR, selector)
    page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
    element.click()


def is_sound(page: Chrome) -> None:
    """No objection of axe, nothing wider than the screen."""
    width, height = page.execute_script("return [innerWidth, innerHeight]")
    scheme = "dark" if page.execute_script("return matchMedia('(prefers-color-scheme: dark)').matches") else "light"
    assert page.execute_script(_WIDE) <= 0
    if (width, height) != DESK:
        return  # axe looks at the others, too, from the desk
    assert findings_at_every_size(page) == []
    resize(page, width, height, scheme)


def counted(site: Site, day: date, **conditions: frozenset[str]) -> dict[str, int]:
    """What the day has, by name, as the store says it."""
    since = datetime(day.year, day.month, day.day)
    times = [int(each.timestamp() * 1000) for each in (since, since + timedelta(days=1))]
    summary = site.store.summary(Query(**conditions), times, 200)  # type: ignore[arg-type]
    return {story.label: story.events for story in summary.whole.stories}


@pytest.mark.slow("vitcam/web")
@pytest.mark.parametrize("page", SIZES, indirect=True, ids=WALKED_IDS)
def test_a_busy_day_is_found_folded_opened_filtered_summarised_compared_and_exported(
    page: Chrome, site: Site, tmp_path: Path
) -> None:
    day = YESTERDAY.date()
    seen = counted(site, day)
    open_history(page, site, "events")
    folds_what_repeats(page, seen)
    page.save_screenshot(str(tmp_path / "day.png"))
    opens_a_story(page, seen)
    page.save_screenshot(str(tmp_path / "story.png"))
    filters_by_what_was_displayed(page, seen)
    shows_a_part_of_the_day(page)
    exports(page, sum(seen.values()))
    summarises_the_week(page)
    page.save_screenshot(str(tmp_path / "week.png"))
    compares(page, site)
    page.save_screenshot(str(tmp_path / "compared.png"))
    leads_to_earlier_weeks(page)
    page.save_screenshot(str(tmp_path / "diary.png"))

    assert console_errors(page) == []


def folds_what_repeats(page: Chrome, seen: dict[str, int]) -> None:
    """The newest day that has something, each thing once, what is new first."""
    wait(page, lambda: text(page, "timeline-title") == "Yesterday" and stories(page))
    wait(page, lambda: page.execute_script(_LOADED))
    said = text(page, "timeline-said")
    names = [label.split(", ")[0] for label in stories(page)]

    assert said.startswith(f"{sum(seen.values()):,} events of {len(seen)} things. For the first time since ")
    assert FIRST in said.partition("Rare")[0]
    assert RARE in said.partition("Rare")[2]
    assert names[:2] == [FIRST, RARE] or names[0] == FIRST
    assert sorted(names) == sorted(seen)
    assert f"espresso, {seen['espresso']} times, last at 1" in " ".join(stories(page))
    assert page.find_element(By.CSS_SELECTOR, "#stories .first a").get_attribute("href")
    is_sound(page)


def opens_a_story(page: Chrome, seen: dict[str, int]) -> None:
    """By keyboard; its events come page by page, and closing leads back to its card."""
    face = "#stories [data-key='seen:coffee mug']"
    page.find_element(By.CSS_SELECTOR, face).send_keys(Keys.ENTER)
    wait(page, lambda: cards(page) and text(page, "opened-title") == f"coffee mug, {seen['coffee mug']} times")
    assert page.find_element(By.CSS_SELECTOR, face).get_attribute("aria-expanded") == "true"
    assert {name.split(", ")[0] for name in cards(page)} == {"coffee mug"}
    is_sound(page)
    page.find_element(By.CSS_SELECTOR, "#grid .event").send_keys(Keys.END)

    def at_the_first() -> bool:
        """The end is that of what is loaded so far."""
        page.switch_to.active_element.send_keys(Keys.END)
        return "Yesterday 07:" in cards(page)[-1]

    wait(page, at_the_first)
    page.find_element(By.CSS_SELECTOR, "#grid .event").send_keys(Keys.ENTER)
    wait(page, lambda: text(page, "event-title") == "coffee mug")
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    wait(page, lambda: page.execute_script("return document.activeElement.dataset.id") and cards(page))
    page.find_element(By.ID, "opened-close").send_keys(Keys.ENTER)
    wait(page, lambda: cards(page) == [] or not page.find_element(By.ID, "opened").is_displayed())
    wait(page, lambda: page.execute_script("return document.activeElement.dataset.key") == "seen:coffee mug")


def filters_by_what_was_displayed(page: Chrome, seen: dict[str, int]) -> None:
    """A group is not one of its labels; what a person said is found; and all comes back."""
    wait(page, lambda: len(page.find_elements(By.CSS_SELECTOR, "[name=shown] option")) > 10)
    Select(page.find_element(By.NAME, "shown")).select_by_value("cat")
    wait(page, lambda: [label.split(", last")[0] for label in stories(page)] == [f"cat, {seen['cat']} times"])
    press(page, "#filters-clear")
    wait(page, lambda: len(stories(page)) == len(seen))
    press(page, ".chip:has([name=corrected])")
    wait(page, lambda: stories(page) and all(label.startswith(("toy ", "neighbour")) for label in stories(page)))
    page.find_element(By.NAME, "text").send_keys("zebra", Keys.ENTER)
    wait(page, lambda: text(page, "timeline-said") == "No event fits these filters.")
    is_sound(page)
    press(page, "#filters-clear")
    wait(page, lambda: len(stories(page)) == len(seen))


def shows_a_part_of_the_day(page: Chrome) -> None:
    """The axis has a button for what has something, and the arrow keys lead along it."""
    wait(page, lambda: page.find_element(By.ID, "axis").get_attribute("aria-busy") == "false")
    button = page.find_elements(By.CSS_SELECTOR, "#axis button")[-1]
    button.send_keys(Keys.ARROW_LEFT)
    page.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.switch_to.active_element.send_keys(Keys.ENTER)
    wait(page, lambda: text(page, "timeline-title").startswith("Yesterday, "))
    wait(page, lambda: "espresso" not in " ".join(stories(page)))
    assert stories(page), "nobody makes espresso in the evening, but something was seen"
    pressed = page.find_element(By.CSS_SELECTOR, "#axis [aria-pressed=true]")
    assert page.switch_to.active_element == pressed
    pressed.send_keys(Keys.ENTER)
    wait(page, lambda: text(page, "timeline-title") == "Yesterday")


def exports(page: Chrome, events: int) -> None:
    """The file has what is shown."""
    wait(page, lambda: "since=" in str(page.find_element(By.ID, "filters-export").get_attribute("href")))
    with urllib.request.urlopen(str(page.find_element(By.ID, "filters-export").get_attribute("href"))) as answer:
        assert len([*csv.DictReader(io.StringIO(answer.read().decode()))]) == events


def summarises_the_week(page: Chrome) -> None:
    """A bar for each of its days, and back to one of them."""
    press(page, ".chip:has(#period-week)")
    wait(page, lambda: 1 <= len(page.find_elements(By.CSS_SELECTOR, "#axis button")) <= 7)
    wait(page, lambda: f"{FIRST}, First time" in " ".join(stories(page)))
    assert text(page, "timeline-title") != "Yesterday"
    is_sound(page)
    press(page, "#axis button:last-of-type")
    wait(page, lambda: text(page, "timeline-title") == "Yesterday")


def compares(page: Chrome, site: Site) -> None:
    """With the day before: what only one of them has comes first."""
    press(page, "#compare summary")
    wait(page, lambda: page.execute_script(_COMPARED))
    found = {label: counts for label, *counts in page.execute_script(_COMPARED)}
    before = counted(site, YESTERDAY.date() - timedelta(days=1))

    assert found[FIRST] == ["1", "–"]
    assert found["espresso"][1] == str(before["espresso"])
    assert found.keys() == before.keys() | counted(site, YESTERDAY.date()).keys()
    assert "with=" in page.current_url
    is_sound(page)
    press(page, "#compare summary")
    wait(page, lambda: "with=" not in page.current_url)


def leads_to_earlier_weeks(page: Chrome) -> None:
    """They are asked for when a viewer comes there; each of their days is a link."""
    page.execute_script("document.getElementById('diary').scrollIntoView({behavior: 'instant'})")
    wait(page, lambda: page.find_elements(By.CSS_SELECTOR, "#diary .week"))
    while page.find_element(By.ID, "diary-more").is_displayed():
        weeks = len(page.find_elements(By.CSS_SELECTOR, "#diary .week"))
        press(page, "#diary-more")
        wait(page, lambda weeks=weeks: len(page.find_elements(By.CSS_SELECTOR, "#diary .week")) > weeks)  # type: ignore[misc]
    days = page.find_elements(By.CSS_SELECTOR, "#diary .week-day")
    is_sound(page)
    assert len(days) == DAYS
    press(page, "#diary .week:last-child .week-day:last-child")
    wait(page, lambda: text(page, "timeline-title") not in ("Yesterday", "Today"))
    assert "day=" in page.current_url


def test_a_day_is_the_viewers_day_also_when_clocks_change(page: Chrome, tmp_path: Path) -> None:
    """On 25 October 2026 a day in Berlin has 25 hours: from 22:00 to 23:00 UTC."""
    with history_site(tmp_path, 0) as site:
        for number, moment in enumerate(("24T21:59", "24T22:01", "25T00:30", "25T01:30", "25T22:59", "25T23:01")):
            start_ms = int(datetime.fromisoformat(f"2026-10-{moment}:00+00:00").timestamp() * 1000)
            site.see(replace(seen_at(start_ms, 4 * number), id=f"e{number}", end_ms=start_ms + 1000))
        assert eventually(lambda: len(site.store.find(Query()).events) == 6)
        page.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Berlin"})
        try:
            open_history(page, site, "events?day=2026-10-25")
            wait(page, lambda: stories(page))
            said = text(page, "timeline-said")
            hours = [
                str(button.get_attribute("aria-label"))
                for button in page.find_elements(By.CSS_SELECTOR, "#axis button")
            ]
        finally:
            page.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})

    assert said == "4 events of 1 thing."
    assert hours == ["00:00 to 01:00, 1 event", "02:00 to 03:00, 2 events", "23:00 to 00:00, 1 event"]


def test_times_of_wrong_clocks_are_told_and_hide_nothing(page: Chrome, tmp_path: Path) -> None:
    make_history(tmp_path, a_day=40, absurd=True, now=YESTERDAY)
    with history_site(tmp_path, 0) as site:
        open_history(page, site, "events")
        wait(page, lambda: text(page, "timeline-title") == "Yesterday" and stories(page))
        page.execute_script("document.getElementById('diary').scrollIntoView({behavior: 'instant'})")
        wait(page, lambda: "dated in the future" in text(page, "diary-later"))
        press(page, "#diary-later a")
        wait(page, lambda: text(page, "timeline-title") == "Friday, 1 January 2100" and stories(page))
        page.execute_script("document.getElementById('diary').scrollIntoView({behavior: 'instant'})")
        wait(page, lambda: page.find_element(By.ID, "diary-more").is_displayed())
        press(page, "#diary-more")
        wait(page, lambda: "1970" in page.find_element(By.ID, "diary-weeks").text)
        objections = findings_at_every_size(page)
        errors = console_errors(page)

    assert objections == []
    assert errors == []
