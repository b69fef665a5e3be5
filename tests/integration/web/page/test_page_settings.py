"""The view "Settings": what is changed there is in force, kept, and fixed where the configuration says it."""

import signal
import tomllib
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from tests.daemon import daemon, get_json
from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import DESK, WALKED, WALKED_IDS, findings_at_every_size
from tests.integration.web.page.test_page import press_link, wait
from tests.integration.web.page.test_reflow import look


def setting(chrome: Chrome, name: str) -> WebElement:
    return chrome.find_element(By.CSS_SELECTOR, f".setting[data-name='{name}']")


def control(chrome: Chrome, name: str) -> WebElement:
    return chrome.find_element(By.ID, f"setting-{name}")


def said(chrome: Chrome, name: str) -> str:
    return setting(chrome, name).find_element(By.CSS_SELECTOR, "[role=status]").text


def open_settings(chrome: Chrome, url: str) -> None:
    chrome.get(f"{url}/#settings")
    wait(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, ".setting"))
    wait(chrome, lambda: control(chrome, "store.enabled").is_displayed())


@pytest.mark.slow("vitcam/web")
@pytest.mark.parametrize(("size", "scheme"), WALKED, ids=WALKED_IDS)
def test_a_setting_is_changed_by_keyboard_kept_over_a_restart_and_reset(
    chrome: Chrome, tmp_path: Path, size: tuple[int, int], scheme: str
) -> None:
    resize(chrome, *size, scheme)
    (tmp_path / "config.toml").write_text("[store]\n# half a week\nkeep_days = 3.5\n")
    kept = tmp_path / "vitcam" / "settings.toml"
    with daemon("--source", "demo", "--config", str(tmp_path / "config.toml"), XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")
        chrome.get(running.url)
        press_link(chrome, "to-settings")
        wait(chrome, lambda: chrome.find_elements(By.ID, "setting-store.enabled"))

        # a slider, with the two thresholds kept in order
        control(chrome, "events.enter").send_keys(Keys.HOME)
        wait(chrome, lambda: said(chrome, "events.enter") != "" and "…" not in said(chrome, "events.enter"))
        assert [row["value"] for row in rows(running.url) if row["name"] in ("events.enter", "events.leave")] == [0, 0]

        # what the configuration fixes
        fixed = setting(chrome, "store.keep_days")
        assert not control(chrome, "store.keep_days").is_enabled()
        assert f"line 3 of {tmp_path / 'config.toml'}" in fixed.text

        # what needs another start, and what is refused
        Select(control(chrome, "camera.rotate")).select_by_value("180")
        wait(chrome, lambda: chrome.find_element(By.ID, "settings-waiting").is_displayed())
        chrome.execute_script("document.querySelectorAll('#settings details').forEach((each) => { each.open = true; })")
        control(chrome, "clips.labels").send_keys("no such thing", Keys.TAB)
        wait(chrome, lambda: "no such thing" in said(chrome, "clips.labels"))
        assert control(chrome, "clips.labels").get_property("value") == ""

        look(chrome, f"walk-settings-{size[0]}")
        assert chrome.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
        if size == DESK:
            assert findings_at_every_size(chrome) == []
            resize(chrome, *DESK)
        assert tomllib.loads(kept.read_text())["camera"] == {"rotate": 180}
        assert [each for each in console_errors(chrome) if "400 (Bad Request)" not in each] == []
        chrome.get("about:blank")
        running.end(signal.SIGTERM)

    with daemon("--source", "demo", "--config", str(tmp_path / "config.toml"), XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")
        open_settings(chrome, running.url)
        wait(chrome, lambda: Select(control(chrome, "camera.rotate")).first_selected_option.text == "180°")
        assert not chrome.find_element(By.ID, "settings-waiting").is_displayed()

        setting(chrome, "camera.rotate").find_element(By.CLASS_NAME, "setting-reset").click()
        wait(chrome, lambda: "rotate" not in kept.read_text())
        wait(
            chrome, lambda: Select(control(chrome, "camera.rotate")).first_selected_option.get_attribute("value") == "0"
        )
        assert console_errors(chrome) == []


def rows(url: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = get_json(f"{url}/api/settings")["settings"]
    return found


@pytest.mark.slow("vitcam/web")
def test_a_button_says_how_long_events_are_kept_where_nobody_could_read_it(chrome: Chrome, tmp_path: Path) -> None:
    resize(chrome, *DESK)
    kept = tmp_path / "vitcam" / "settings.toml"
    kept.parent.mkdir()
    kept.write_text("[store\nkeep_days = 0\n")
    (tmp_path / "config.toml").write_text("")
    with daemon("--source", "demo", "--config", str(tmp_path / "config.toml"), XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("degraded")
        open_settings(chrome, running.url)
        row = setting(chrome, "store.keep_days")
        wait(chrome, lambda: "No event is deleted because of its age until you choose." in row.text)
        row.find_element(By.CSS_SELECTOR, ".setting-said .setting-reset").click()
        wait(chrome, lambda: "until you choose" not in row.text)
        running.wait_for("ok")
        assert tomllib.loads(kept.read_text()) == {"store": {"keep_days": 30.0}}
        assert console_errors(chrome) == []
