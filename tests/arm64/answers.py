"""The same photos, classified in a root and on this machine."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.arm64.root import Root
from tests.bench.aarch64.compare import agreement
from tests.pivm.report import Report

LABELS = {"everyday": 1048, "cifar10": 10, "cifar10-scratch": 10, "mnist": 10}
"""Each bundled model, and how many labels it has: all are asked for."""
MEAN_AT_LEAST, LABELS_AT_LEAST = 0.998, 0.95
"""Of the cosine and of equal first labels. OpenCV's JPEG decoder and resize differ by a rounding between processors."""


def answers_agree(root: Root, photos: Path, report: Report) -> None:
    """Compare all bundled models on the photos, which lie in /photos of the root, too."""
    for model, labels in LABELS.items():
        # one thread: a second one would spin while the emulated cores wait for real ones
        options = f"--model {model} --top-k {labels} --threads 1 --json"
        there = root.run(f"vitcam classify /photos {options}")
        report.check(f"{model} classifies", there.returncode == 0, there.stderr[-500:])
        command = [sys.executable, "-m", "vitcam", "classify", str(photos), *options.split()]
        here = subprocess.run(command, capture_output=True, text=True, check=True)
        ours, theirs = read(there.stdout), read(here.stdout)
        names = sorted(ours.keys() & theirs.keys())
        report.check(f"{model} answers every photo", len(names) == len(theirs) > 0, len(ours), len(theirs))
        if names:
            alike = agreement(table(ours, names, labels), table(theirs, names, labels))
            close = alike.mean >= MEAN_AT_LEAST and alike.same_label >= LABELS_AT_LEAST * alike.photos
            report.check(f"{model} answers as on x86", close, alike)


def read(out: str) -> dict[str, dict[str, float]]:
    """Of `vitcam classify --json`: for each photo's name its labels and probabilities."""
    rows = (json.loads(line) for line in out.splitlines() if line.startswith("{"))
    found = [row for row in rows if row["type"] == "prediction"]
    return {Path(row["path"]).name: {guess["label"]: guess["p"] for guess in row["top"]} for row in found}


def table(answers: dict[str, dict[str, float]], names: list[str], labels: int) -> NDArray[np.float32]:
    """(photos, labels) float32, with the labels in the order of their names."""
    rows = [[p for _, p in sorted(answers[name].items())] for name in names]
    return np.array(rows, np.float32).reshape(len(names), labels)
