"""Which modules of vitcam run code for every frame, and for every photo.

The same program runs twice under a profiler, once with more pictures. A module belongs to the way of a picture if it
is called at least once more for each picture more. Child processes are not followed.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.size.trees import ROOT, unpack

_CHILD = Path(__file__).with_name("child.py")
_FEW, _MANY = 10, 110  # what a clock calls, such as ten times a second, is called less often than once a frame
_PHOTO = ROOT / "models" / "golden" / "coffee.jpg"
WAYS = {
    "that a frame passes from the source to the console": (
        "run",
        "--no-web",
        "--once",
        "--no-realtime",
        "--log",
        "json",
        "--source",
    ),
    "that a photo of `vitcam classify --json` passes": ("classify", "--json"),
}
"""What passes -> the command, without the folder of photos at its end."""


def passed(commit: str | None) -> dict[str, list[str]]:
    """By what passes, the modules."""
    with tempfile.TemporaryDirectory() as folder:
        root = ROOT
        if commit is not None:
            root = Path(folder)
            unpack(commit, root)
        return {way: _modules(root, command) for way, command in WAYS.items()}


def _modules(root: Path, command: Sequence[str]) -> list[str]:
    few, many = (_calls(root, command, count) for count in (_FEW, _MANY))
    return sorted(name for name, calls in many.items() if calls - few.get(name, 0) >= _MANY - _FEW)


def _calls(root: Path, command: Sequence[str], photos: int) -> dict[str, int]:
    """Module -> how many calls of its functions a run makes."""
    with tempfile.TemporaryDirectory() as folder:
        home, counted = Path(folder), Path(folder) / "counted.json"
        pictures = home / "photos"
        pictures.mkdir()
        for number in range(photos):
            shutil.copy(_PHOTO, pictures / f"{number:03}.jpg")
        environ = {"PATH": "/usr/bin:/bin", "HOME": folder, "XDG_CONFIG_HOME": "/nonexistent"}
        subprocess.run(
            [sys.executable, "-P", str(_CHILD), str(root), str(counted), *command, str(pictures)],
            env=environ,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        found: dict[str, int] = json.loads(counted.read_text("utf-8"))
        return found
