"""The view of one event: what it shows, and what a person can do there."""

import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.eventually import eventually
from tests.integration.web.browser import console_errors
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.history.conftest import EVENTS
from tests.integration.web.page.history.site import Site, cards, history_site, ids, open_history, picture, seen_at
from tests.integration.web.page.test_page import text, wait
from tests.integration.web.page.test_page_states import hidden
from vitcam.frames import Group
from vitcam.history.database.connections import open_to_write
from vitcam.history.stored import Action

_SHOWN = "const img = document.getElementById('event-image'); return img.complete && img.naturalWidth"


def source(page: Chrome) -> str:
    return str(page.find_element(By.ID, "event-image").get_attribute("src"))


def test_an_event_shows_picture_curve_guesses_and_what_was_done(page: Chrome, site: Site, findings: Findings) -> None:
    site.store.note_action("e8", Action("at night", "webhook", "failed", "connection refused"))
    assert eventually(lambda: (event := site.store.get("e8")) and event.actions)
    open_history(page, site, "event/e8")
    wait(page, lambda: page.execute_script(_SHOWN))
    plain = source(page)
    wait(page, lambda: page.find_elements(By.CSS_SELECTOR, "#event-curve polyline"))
    page.find_element(By.TAG_NAME, "body").send_keys("o")
    wait(page, lambda: "overlay=evidence" in source(page) and page.execute_script(_SHOWN))
    facts = text(page, "event-facts")

    assert text(page, "event-title") == "cup"
    assert text(page, "event-chance") == "85 %"
    assert "overlay" not in plain
    assert "20 s" in facts
    assert "toy" in facts
    assert "cup" in text(page, "event-guesses")
    assert "connection refused" in text(page, "event-actions")
    curve = page.find_element(By.CSS_SELECTOR, "#event-curve svg").get_attribute("aria-label")
    assert "highest after 5 s with 85 %" in str(curve)
    assert "0 s" in text(page, "event-curve").splitlines()
    assert findings(page) == []
    assert console_errors(page) == []


def test_an_event_has_the_displayed_name_in_the_grid_in_its_story_and_in_its_view(page: Chrome, tmp_path: Path) -> None:
    with history_site(tmp_path, 0) as site:
        now_ms = int(time.time() * 1000)
        tabby = replace(seen_at(now_ms - 60_000, 1), id="pet", label="tabby", p=0.4, group=Group("pet", 0.9))
        site.see(tabby)
        site.see(replace(tabby, id="unsure", start_ms=now_ms - 40_000, end_ms=now_ms - 30_000, group=None))
        assert eventually(lambda: site.store.get("pet") and site.store.get("unsure"))
        open_history(page, site)
        wait(page, lambda: len(cards(page)) == 2)
        names = [", ".join(card.split(", ")[:2]) for card in cards(page)]
        open_history(page, site, "events")
        wait(page, lambda: len(page.find_elements(By.CSS_SELECTOR, "#stories .told .what")) == 2)
        stories = [story.text for story in page.find_elements(By.CSS_SELECTOR, "#stories .told .what")]
        open_history(page, site)
        wait(page, lambda: len(cards(page)) == 2)
        page.find_element(By.CSS_SELECTOR, "[data-id=pet]").click()
        wait(page, lambda: text(page, "event-title") == "pet")
        chance = text(page, "event-chance")
        open_history(page, site, "events?view=all&label=PET")
        wait(page, lambda: ids(page) == ["pet"])
        errors = console_errors(page)

    assert names == ["Not sure, perhaps tabby", "pet, 90 %"]
    assert sorted(stories) == ["pet", "tabby"]
    assert chance == "90 %"
    assert errors == []


def test_the_curve_of_an_event_that_was_told_of_later_begins_at_its_start_too(page: Chrome, site: Site) -> None:
    event = replace(seen_at(int(time.time() * 1000) - 3_600_000, 1), id="late", curve=((1000, 0.5), (9000, 0.9)))
    site.see(event)
    assert eventually(lambda: site.store.get("late"))
    open_history(page, site, "event/late")
    wait(page, lambda: page.find_elements(By.CSS_SELECTOR, "#event-curve polyline"))
    words = text(page, "event-curve").splitlines()
    first = page.execute_script("return document.querySelector('#event-curve polyline').points[0].x")
    site.store.delete("late")

    assert "0 s" in words
    assert first > 60, "nothing is drawn before the first frame that is known"


def test_older_and_newer_events_are_one_key_away(page: Chrome, site: Site) -> None:
    open_history(page, site)
    wait(page, lambda: len(cards(page)) > 10)
    page.find_element(By.CSS_SELECTOR, "#grid .event").click()
    wait(page, lambda: page.current_url.endswith(f"#event/e{EVENTS - 1}"))
    newest = page.find_element(By.ID, "event-newer").is_enabled()
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT)
    wait(page, lambda: page.current_url.endswith(f"#event/e{EVENTS - 2}"))
    page.find_element(By.ID, "event-newer").click()

    wait(page, lambda: page.current_url.endswith(f"#event/e{EVENTS - 1}"))
    assert not newest
    assert console_errors(page) == []


