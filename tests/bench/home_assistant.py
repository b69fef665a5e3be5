"""Processor time of a camera's frames with Home Assistant's integration connected, against without.

python -m tests.bench.home_assistant [--turns 8] [--seconds 20] [--fps 4]

One daemon plays the demo. A real Home Assistant has the camera, and the entry of the integration is enabled and
disabled, turn by turn. It needs what `make .venv/home-assistant/ready` installs.
"""

import argparse
import os
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.bench.turns import in_turns, show
from tests.bench.viewers import usage
from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.home_assistant.running import COMPONENTS, HomeAssistant, home_assistant

_SETTLE_S = 2.0


def frame_ms(running: Daemon, home: HomeAssistant, seconds: float, enabled: bool) -> tuple[float]:
    """Processor time of a frame in ms, over so many seconds."""
    home.ask("enable", integration="vitcam", enabled=enabled)
    assert eventually(lambda: running.state()["clients"]["predictions"] == int(enabled), every_s=0.1)
    time.sleep(_SETTLE_S)
    cpu_s, count = usage(running.process.pid).cpu_s, running.state()["frames"]["classified"]
    time.sleep(seconds)
    spent_s, frames = usage(running.process.pid).cpu_s - cpu_s, running.state()["frames"]["classified"] - count
    return (1000 * spent_s / frames,)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--fps", type=float, default=4, help="Frames that are classified in a second.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(COMPONENTS, folder / "home" / "custom_components")
        settings = {"VITCAM_MODEL_FPS": str(given.fps), "XDG_STATE_HOME": name}
        with daemon("--source", "demo", "--loop", **settings) as running, home_assistant(folder / "home") as home:
            running.wait_for("ok")
            added = home.ask("add", integration="vitcam", given={"url": running.url, "verify_ssl": True})
            assert added == "create_entry", home.log()
            load = os.getloadavg()[0]
            take = partial(frame_ms, running, home, given.seconds)
            (pairs,) = in_turns(given.turns, partial(take, False), partial(take, True))
            print("| | without | with | ratio (95 %) |\n|---|---|---|---|")
            show(f"processor time of a frame in ms, {given.turns} turns", pairs)
            print(f"\nload of the machine before and after: {load:.1f}, {os.getloadavg()[0]:.1f}")


main()
