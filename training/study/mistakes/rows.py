"""The table of mistakes, `rows.toml`: how each network differs from the right one, and what one expects of it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vitcam.errors import UsageError
from vitcam_training.recipes.recipe import Recipe, read_recipe
from vitcam_training.study.ablation.rows import RECIPE, Row
from vitcam_training.study.mistakes import networks
from vitcam_training.vit import ViT

EPOCHS = 8  # of 15, so that all rows fit into an hour on two cores


@dataclass(frozen=True)
class Mistake(Row):
    """One configuration: a right network, or one with a mistake."""

    network: type[ViT] = ViT
    against: str = "base"
    """The right network that it is compared with; its own name where it is right."""
    test: str = ""
    """The test that fails if vitcam makes the mistake, in test_circulating_mistakes.py; empty: there is none."""

    @property
    def is_right(self) -> bool:
        """Whether others are compared with it."""
        return self.against == self.name


def _read(network: str = "ViT", **fields: Any) -> Mistake:
    return Mistake(network=getattr(networks, network), **fields)


MISTAKES: tuple[Mistake, ...] = tuple(
    _read(**each) for each in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["row"]
)


def with_right(names: Sequence[str], table: Sequence[Mistake] = MISTAKES) -> tuple[Mistake, ...]:
    """The rows of these names and the right networks that they are compared with; all without a name.

    raises  UsageError for a name that is not in the table
    """
    known = {row.name: row for row in table}
    for name in names:
        if name not in known:
            raise UsageError(f"no mistake is called {name!r}; allowed: {', '.join(known)}")
    wanted = {*names, *(known[name].against for name in names)}
    return tuple(row for row in table if not names or row.name in wanted)


def base() -> Recipe:
    """The recipe of the ablation with fewer epochs, and with a test after the last one alone."""
    recipe = read_recipe(RECIPE)
    return replace(recipe, train=replace(recipe.train, epochs=EPOCHS, score_every=EPOCHS))
