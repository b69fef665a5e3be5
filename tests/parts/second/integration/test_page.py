"""A second look on the page: asked for below Settings, read in the caption and in the history."""

import re
from pathlib import Path

from selenium.webdriver.common.by import By

from tests.daemon import Daemon, daemon, get_json
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.page.test_page import text, wait
from tests.needs import need_model

_SET = """
  const input = document.getElementById(arguments[0]);
  input.value = arguments[1];
  input.dispatchEvent(new Event("change"));
"""
_SAID = re.compile(r"(^|· )(cat|dog|bird|frog|deer|horse) (> )?\d+ %|Unsure which one\.")


def specified(running: Daemon) -> list[str]:
    """Ids of the events about which a second model was asked."""
    events = get_json(f"{running.url}/api/events?limit=50")["events"]
    return [event["id"] for event in events if event["shown"]["detail"] is not None]


def test_what_is_asked_for_below_settings_stands_in_the_caption_and_in_the_history(tmp_path: Path) -> None:
    need_model("cifar10")
    with (
        daemon("--source", "demo", "--loop", XDG_STATE_HOME=str(tmp_path / "state")) as running,
        open_browser(tmp_path / "profile", look="simple") as chrome,
    ):
        running.wait_for("ok")
        chrome.get(f"{running.url}/#settings")
        wait(chrome, lambda: chrome.find_elements(By.ID, "setting-species.ask"))
        assert "Ask again when it is a …" in text(chrome, "settings-groups")
        for name, value in (("species.model", "cifar10"), ("species.ask", "cat")):
            chrome.execute_script(_SET, f"setting-{name}", value)
        wait(chrome, lambda: running.state()["second"]["asked"] > 0)
        chrome.get(f"{running.url}/#")
        chrome.refresh()
        wait(chrome, lambda: text(chrome, "caption") == "cat" and _SAID.search(text(chrome, "caption-more")))
        wait(chrome, lambda: specified(running))
        chrome.get(f"{running.url}/#event/{specified(running)[0]}")
        wait(chrome, lambda: _SAID.search(text(chrome, "event-chance")))
        errors = console_errors(chrome)

    assert errors == []
