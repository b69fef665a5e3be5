"""How soon problems of the camera are found, and how often one is reported that is none: hours, faster than they pass.

python -m tests.bench.problems [CLIP …] [--hours 1]

Each CLIP (the bundled one by default) is looked at for an hour as it is, and for an hour in the light of a day with
clouds. Then each fault begins at eight different moments of the clip. The model's attention is that of the frame
itself, computed once for each.
"""

import argparse
import logging
import sys
from pathlib import Path

import cv2
import numpy as np

from tests.parts.problems.cameras import FAULTS, Hour, Scenes, day_and_clouds
from vitcam.frames import Frame, Image, Prediction
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model
from vitcam.pictures.resize import crop_of
from vitcam.sources import demo

EVERY = 3
_LEARN_S = 180.0
_FAULT_S = 30.0
_MOMENTS = 8
_FPS = 29.97  # no multiple of the looks: each round of the clip shows other frames


def read_clip(path: Path) -> list[Image]:
    """Every third frame, (H, W, 3) uint8, RGB: all of them would take 2 GB of memory."""
    capture = cv2.VideoCapture(str(path))
    frames: list[Image] = []
    while capture.grab():
        if capture.get(cv2.CAP_PROP_POS_FRAMES) % EVERY == 0:
            frames.append(np.asarray(cv2.cvtColor(capture.retrieve()[1], cv2.COLOR_BGR2RGB), np.uint8))
    return frames


def watched(frames: list[Image], classifier: Classifier) -> Scenes:
    """The clip, with the model's predictions."""

    def predict(index: int, image: Image) -> Prediction:
        return classifier(Frame(image, None, crop_of(classifier.input, *image.shape[:2]), index, 0, "test"))

    return Scenes(frames, predict, _FPS / EVERY)


def main() -> int:
    """Print a table for each clip; 1 if something was missed, or said for nothing."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.problems")
    options.add_argument("clips", nargs="*", type=Path, default=[demo.CLIP])
    options.add_argument("--hours", type=float, default=1.0)
    o = options.parse_args()
    cv2.setNumThreads(1)
    logging.disable()
    classifier = Classifier(find_model("everyday"), threads=1)
    return max(measure(path, watched(read_clip(path), classifier), o.hours * 3600) for path in o.clips)


def measure(path: Path, scenes: Scenes, seconds: float) -> int:
    """Print one table; 1 if something was missed, or said for nothing."""
    quiet = Hour(scenes).passes(seconds)
    changing = Hour(scenes).passes(seconds, day_and_clouds)
    print(f"\n{path.name}: {len(quiet)} false alarms in {seconds / 3600:g} h as it is, ", end="")
    print(f"{len(changing)} in {seconds / 3600:g} h of changing light\n\n| fault | found after s | as |\n|---|---|---|")
    for at_s, event in [*quiet, *changing]:
        print(f"false alarm at {at_s:.1f} s: {event.label}, {event.phase}", file=sys.stderr)
    missed = sum(not found(name, scenes) for name in FAULTS)
    return int(bool(missed or quiet or changing))


def found(name: str, scenes: Scenes) -> bool:
    """Print the row of one fault; whether it was found within 10 s each time, as what it is."""
    change, label = FAULTS[name]
    times, labels = [], set()
    for moment in range(_MOMENTS):
        hour = Hour(scenes)
        hour.passes(_LEARN_S + 2.75 * moment)
        said = [(at_s, event.label) for at_s, event in hour.passes(_FAULT_S, fault=change) if event.phase == "new"]
        times.append(said[0][0] if said else np.inf)
        labels |= {said[0][1]} if said else {"nothing"}
    print(f"| {name} | {min(times):.1f} to {max(times):.1f} | {', '.join(sorted(labels))} |", flush=True)
    return max(times) <= 10 and labels == {label}


if __name__ == "__main__":
    sys.exit(main())
