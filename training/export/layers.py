"""The layers of a network by name, for those who choose which of them stay in float.

`patches`, `block00/query`, `block00/key`, `block00/value`, `block00/output`, `block00/up`, `block00/down`, …,
`embedding`, `head`; `pre_logits` before it, where the head has a hidden layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig

PROJECTIONS = ("query", "key", "value", "output", "up", "down")
"""Of each block."""
ALWAYS_FLOAT = frozenset({"embedding"})
"""A few thousandths of the work."""


def block_name(index: int) -> str:
    """`block07` is the eighth."""
    return f"block{index:02}"


def layers_of(config: ViTConfig) -> tuple[str, ...]:
    """All layers that have a matrix, in the order in which a picture meets them."""
    inner = (f"{block_name(i)}/{projection}" for i in range(config.depth) for projection in PROJECTIONS)
    return ("patches", *inner, "embedding", *_head(config))


def matching(config: ViTConfig, patterns: Sequence[str]) -> frozenset[str]:
    """The layers that one of the patterns names: `head`, `*/down`, `block11/*`.

    raises  UsageError for a pattern that names none
    """
    layers = layers_of(config)
    found: set[str] = set()
    for pattern in patterns:
        named = {layer for layer in layers if fnmatchcase(layer, pattern)}
        if not named:
            raise UsageError(
                f"no layer is called {pattern!r}; there are patches, {block_name(0)}/{PROJECTIONS[0]} … "
                f"{block_name(config.depth - 1)}/{PROJECTIONS[-1]} and head, and * stands for any part of a name"
            )
        found |= named
    return frozenset(found)


def kinds_of(config: ViTConfig) -> dict[str, frozenset[str]]:
    """The layers that do the same work in every block, by the name of that work."""
    inner = {projection: matching(config, [f"*/{projection}"]) for projection in PROJECTIONS}
    return {"patches": frozenset({"patches"}), **inner, "head": frozenset(_head(config))}


def _head(config: ViTConfig) -> tuple[str, ...]:
    return ("pre_logits", "head") if config.head_hidden else ("head",)


def blocks_of(config: ViTConfig) -> dict[str, frozenset[str]]:
    """The layers of each block, by its name."""
    return {block_name(i): matching(config, [f"{block_name(i)}/*"]) for i in range(config.depth)}
