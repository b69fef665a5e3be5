"""What is around the network: instructions of each part of the daemon for one frame, on the emulated processor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench.aarch64.emulate import Guest
from tests.bench.aarch64.frame_guest import STAGES
from tests.bench.aarch64.prepare import make_guest
from vitcam.sources import open_source
from vitcam.sources.source import SourceOptions

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("frame_guest.py")
WHEELS = ("ai-edge-litert==2.3.0", "opencv-python-headless>=5.0")
MARK, INVOKE = STAGES.index("a mark"), STAGES.index("invoke")


@dataclass(frozen=True)
class FrameBudget:
    """One frame of the daemon, 1280×720 px, with one viewer of the overlay."""

    stages: dict[str, int]
    """Instructions of each part, without those of the marks around it."""

    @property
    def around(self) -> int:
        """All but the network, as on a Pi 5, whose camera gives RGB and the model's size."""
        left_out = ("invoke", "capture: YUV420, as a Pi 4's camera gives it", "resize, where the camera does not")
        return sum(count for stage, count in self.stages.items() if stage not in left_out)


def count_frame(folder: Path, model: Path) -> FrameBudget:
    """Count, unless that was done before. Raises VitcamError if the guest fails."""
    counted = folder / "kept" / f"frame-{model.stem}.blocks"
    if not counted.exists():
        made = make_guest(folder, WHEELS, "site-frame")
        paths = f"{made.variables['PYTHONPATH']}:{ROOT}"
        guest = Guest(made.root, made.plugin, {**made.variables, "PYTHONPATH": paths})
        picture, begun = folder / "frame.npy", counted.with_suffix(".begun")
        with open_source("demo", SourceOptions(realtime=False)) as source:
            np.save(picture, next(iter(source)).preview)
        guest.run([guest.python, SCRIPT, model, picture], begun)
        begun.replace(counted)
    return FrameBudget(read_stages(counted.read_text(encoding="ascii")))


def read_stages(written: str) -> dict[str, int]:
    """Instructions by stage, from what the plugin wrote. A mark costs what one costs that has nothing before it."""
    rows = re.findall(r"^# stage (\d+) (\d+) (\d+)$", written, re.MULTILINE)
    found = {int(number): (int(count), int(marks)) for number, count, marks in rows}
    each = found[MARK][0] / found[MARK][1]
    return {
        STAGES[number]: max(0, round(count - marks * each))
        for number, (count, marks) in sorted(found.items())
        if number != MARK
    }