def test_an_event_that_was_opened_by_a_link_leads_to_the_ones_beside_it(page: Chrome, site: Site) -> None:
    open_history(page, site, "event/e8")
    wait(page, lambda: page.find_element(By.ID, "event-newer").is_enabled())
    page.find_element(By.ID, "event-newer").click()
    wait(page, lambda: page.current_url.endswith("#event/e9") and page.execute_script(_SHOWN))
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.ARROW_RIGHT)
    wait(page, lambda: page.current_url.endswith("#event/e8"))
    open_history(page, site, "event/e0")
    wait(page, lambda: page.find_element(By.ID, "event-newer").is_enabled())

    assert not page.find_element(By.ID, "event-older").is_enabled(), "it is the first one"
    assert console_errors(page) == []


def test_an_event_of_an_earlier_version_that_shows_the_picture_of_another_one_leads_to_it(
    page: Chrome, tmp_path: Path, findings: Findings
) -> None:
    with history_site(tmp_path, 0) as site:
        for number in (12, 24):
            site.see(seen_at(int(time.time() * 1000) + number, number), picture(0))
            assert eventually(lambda number=number: site.store.get(f"e{number}"))  # type: ignore[misc]
        with closing(open_to_write(tmp_path)) as connection:
            connection.execute("UPDATE events SET frame = NULL, shared = 1 WHERE id = 'e24'")
        open_history(page, site, "event/e24")
        wait(page, lambda: page.execute_script(_SHOWN))
        facts = text(page, "event-facts")
        objections = findings(page)
        page.find_element(By.CSS_SELECTOR, "#event-facts a").click()
        wait(page, lambda: page.current_url.endswith("#event/e12"))

    assert "of another event that looked the same" in facts
    assert objections == []


def test_a_wrong_label_is_corrected_and_the_grid_shows_the_right_one(page: Chrome, site: Site) -> None:
    open_history(page, site)
    wait(page, lambda: len(cards(page)) > 10)
    page.find_element(By.CSS_SELECTOR, f"[data-id=e{EVENTS - 3}]").click()
    wait(page, lambda: page.find_element(By.ID, "event-label").is_displayed())
    page.find_element(By.ID, "event-label").send_keys("fox", Keys.ENTER)
    wait(page, lambda: text(page, "event-title") == "fox")
    facts = text(page, "event-facts")
    page.find_element(By.ID, "event-back").click()
    wait(page, lambda: any(name.startswith("fox, corrected") for name in cards(page)))
    page.find_element(By.CSS_SELECTOR, ".chip:has([name=corrected])").click()
    wait(page, lambda: len(cards(page)) == 1)
    kept = site.store.get(f"e{EVENTS - 3}")

    assert "the model said" in facts
    assert kept is not None
    assert (kept.corrected, kept.label) == ("fox", "cat")
    assert console_errors(page) == []


def test_a_favourite_is_found_among_the_favourites(page: Chrome, site: Site) -> None:
    open_history(page, site, "event/e20")
    wait(page, lambda: page.find_element(By.ID, "event-favourite").is_displayed())
    page.find_element(By.TAG_NAME, "body").send_keys("f")
    button = page.find_element(By.ID, "event-favourite")
    wait(page, lambda: button.get_attribute("aria-pressed") == "true")
    page.find_element(By.ID, "event-back").click()
    wait(page, lambda: page.find_elements(By.CSS_SELECTOR, "#stories .told"))
    page.find_element(By.CSS_SELECTOR, ".chip:has([name=view][value=all])").click()
    page.find_element(By.CSS_SELECTOR, ".chip:has([name=favourite])").click()

    wait(page, lambda: len(cards(page)) == 1)
    assert "favourite" in cards(page)[0]
    assert console_errors(page) == []


def test_an_event_is_deleted_only_after_a_question(page: Chrome, site: Site, findings: Findings) -> None:
    site.see(seen_at(int(time.time() * 1000) - 30 * 86_400_000, 5000), picture(1))
    assert eventually(lambda: site.store.get("e5000"))
    open_history(page, site, "event/e5000")
    wait(page, lambda: page.find_element(By.ID, "event-delete").is_displayed())
    page.find_element(By.ID, "event-delete").click()
    wait(page, lambda: page.find_element(By.ID, "event-sure").is_displayed())
    objections = findings(page)
    page.find_element(By.ID, "event-sure-no").click()
    still = site.store.get("e5000")
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.DELETE)
    wait(page, lambda: page.find_element(By.ID, "event-sure-yes").is_displayed())
    page.find_element(By.ID, "event-sure-yes").click()
    wait(page, lambda: page.find_element(By.ID, "stories").is_displayed())

    assert still is not None
    assert eventually(lambda: site.store.get("e5000") is None)
    assert objections == []


def test_an_event_that_is_gone_is_said_in_a_sentence(page: Chrome, site: Site, findings: Findings) -> None:
    open_history(page, site, "event/nothing")

    wait(page, lambda: text(page, "event-message") == "This event is no longer stored.")
    assert hidden(page, "event-body")
    assert findings(page) == []
