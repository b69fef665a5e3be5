"""A small model whose labels are words; it has learned what coloured shapes look like, and what one says of them."""

import shutil
from pathlib import Path

import cv2
import numpy as np

from tests.shapes import draw

MODEL = Path(__file__).parent / "fixtures" / "words" / "shapes.tflite"
"""Made by `make.py` beside it."""
SUFFIXES = (".tflite", ".words")
WORDS = ("a red thing", "a green thing", "a blue thing")
"""Its labels."""
GOLDEN = ("red circle", "blue triangle")


def worded_model(folder: Path) -> Path:
    """A copy that may be changed, and its text tower beside it."""
    for suffix in SUFFIXES:
        shutil.copyfile(MODEL.with_suffix(suffix), folder / f"shapes{suffix}")
    return folder / "shapes.tflite"


def photo(folder: Path, colour: str, shape: str) -> Path:
    """A drawn picture as a file."""
    path = folder / f"{colour} {shape}.png"
    cv2.imwrite(str(path), draw(colour, shape, np.random.default_rng(0))[..., ::-1])
    return path
