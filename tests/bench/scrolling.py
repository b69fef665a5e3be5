"""Whether the page's history scrolls without stutter: many events, and headless Chromium that scrolls to the oldest.

python -m tests.bench.scrolling [--events 10000] [--width 1280]

Printed are tasks that blocked the page for 50 ms or more, which browsers call long, and frames that came more than
25 ms after the one before. The same for an empty page of that height says what the machine does by itself.
"""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome

from tests.integration.web.browser import open_browser
from tests.integration.web.page.history.site import cards, history_site, open_history
from tests.integration.web.page.test_page import wait

_SCROLL = """
  const [step, done] = arguments, tasks = [], gaps = [];
  const note = (list) => tasks.push(...list.getEntries().map(({duration}) => duration));
  new PerformanceObserver(note).observe({type: "longtask"});
  let last = performance.now(), still = 0;
  const next = (now) => {
    gaps.push(now - last);
    last = now;
    const before = scrollY;
    scrollBy({top: step, behavior: "instant"});
    still = scrollY === before ? still + 1 : 0;
    if (still < 60 && gaps.length < 20000) return requestAnimationFrame(next);
    gaps.length -= still; // the last frames only waited for more
    done({
      frames: gaps.length, px: scrollY, late: gaps.filter((gap) => gap > 25).length, worst: Math.max(...gaps),
      tasks: tasks.length, longest: Math.max(0, ...tasks), cards: document.querySelectorAll("#grid .event").length,
    });
  };
  requestAnimationFrame(next);
"""
_WORK = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")
_EMPTY = "document.body.replaceChildren(); document.body.style.height = `${arguments[0]}px`; scrollTo(0, 0)"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--step", type=int, default=100, help="px a frame")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        history_site(Path(folder) / "state", options.events) as site,
        open_browser(Path(folder) / "profile", options.width) as chrome,
    ):
        chrome.set_script_timeout(600)
        chrome.execute_cdp_cmd("Performance.enable", {})
        open_history(chrome, site)
        wait(chrome, lambda: cards(chrome))
        found = scroll(chrome, options.step)
        show(f"history of {options.events} events", found)
        chrome.execute_script(_EMPTY, found["px"])
        show("empty page", scroll(chrome, options.step))


def scroll(chrome: Chrome, step: int) -> dict[str, Any]:
    """To the end of the page, `step` px a frame."""
    before = busy_s(chrome)
    found: dict[str, Any] = chrome.execute_async_script(_SCROLL, step)
    return found | {"busy_ms": 1000 * (busy_s(chrome) - before) / found["frames"]}


def busy_s(chrome: Chrome) -> float:
    """How long the page's thread has run scripts, computed styles and laid out, in s."""
    metrics = chrome.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(sum(each["value"] for each in metrics if each["name"] in _WORK))


def show(name: str, found: dict[str, Any]) -> None:
    """A few lines for what was measured."""
    late = f"{found['late']} ({found['late'] / found['frames']:.1%})"
    print(f"{name}: {found['px']:.0f} px in {found['frames']} frames; {found['cards']} cards exist at the end")
    print(f"  script, style and layout: {found['busy_ms']:.1f} ms a frame")
    print(f"  frames later than 25 ms: {late}; worst {found['worst']:.0f} ms")
    print(f"  tasks of 50 ms or more: {found['tasks']}; longest {found['longest']:.0f} ms", flush=True)


if __name__ == "__main__":
    main()
