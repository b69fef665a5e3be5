"""Folders of small pictures to train on, and ways to spoil one."""

from pathlib import Path

import cv2
import numpy as np

RECIPE = """
name = "colours"
data = "{photos}"

[model]
image_size = [32, 32]
patch_size = 16
width = 64
depth = 2
heads = 1

[train]
epochs = {epochs}
batch_size = 6
learning_rate = 2e-3
"""
"""A network so small that it learns these colours in seconds, for `vitcam-train fit`."""

COLOURS = {"blue": (220, 60, 40), "green": (50, 200, 60), "red": (40, 50, 210)}  # BGR, as cv2 writes


def write_pictures(root: Path, each: int = 10, side: int = 48, seed: int = 0) -> Path:
    """`root/COLOUR/NN.png`: noisy pictures that mostly show the colour their folder says."""
    rng = np.random.default_rng(seed)
    for name, colour in COLOURS.items():
        (root / name).mkdir(parents=True, exist_ok=True)
        for i in range(each):
            noise = rng.normal(0, 25, (side, side + 8, 3))
            picture = np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)
            cv2.imwrite(str(root / name / f"{i:02}.png"), picture)
    return root
