"""`vitcam run` with a service manager at the other end: what it hears, in which order, and when it hears nothing."""

import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.daemon import daemon, status_of
from tests.eventually import eventually
from tests.service_manager import INTERVAL_S, Manager

FAST = ("--loop", "--realtime", "--set", "camera.every=100ms")  # a folder of photos, played as a camera would
MAY_HANG = "may hang"
"""A file beside the code below: a busy machine classifies many frames before it says READY."""
INFERENCE_HANGS = """
import threading
from pathlib import Path
from vitcam.model.classifier import Classifier

classify, asked = Classifier.__call__, Path(__file__).with_name("may hang")

def hang(self, frame, *how, **named):
    if frame.source != "golden" and asked.exists():
        {hang}
    return classify(self, frame, *how, **named)

Classifier.__call__ = hang
"""
WEB_HANGS = """
import asyncio, threading
from pathlib import Path

run_forever, asked = asyncio.SelectorEventLoop.run_forever, Path(__file__).with_name("may hang")

def hang(loop):
    threading.Event().wait() if asked.exists() else loop.call_later(0.1, hang, loop)

def run(self):
    self.call_soon(hang, self)
    run_forever(self)

asyncio.SelectorEventLoop.run_forever = run
"""
ENDS_S = 10.0
"""An end that waits for what hangs takes for ever. Two seconds are promised (test_ends_in_time.py); a machine that is
busy with other tests needs more of them to wake the thread that ends the process, and to clear up."""
SHORT_PATIENCE = """
from vitcam.daemon import watchdog

watchdog.CAPTURE_BOUND_NS = 4_000_000_000  # the attempts to open a camera come every 2 s
watchdog.HUNG_AFTER_NS = 3_000_000_000
"""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


@pytest.fixture
def photos(tmp_path: Path) -> str:
    """A folder to be played for ever, as a camera would."""
    folder = tmp_path / "photos"
    folder.mkdir()
    for i in range(3):
        noise = np.random.default_rng(i).integers(0, 256, (24, 32, 3), np.uint8)
        cv2.imwrite(str(folder / f"{i}.png"), cv2.resize(noise, (320, 240)))
    return str(folder)


@pytest.fixture
def sabotage(tmp_path: Path) -> Callable[[str], str]:
    """Patches the daemon as its interpreter starts, and its patience; returns the PYTHONPATH that does it."""

    def sabotage(code: str) -> str:
        (tmp_path / "sitecustomize.py").write_text(SHORT_PATIENCE + code)
        return str(tmp_path)

    return sabotage


def test_ready_then_status_and_watchdog_then_stopping_are_heard_in_order(manager: Manager, photos: str) -> None:
    with daemon(*FAST, "--source", photos, **manager.environment()) as running:
        manager.wait_for(lambda message: message.startswith("READY=1"))
        reachable_when_ready = status_of(f"{running.url}/healthz")
        status = manager.wait_for(lambda message: message.startswith("STATUS=") and " fps" in message)
        manager.wait_for_feedings(6)
        code, took_s = running.end()
        stopping = manager.wait_for(lambda message: message.startswith("STOPPING=1"), timeout_s=5)

    messages = manager.messages()
    assert reachable_when_ready == 200
    assert messages[0].startswith("READY=1")
    assert messages.index(stopping) == len(messages) - 1
    assert manager.longest_hunger_s() < INTERVAL_S
    assert status.removeprefix("STATUS=").rpartition(" fps")[0].rpartition(", ")[2].replace(".", "").isdigit()
    assert (code, took_s < 2) == (0, True)


@pytest.mark.fault(
    "there is no camera at start",
    injected="a device that does not exist",
    observed="READY; the page shows the reason; the watchdog is fed",
)
def test_a_missing_camera_is_ready_serves_its_card_and_starves_nothing(
    manager: Manager, sabotage: Callable[[str], str]
) -> None:
    with daemon("--source", "/dev/video97", PYTHONPATH=sabotage(""), **manager.environment()) as running:
        manager.wait_for(lambda message: message.startswith("READY=1"))
        status = manager.wait_for(lambda message: "/dev/video97" in message)
        manager.wait_for_feedings(9)  # longer than an attempt to open it may take
        state = running.state()
        with urllib.request.urlopen(f"{running.url}/stream", timeout=10) as stream:
            card = stream.read(2000)
        code, _ = running.end()

    assert status.startswith("STATUS=no signal: ")
    assert state["status"] == "no_signal"
    assert b"image/jpeg" in card
    assert b"\xff\xd8\xff" in card
    assert manager.longest_hunger_s() < INTERVAL_S
    assert code == 0


@pytest.mark.fault(
    "inference or the web part hangs",
    injected="code that sleeps in their place",
    observed="the watchdog is not fed, with the reason in the log; SIGTERM still ends it",
)
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (INFERENCE_HANGS.format(hang="threading.Event().wait()"), "the model has not answered for "),
        (WEB_HANGS, "the web server has not moved for "),
    ],
    ids=["inference", "web"],
)
def test_what_hangs_starves_the_watchdog_with_a_reason_and_still_ends_when_asked(
    manager: Manager, sabotage: Callable[[str], str], photos: str, tmp_path: Path, code: str, reason: str
) -> None:
    with daemon(*FAST, "--source", photos, PYTHONPATH=sabotage(code), **manager.environment()) as running:
        manager.wait_for(lambda message: message == "WATCHDOG=1")
        (tmp_path / MAY_HANG).touch()
        eventually(lambda: reason in running.errors())
        starves = eventually(lambda: manager.hungry_for_s() > INTERVAL_S)
        exit_code, took_s = running.end()
        errors = running.errors()

    assert f"the watchdog is not fed any more: {reason}" in errors
    assert "; 3 s are allowed" in errors
    assert starves
    assert manager.messages()[-1].startswith("STOPPING=1")
    assert exit_code == 0
    assert took_s < ENDS_S


@pytest.mark.fault(
    "inference hangs and holds the interpreter's lock",
    injected="code that never gives the lock back",
    observed="the watchdog is not fed",
)
def test_an_inference_that_hangs_with_the_interpreter_lock_starves_it_too(
    manager: Manager, sabotage: Callable[[str], str], photos: str, tmp_path: Path
) -> None:
    hang = "import ctypes; print('hangs', flush=True, file=__import__('sys').stderr); ctypes.PyDLL(None).sleep(600)"
    code = INFERENCE_HANGS.format(hang=hang)
    with daemon(*FAST, "--source", photos, PYTHONPATH=sabotage(code), **manager.environment()) as running:
        manager.wait_for(lambda message: message == "WATCHDOG=1")
        (tmp_path / MAY_HANG).touch()
        eventually(lambda: "hangs" in running.errors())

        assert "hangs" in running.errors()
        assert eventually(lambda: manager.hungry_for_s() > 2 * INTERVAL_S)


def test_a_service_without_a_web_part_is_watched_over_as_well(manager: Manager, photos: str) -> None:
    with daemon(*FAST, "--source", photos, "--no-web", **manager.environment()) as running:
        manager.wait_for(lambda message: message.startswith("STATUS=") and " fps" in message)
        manager.wait_for_feedings(6)
        code, _ = running.end()

    assert manager.longest_hunger_s() < INTERVAL_S
    assert code == 0
