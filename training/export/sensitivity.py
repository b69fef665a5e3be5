"""Which layers int8 hurts: each group of layers quantised alone, everything else in float, and what that does.

A model that loses too much keeps the worst of them in float. Kinds and blocks are scanned, not every single layer: what
a layer does is taken as the product of what its kind and its block do, and what comes of it is measured again.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import replace

from vitcam.interval import Z95
from vitcam_training.config import ViTConfig
from vitcam_training.export.layers import ALWAYS_FLOAT, PROJECTIONS, blocks_of, kinds_of, layers_of
from vitcam_training.export.quantise import Quantisation
from vitcam_training.export.trial import Trial, TrialOutcome, some_of

ALLOWED_LOSS = 0.002
"""Of top-1, as a fraction."""
CHANCE = 2
"""So many photos more that are wrong say nothing."""
PHOTOS = 200

log = logging.getLogger(__name__)

Scan = dict[str, TrialOutcome]
"""By the name of a group of layers."""


def loses_too_much(found: Mapping[str, float]) -> bool:
    """Whether top-1 fell by more than 0.2 points, and by more photos than chance takes.

    Of the photos that the two answer differently, chance makes half of them right here and half there: McNemar 1947.
    """
    lost = found["float_top1"] - found["top1"]
    differ = found["n"] * (1 - found.get("agreement", 1.0))
    return lost > ALLOWED_LOSS and round(lost * found["n"]) > max(CHANCE, Z95 * math.sqrt(differ))


def scanning(trial: Trial, part: str) -> Trial:
    """The same trial on few photos of another part, with q, k and v as layers of their own."""
    few = replace(trial.dataset, parts={"train": (), "scan": some_of(trial.dataset.part(part), PHOTOS)})
    apart = replace(trial.network, rewrites=replace(trial.network.rewrites, joined=False))
    return replace(trial, network=apart, dataset=few, part="scan")


def scan(trial: Trial, groups: Mapping[str, frozenset[str]]) -> Scan:
    """Quantise one group at a time, and nothing else."""
    every = frozenset(layers_of(trial.network.config))
    return {name: trial.run(f"only-{name}", Quantisation(floats=every - layers)) for name, layers in groups.items()}


def ranked(config: ViTConfig, kinds: Scan, blocks: Scan) -> list[str]:
    """The layers that can be int8 or float, the one that suffers most first."""
    harm = {
        f"{block}/{kind}": kinds[kind].found["shift"] * blocks[block].found["shift"]
        for block in blocks_of(config)
        for kind in PROJECTIONS
    }
    whole = sum(outcome.found["shift"] for outcome in blocks.values())
    harm |= dict.fromkeys(kinds_of(config)["head"], kinds["head"].found["shift"] * whole)
    return sorted(harm, key=harm.__getitem__, reverse=True)


def spare(trial: Trial, part: str) -> Quantisation:
    """Keep the worst layers in float, twice as many each time, until the photos of a part bear the rest.

    part  not the one that the figures come from
    """
    small = scanning(trial, part)
    config = trial.network.config
    order = ranked(config, scan(small, kinds_of(config)), scan(small, blocks_of(config)))
    before = small.run("all-int8", Quantisation()).found["shift"]
    count = 1
    while True:
        how = Quantisation(floats=ALWAYS_FLOAT | frozenset(order[:count]))
        outcome = small.run(f"spare-{count}", how)
        log.info("%s in float: lost %.2f points", ", ".join(order[:count]), 100 * outcome.lost)
        calm = outcome.found["shift"] <= before / 2 and not loses_too_much(outcome.found)
        if calm or count >= len(order):
            return how
        count *= 2
