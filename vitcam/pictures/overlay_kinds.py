"""The table of overlays: what each one needs of the model, how it is drawn, and what it is called.

Settings, command line, HTTP interface and page read this table: a new kind is one entry here. It is light to import, so
the drawing itself is in `vitcam.pictures.overlay`.
"""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PatchWeights:
    """Weights of the patches that a model gives with its answer."""

    name: str
    """The field of `Prediction` that holds them."""
    by_head: bool = False
    """True: (heads, gh, gw), so a viewer can choose one head; False: (gh, gw)."""
    optional: bool = False
    """Only some model files give them. Overlays that need them are offered only for those files."""
    costs_extra: bool = False
    """The model gives them only when it is asked to explain, which takes about a tenth more time."""


ATTENTION = PatchWeights("attention", by_head=True)
EVIDENCE = PatchWeights("evidence", optional=True)
ROLLOUT = PatchWeights("rollout", optional=True, costs_extra=True)


@dataclass(frozen=True, slots=True)
class OverlayKind:
    """One entry of the table."""

    label: str
    """Its name for people."""
    sentence: str
    """What it shows."""
    needs: PatchWeights | None
    """What is drawn; None: nothing is."""
    style: str
    """How it is drawn: a key of `STYLES` in `vitcam.pictures.overlay`; empty: nothing is drawn."""


OVERLAYS = {
    "none": OverlayKind("None", "Nothing is drawn over the picture.", None, ""),
    "evidence": OverlayKind("Evidence", "The patches that spoke for the answer.", EVIDENCE, "tint"),
    "attention": OverlayKind(
        "Attention",
        # Darcet et al. 2023, Vision Transformers Need Registers, arXiv 2309.16588
        "Where the last block looked; it also glows on plain patches in which the network stores things.",
        ATTENTION,
        "tint",
    ),
    "rollout": OverlayKind(
        "Rollout", "What reached the answer through all blocks, followed from layer to layer.", ROLLOUT, "tint"
    ),
    "heat": OverlayKind(
        "Heat", "The attention alone, without the picture: yellow is most, black is least.", ATTENTION, "heat"
    ),
    "grid": OverlayKind("Grid", "The attention patch by patch, as coarse as the model sees it.", ATTENTION, "grid"),
}
"""Every kind by its name, in the order in which people are offered them."""


def available_overlays(gives: Collection[str]) -> tuple[str, ...]:
    """The names of the overlays that a model has the weights for.

    gives  the names of the optional weights in its file
    """
    return tuple(name for name, kind in OVERLAYS.items() if is_available(kind, gives))


def is_available(kind: OverlayKind, gives: Collection[str]) -> bool:
    """Whether a model that gives these optional weights has what `kind` needs."""
    return kind.needs is None or not kind.needs.optional or kind.needs.name in gives


def default_overlay(gives: Collection[str]) -> str:
    """What `auto` stands for: evidence where the model gives it, since the answer depends on it most.

    source  training/study/faithfulness/overlays.md, where they are measured
    """
    return "evidence" if EVIDENCE.name in gives else "attention"
