"""Short runs on pictures of three colours: how one is started, stopped and read."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np

from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.prepare import prepare
from vitcam_training.fit.session import Stop, Stopped
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.weights.checkpoints import Weights, read_weights


def run(recipe: Recipe, folder: Path) -> FitRun:
    return prepare(recipe, None, folder)


class After(Stop):
    """Stops a run when it has asked so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def check(self, gained: bool) -> None:
        self.left -= 1
        if self.left < 0:
            raise Stopped("enough", 0)


def with_calibration(recipe: Recipe) -> Dataset:
    """The recipe's photos, half of the held-out ones as a part `calibration`."""
    found = open_dataset(recipe.data)
    heldout = found.parts["heldout"]
    return replace(found, parts=found.parts | {"heldout": heldout[::2], "calibration": heldout[1::2]})


def weights_of(folder: Path) -> Weights:
    return read_weights(folder / "weights.safetensors")


def without_seconds(folder: Path) -> list[list[str]]:
    with (folder / "log.csv").open(newline="") as file:
        return [[value for name, value in row.items() if name != "seconds"] for row in csv.DictReader(file)]


def assert_same(weights: Weights, wanted: Weights) -> None:
    assert weights.keys() == wanted.keys()
    for name in wanted:
        np.testing.assert_array_equal(weights[name], wanted[name], err_msg=name)
