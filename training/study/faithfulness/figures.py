"""The figures of the page: how the answer goes and comes with the patches that a map ranks first, as a plot; and what
each explanation shows of the few photos that the model file itself carries, as a contact sheet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.model.classifier import Classifier
from vitcam.pictures.canvas import fitted, framed, heat_over, stack, tiles
from vitcam.pictures.encode import encode_jpeg
from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.report.faithfulness import BASELINES, CURVES, FaithfulnessResult
from vitcam_training.study.faithfulness.curves import Floats, blurred
from vitcam_training.study.faithfulness.maps import Explanation, MapInputs, MapSource
from vitcam_training.study.faithfulness.model_file import ask_once, follow

OTHERS = ("evidence", "attention", "rollout")
TITLES = {"deletion": "Deletion: the lower, the better", "insertion": "Insertion: the higher, the better"}


def draw_curves(path: Path, verdict: FaithfulnessResult) -> None:
    """Mean curves of what vitcam draws, of what it can draw, and of the baselines."""
    drawn = [finding.name for finding in verdict.findings[verdict.neutral] if finding.name in OTHERS]
    others = [name for name in drawn if name != verdict.shown]
    shares = [100 * count / verdict.steps[-1] for count in verdict.steps]
    with figure(path, 9, 3.8, columns=2) as columns:
        for axes, curve in zip(columns, CURVES, strict=True):
            for name in (*BASELINES, *others, verdict.shown):
                values = verdict.finding(name).curves[curve]
                axes.plot(shares, values, label=name, **_style(name, verdict.shown))
            axes.set_title(TITLES[curve], fontsize=10)
            axes.set_xlabel("patches deleted, %" if curve == "deletion" else "patches inserted, %")
            axes.set_ylim(0, 1)
        columns[0].set_ylabel("probability of the first guess")
        columns[0].legend(frameon=False, fontsize=8)


def _style(name: str, shown: str) -> dict[str, object]:
    if name == shown:
        return {"color": ACCENT, "linewidth": 2.2}
    if name in BASELINES:
        return {"color": FAINT, "linestyle": (":", "--", "-.")[BASELINES.index(name)]}
    return {"color": PLAIN, "linewidth": 1.4, "linestyle": "-" if name == "attention" else (0, (6, 2))}


SIDE, GAP, MARGIN = 150, 8, 12
OPACITY = 0.7
MOST_BYTES = 300_000


def draw_sheet(
    classifier: Classifier, compared: Sequence[Explanation], prior: Floats, network: MapSource | None
) -> Image:
    """A row for each golden photo of the model, a column for each explanation; (H, W, 3).

    raises  UsageError if the model file carries no photos
    """
    if not classifier.golden:
        raise UsageError(f"{classifier.path} carries no golden photos to draw; export it with --golden FOLDER")
    rows = []
    for golden in classifier.golden:
        prediction = ask_once(classifier, golden.image, explain=True)
        label = prediction.top[0].label
        blank = blurred(golden.image, classifier.card.patch_size)
        inputs = MapInputs(golden.image, blank, prediction, follow(classifier, label), prior, network, seed=0)
        maps = [heat_over(golden.image, _positive(one.make(inputs)), SIDE, SIDE, OPACITY) for one in compared]
        photo = fitted(golden.image, SIDE, SIDE)
        rows.append(tiles([_square(photo), *maps], [label, *(one.name for one in compared)], len(maps) + 1, GAP))
    return framed(stack(rows, GAP), MARGIN)


def write_sheet(path: Path, sheet: Image) -> None:
    """Write a sheet, (H, W, 3) uint8, as the best JPEG that stays below MOST_BYTES."""
    for quality in range(90, 30, -10):
        data = encode_jpeg(sheet, quality)
        if len(data) <= MOST_BYTES:
            break
    path.write_bytes(data)


def _positive(weights: Floats) -> Floats:
    """What speaks for the answer: below zero nothing glows."""
    return np.maximum(weights, 0).astype(np.float32)


def _square(image: Image) -> Image:
    return np.asarray(cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA), np.uint8)
