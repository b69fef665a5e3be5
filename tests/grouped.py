"""A model file with groups of labels, and a photo that it is unsure about."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from vitcam.frames import Image
from vitcam.model import bundle
from vitcam.model.files import find_model
from vitcam.model.groups import Groups

GROUPS = {"low digit": (0, 1, 2), "even digit": (0, 2, 4, 6, 8), "digit": tuple(range(10))}


def grouped_model(folder: Path) -> Path:
    """The digits of `mnist` in groups. Every picture counts as known."""
    found = bundle.read(find_model("mnist"))
    assert found is not None
    path = folder / "grouped.tflite"
    card = replace(found.card, name="grouped", threshold=0.0, least_familiarity=None)
    graph = bundle.flatbuffer(found.path)
    bundle.write(path, graph, card, list(found.labels), list(found.golden), grouped=Groups(GROUPS, len(found.labels)))
    return path


def unsure_picture() -> Image:
    """(280, 280, 3) uint8: two squares in white and two in grey. It may be a 2, 39 %; an even digit is likely, 75 %."""
    squares = np.kron([[200, 255], [255, 200]], np.ones((140, 140)))
    return squares.astype(np.uint8)[..., None].repeat(3, axis=-1)


def unsure_photo(folder: Path) -> Path:
    """The same as a file."""
    path = folder / "squares.png"
    cv2.imwrite(str(path), unsure_picture())
    return path
