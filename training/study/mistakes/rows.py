"""The table of mistakes: how each network differs from the right one, and what the literature lets one expect of it.

The base is the recipe `ablation` with fewer epochs: learned positions, pre-norm, the first patch's token is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vitcam.errors import UsageError
from vitcam_training.recipes.recipe import Recipe, read_recipe
from vitcam_training.study.ablation.rows import ADAMW, AIAYN, RECIPE, Row
from vitcam_training.study.mistakes.networks import (
    AcrossBatchViT,
    ChannelsAsTokensViT,
    DoubledExponentViT,
    DrawnViT,
    DropoutInInferenceViT,
    FirstBranchTwiceViT,
    NormedResidualViT,
    PixelsAsPositionsViT,
    PlainNormViT,
    RedrawnMatrixViT,
    RedrawnViT,
    ReshapedViT,
    SoftmaxBeforeLossViT,
    UnaddedPositionViT,
    UntrainedMatrixViT,
    WidthScaleViT,
)
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


PATCHES, POSITIONS, ATTENTION, RESIDUALS = "Patches and tokens", "Positions", "Attention", "Residuals and norms"
LOSS, INFERENCE, RIGHT = "Loss and optimiser", "Inference", "Right networks"

MIXER = "Tolstikhin et al. 2021 (MLP-Mixer, arXiv 2105.01601)"
SYNTHESIZER = "Tay et al. 2021 (Synthesizer, arXiv 2005.00743)"
D4 = "Dosovitskiy et al. 2021 (arXiv 2010.11929), appendix D.4"
RESNET = "He et al. 2016 (arXiv 1603.05027), section 3"
LAYER_NORM = "Xu et al. 2019 (arXiv 1911.07013)"
DROPOUT = "Srivastava et al. 2014 (jmlr.org/papers/v15/srivastava14a.html), section 7.5"


def _right(name: str, title: str, **changes: object) -> Mistake:
    because = "it is what others are compared with"
    return Mistake(name, RIGHT, title, "alike", because, model=changes, against=name)


BASE = _right("base", "the right network")

MISTAKES: tuple[Mistake, ...] = (
    BASE,
    _right("sincos", "the right network, sin-cos", position="sincos"),
    _right("mean", "the right network, mean pooling", pooling="mean"),
    _right("dropout", "the right network, dropout of 0.1", dropout=0.1),
    _right("width-16", "the right network, width 16", width=16),
    Mistake(
        "strips", PATCHES, "reshape instead of patches", "below",
        f"{MIXER}, on permuted inputs: one permutation of all pixels costs a network of patches much accuracy; strips "
        "are a mild one, which keeps pixels of a row together",
        network=ReshapedViT, test="test_a_reshape_is_not_taken_for_a_patch_split",
    ),
    Mistake(
        "channels", PATCHES, "channels taken for tokens", "below",
        f"{MIXER}: mixing over patches alone is half of a block that works, so it may train. Its "
        "cost has no source, and it runs only where there are as many channels as patches",
        network=ChannelsAsTokensViT, against="width-16", model={"width": 16},
    ),
    Mistake(
        "exponent", POSITIONS, "exponent of the position encoding doubled", "alike",
        f"{AIAYN}, section 3.5, gives the right exponent; of 16 places the fast hands still tell all apart",
        network=DoubledExponentViT, against="sincos", model={"position": "sincos"},
        test="test_the_exponent_of_the_position_encoding_is_not_doubled",
    ),
    Mistake(
        "unadded", POSITIONS, "positions worked out, but never added", "below",
        f"{D4}: no position lost about 3 points on ImageNet",
        network=UnaddedPositionViT,
    ),
    Mistake(
        "pixels", POSITIONS, "pixels taken for positions", "below",
        f"{D4}: what is added does not depend on the place, so it is a network without positions",
        network=PixelsAsPositionsViT, test="test_a_position_embedding_is_fed_with_places_and_not_with_pixels",
    ),
    Mistake(
        "drawn", ATTENTION, "Q, K, V are random numbers, drawn once", "below",
        "no token learns anything of another one, so that the answer comes from the first patch, a corner; "
        f"{SYNTHESIZER} draws QKᵀ alone, not V, and such a network learns",
        network=DrawnViT, test="test_queries_keys_and_values_are_projected_from_the_input_and_not_drawn",
    ),
    Mistake(
        "redrawn", ATTENTION, "Q, K, V are random numbers, drawn at each call", "below",
        f"as above, and the numbers are noise; {SYNTHESIZER}",
        network=RedrawnViT, test="test_queries_keys_and_values_are_projected_from_the_input_and_not_drawn",
    ),
    Mistake(
        "untrained", ATTENTION, "matrices of Q, K, V drawn once, never trained", "below",
        f"{SYNTHESIZER}: random attention that stays as it was drawn still learns, and is worse",
        network=UntrainedMatrixViT,
    ),
    Mistake(
        "redrawn-matrices", ATTENTION, "matrices of Q, K, V drawn at each call", "below",
        f"{SYNTHESIZER}: V is a new mixture at every call, so there is little to learn from it",
        network=RedrawnMatrixViT, test="test_queries_keys_and_values_are_projected_from_the_input_and_not_drawn",
    ),
    Mistake(
        "root-of-width", ATTENTION, "√D for √d_k", "alike",
        f"{AIAYN}, section 3.2.1: the factor matters where d_k is large; here it is 8, and queries can grow",
        network=WidthScaleViT, test="test_scores_are_divided_by_the_root_of_a_heads_width_and_not_of_the_whole",
    ),
    Mistake(
        "batch", ATTENTION, "attention across the batch", "below",
        "the first patch attends to first patches only, so that the answer comes from a corner; PyTorch's "
        "documentation of `nn.MultiheadAttention` 2.0 says that `batch_first` is False unless it is given",
        network=AcrossBatchViT, test="test_attention_never_runs_across_the_images_of_a_batch",
    ),
    Mistake(
        "batch-mean", ATTENTION, "attention across the batch, mean pooling", "below",
        "the mean still reads all patches, so that the network trains, as a bag of patches with noise of its "
        f"neighbours; {D4} for the bag",
        network=AcrossBatchViT, against="mean", model={"pooling": "mean"},
        test="test_attention_never_runs_across_the_images_of_a_batch",
    ),
    Mistake(
        "residual-normed", RESIDUALS, "the normed input is added", "below",
        f"{RESNET}: what stands on the shortcut hampers the flow of the signal; three blocks are few",
        network=NormedResidualViT,
    ),
    Mistake(
        "residual-twice", RESIDUALS, "the first branch is added twice", "below",
        "Dong et al. 2021 (arXiv 2103.03404): the MLP is one of two things that keep attention from collapsing, and "
        "here nothing reads it",
        network=FirstBranchTwiceViT,
    ),
    Mistake(
        "norm-plain", RESIDUALS, "LayerNorm without scale and shift", "alike",
        f"{LAYER_NORM}: without them the outcome was as good or better on most tasks",
        network=PlainNormViT,
    ),
    Mistake(
        "softmax", LOSS, "softmax before a loss that expects logits", "below",
        "PyTorch's documentation of `nn.CrossEntropyLoss` 2.0: the input must be logits; no loss is below "
        "ln(1 + 9 / e) = 1.461, and gradients are small",
        network=SoftmaxBeforeLossViT, test="test_no_softmax_stands_before_a_loss_that_applies_its_own",
    ),
    Mistake(
        "l2", LOSS, "L2 in Adam's gradient, called AdamW", "below",
        f"{ADAMW}: worse by up to 15 % of the test error",
        train={"decoupled": False},
    ),
    Mistake(
        "dropout-on", INFERENCE, "dropout left on in inference", "below",
        f"{DROPOUT}: one network without dropout does as well as the mean of about 50 with it, and one with it worse",
        network=DropoutInInferenceViT, against="dropout", model={"dropout": 0.1},
        test="test_dropout_and_stochastic_depth_are_off_in_inference",
    ),
)  # fmt: skip


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
