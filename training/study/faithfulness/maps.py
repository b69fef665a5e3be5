"""The maps that are compared: what a model file gives, what only its float network gives, and what needs no look."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from vitcam.frames import Image, Prediction
from vitcam.model.card import ModelCard
from vitcam_training.report.faithfulness import BASELINES, GivenBy
from vitcam_training.study.faithfulness.curves import Ask, Floats

RANDOM, CENTRE, MEAN_MAP = BASELINES
OCCLUDED_PHOTOS = 100


class MapSource(Protocol):
    """Where maps come from that no model file gives; `float_maps.py` has the real one."""

    def maps(self, image: Image) -> Mapping[str, Floats]:
        """Name -> (gh, gw), for a picture at the model's size."""


@dataclass(eq=False)
class MapInputs:
    """What maps of one photo can be made of. Maps are (gh, gw); the larger, the more that patch should matter."""

    image: Image
    """(H, W, 3) at the model's size."""
    blank: Image
    """The same with nothing on it."""
    prediction: Prediction
    """With rollout and rows, where the file gives them."""
    ask: Ask
    prior: Floats
    """Mean attention of the last block over photos of the training part."""
    network: MapSource | None
    seed: int

    @property
    def attention(self) -> Floats:
        """(h, gh, gw) of the last block."""
        return _given(self.prediction.attention)

    @property
    def rows(self) -> Floats:
        """(L, h, gh, gw) of every block."""
        return _given(self.prediction.rows)

    @property
    def grid(self) -> tuple[int, int]:
        rows, columns = self.attention.shape[-2:]
        return rows, columns

    @cached_property
    def network_maps(self) -> Mapping[str, Floats]:
        """The float network's maps by name, (gh, gw) each."""
        return self.network.maps(self.image) if self.network else {}


@dataclass(frozen=True)
class Explanation:
    """A way to make a map."""

    name: str
    description: str
    given_by: GivenBy
    make: Callable[[MapInputs], Floats]
    draw: int = 0
    """Of `random`: which of several orders."""
    photos: int | None = None
    """Only this many photos are measured, because it is slow; None: all."""

    @property
    def key(self) -> str:
        """What it is kept by."""
        return f"{self.name}, draw {self.draw}" if self.draw else self.name


def explanations(card: ModelCard, gives: Collection[str], network: Mapping[str, str], orders: int) -> list[Explanation]:
    """All that a model has, baselines first.

    gives    the optional weights of the patches in its file: `rollout`, `evidence`
    network  name -> description of the maps that its float network gives
    orders   how often `random` is drawn for a photo
    """
    found = [*_baselines(orders), *_last_block_maps(card)]
    if "evidence" in gives:
        blocks = "last blocks" if "margin" in card.outputs else "last block"
        description = f"{blocks}, what each patch brought for the answer"
        found.append(
            Explanation("evidence", description, "classify", lambda inputs: _given(inputs.prediction.evidence))
        )
    if "rollout" in gives:
        found += _all_block_maps(card)
    found += [Explanation(name, description, "network", _network_map(name)) for name, description in network.items()]
    description = "windows of a fifth of the side blanked one by one"
    return [*found, Explanation("occlusion", description, "asking", _occlusion, photos=OCCLUDED_PHOTOS)]


def _baselines(orders: int) -> list[Explanation]:
    return [
        *(Explanation(RANDOM, "random order", "nothing", _random_order(draw), draw) for draw in range(1, orders + 1)),
        Explanation(CENTRE, "a Gaussian in the middle, sigma a quarter of the side", "nothing", _centre),
        Explanation(
            MEAN_MAP, "mean attention over training photos, the same for all", "nothing", lambda inputs: inputs.prior
        ),
    ]


def _last_block_maps(card: ModelCard) -> list[Explanation]:
    found = [
        Explanation("attention", "last block, mean of its heads", "classify", lambda inputs: inputs.attention.mean(0)),
        Explanation(
            "attention, max", "last block, largest of its heads", "classify", lambda inputs: inputs.attention.max(0)
        ),
        Explanation(
            "attention less mean map",
            "last block, less what it looks at in every photo",
            "classify",
            lambda inputs: inputs.attention.mean(0) - inputs.prior,
        ),
    ]
    heads = range(card.heads if card.heads > 1 else 0)
    return found + [Explanation(f"head {i}", f"last block, head {i} alone", "classify", _head_map(i)) for i in heads]


def _all_block_maps(card: ModelCard) -> list[Explanation]:
    some = range(max(0, card.layers - 4), card.layers - 1)
    return [
        Explanation(
            "rollout",
            "attention rollout through all blocks",
            "explain",
            lambda inputs: _given(inputs.prediction.rollout),
        ),
        *(
            Explanation(f"block {i + 1}", f"attention of block {i + 1}, mean of its heads", "explain", _block_map(i))
            for i in some
        ),
        Explanation(
            "last 4 blocks", "attention, mean of four blocks", "explain", lambda inputs: inputs.rows[-4:].mean((0, 1))
        ),
    ]


def _random_order(draw: int) -> Callable[[MapInputs], Floats]:
    return lambda inputs: np.random.default_rng((inputs.seed, draw)).random(inputs.grid)


def _centre(inputs: MapInputs) -> Floats:
    y, x = (np.linspace(-1, 1, side) for side in inputs.grid)
    return np.asarray(np.exp(-2 * (y[:, None] ** 2 + x[None] ** 2)))


def _head_map(head: int) -> Callable[[MapInputs], Floats]:
    return lambda inputs: inputs.attention[head]


def _block_map(block: int) -> Callable[[MapInputs], Floats]:
    return lambda inputs: inputs.rows[block].mean(0)


def _network_map(name: str) -> Callable[[MapInputs], Floats]:
    return lambda inputs: inputs.network_maps[name]


def _occlusion(inputs: MapInputs) -> Floats:
    """How much the answer loses where a window is blanked, mean over the windows that cover a patch (Zeiler & Fergus
    2014, arXiv 1311.2901). Windows are a fifth of the grid and half overlap."""
    rows, columns = inputs.grid
    side = inputs.image.shape[0] // rows, inputs.image.shape[1] // columns
    window = max(1, round(min(rows, columns) / 5))
    stride = max(1, window // 2)
    lost, covered = np.zeros(inputs.grid), np.zeros(inputs.grid)
    whole = inputs.ask(inputs.image)
    for top in _starts(rows, window, stride):
        for left in _starts(columns, window, stride):
            changed = inputs.image.copy()
            pixels = np.s_[top * side[0] : (top + window) * side[0], left * side[1] : (left + window) * side[1]]
            changed[pixels] = inputs.blank[pixels]
            lost[top : top + window, left : left + window] += whole - inputs.ask(changed)
            covered[top : top + window, left : left + window] += 1
    return np.asarray(lost / covered)


def _starts(length: int, window: int, stride: int) -> list[int]:
    """Where windows begin, so that every patch is in one."""
    return sorted({*range(0, length - window + 1, stride), length - window})


def _given(weights: Floats | None) -> Floats:
    if weights is None:
        raise ValueError("the model file lacks an output that its card lists")
    return weights
