"""Runs `vitcam` of a checkout and counts the calls of its functions: child.py ROOT COUNTED.json ARGUMENT..."""

import json
import runpy
import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType


def main(root: str, out: str, *arguments: str) -> None:
    """The counts go to a file: the program itself prints."""
    package = f"{Path(root).resolve() / 'vitcam'}/"
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package) and frame.f_code.co_name != "<module>":
            calls[frame.f_code.co_filename] += 1

    sys.path.insert(0, root)
    sys.argv = ["vitcam", *arguments]
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        runpy.run_module("vitcam", run_name="__main__")
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        Path(out).write_text(json.dumps({path.removeprefix(package): number for path, number in calls.items()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
