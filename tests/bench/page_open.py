"""Frames/s with the page open, against closed: on another device, and in a browser on this machine.

python -m tests.bench.page_open [--turns 20] [--seconds 1.5] [--model everyday]

Daemons of this checkout play the demo as fast as the model goes. Only one of them is awake at a time, and who begins
changes from turn to turn. Of one the page is closed. Of one, a client asks what the live page asks: the stream, the
predictions, and the state once a second. Of one, a headless Chromium on this machine shows the page, which takes its
share of the same cores. It stays out where there is none.
"""

import argparse
import shutil
import signal
import tempfile
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path

from tests.bench.throughput import daemon_rate, one_viewer
from tests.bench.turns import in_turns, show
from tests.daemon import Daemon, daemon
from tests.eventually import eventually

_STREAM = "/stream?overlay=evidence&width=1280"
_ASK_S = 1.0


@contextmanager
def asks_for_state(url: str) -> Iterator[None]:
    """Once a second, as the page does."""
    gone = threading.Event()

    def ask() -> None:
        while not gone.wait(_ASK_S):
            with urllib.request.urlopen(f"{url}/api/state", timeout=120) as answer:  # it may be asleep meanwhile
                answer.read()

    asker = threading.Thread(target=ask, daemon=True)
    asker.start()
    try:
        yield
    finally:
        gone.set()
        asker.join(5)


@contextmanager
def shown_elsewhere(running: Daemon) -> Iterator[None]:
    """What the page asks for, by a client that draws nothing."""
    url = running.url
    with one_viewer(url, _STREAM), one_viewer(url, "/api/predictions"), asks_for_state(url):
        yield


@contextmanager
def shown_here(running: Daemon, folder: Path) -> Iterator[None]:
    """The page in Chromium, with its picture moving. Raises AssertionError where it shows none."""
    from tests.integration.web.browser import open_browser

    with open_browser(folder / "profile", look="simple") as chrome:
        chrome.get(running.url)
        assert eventually(lambda: chrome.execute_script(_WIDTH) > 0), running.errors()
        yield


_WIDTH = "return document.getElementById('picture').naturalWidth"


Page = Callable[[Daemon], AbstractContextManager[None]]


@contextmanager
def kept_asleep(model: str, page: Page) -> Iterator[Daemon]:
    """A daemon as fast as it can, with its page, stopped by a signal."""
    clip = ("--source", "demo:ram", "--no-realtime", "--loop", "--emit", "changes", "--model", model)
    with daemon(*clip) as running:
        running.wait_for("ok")
        with page(running):
            running.process.send_signal(signal.SIGSTOP)
            yield running
            running.process.send_signal(signal.SIGCONT)


def _rate(sleeping: Daemon, seconds: float) -> tuple[float]:
    return (daemon_rate(sleeping, seconds),)


def main() -> None:
    """Print a table; old is closed, new is open."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.page_open")
    options.add_argument("--turns", type=int, default=20)
    options.add_argument("--seconds", type=float, default=1.5)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, kept_asleep(o.model, lambda _: nullcontext()) as closed:
        pages: dict[str, Page] = {"on another device": shown_elsewhere}
        if shutil.which("chromium"):
            pages["here, in Chromium"] = partial(shown_here, folder=Path(folder))
        print(f"{o.turns} turns\n\n| page | closed | open | open / closed, 95 % interval |\n|---|---|---|---|")
        for name, page in pages.items():
            with kept_asleep(o.model, page) as opened:
                (pairs,) = in_turns(o.turns, partial(_rate, closed, o.seconds), partial(_rate, opened, o.seconds))
            show(name, pairs)


if __name__ == "__main__":
    main()
