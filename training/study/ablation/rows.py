"""The table of the ablation, `rows.toml`: what each row changes of the base, and what one expects of it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from vitcam.errors import UsageError
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.study.convolution.config import ConvolutionRecipe

RECIPE = Path(__file__).with_name("ablation.toml")
"""The base."""

Effect = Literal["below", "alike", "above"]
"""Where a row's accuracy lies, seen from the base: `alike` where the seeds cannot tell the two apart."""
Expectation = Effect | Literal["fails"]
"""`fails`: it does not learn even the photos that it trains on, which is another claim than to end below the base."""


@dataclass(frozen=True)
class Row:
    """One configuration: the base, with a change."""

    name: str
    question: str
    """Rows of one question stand together on the page."""
    title: str
    expected: Expectation
    because: str
    """What the literature found, with its source."""
    model: dict[str, Any] = field(default_factory=dict)
    """Changes of the recipe's [model]."""
    train: dict[str, Any] = field(default_factory=dict)
    """Changes of its [train]."""
    scaled: bool = True
    """False: the scores of attention are not divided by √d_k."""
    convolution: ConvolutionRecipe | None = None
    """The layers of a convolutional network that takes the ViT's place; of the model's recipe it has the input."""

    def recipe(self, base: Recipe, seed: int) -> Recipe:
        """The recipe of one run. Raises ValueError if the network cannot be built."""
        model, train = replace(base.model, **self.model), replace(base.train, **self.train)
        return replace(base, seed=seed, model=model, train=train)


def _read(convolution: dict[str, Any] | None = None, **fields: Any) -> Row:
    layers = {name: tuple(values) for name, values in (convolution or {}).items()}
    return Row(convolution=ConvolutionRecipe(**layers) if layers else None, **fields)


ROWS: tuple[Row, ...] = tuple(
    _read(**each) for each in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["row"]
)
BASE = ROWS[0]


def chosen(names: Sequence[str] = ()) -> tuple[Row, ...]:
    """The rows of these names and the base, in the table's order; all without a name.

    raises  UsageError for a name that is not in the table
    """
    known = {row.name for row in ROWS}
    for name in names:
        if name not in known:
            raise UsageError(f"no row is called {name!r}; allowed: {', '.join(row.name for row in ROWS)}")
    return tuple(row for row in ROWS if not names or row.name in names or row is BASE)
