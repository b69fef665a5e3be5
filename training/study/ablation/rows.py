"""The table of the ablation: what each row changes of the base, and what the literature lets one expect of it.

The base is the recipe `ablation`: learned positions, pre-norm, GELU, AdamW, scaled scores, no dropout, no label
smoothing, 4 heads, 3 blocks.
"""

from __future__ import annotations

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


POSITION, NORM, ACTIVATION = "Position encoding", "Where the norm stands", "Activation"
DECAY, SCALE, REGULARISERS, SIZE = "Weight decay", "Scaled scores", "Dropout and label smoothing", "Heads and blocks"
LEFT_OUT, SCHEDULE, START = "Residual connections, biases and the head", "Learning-rate schedule", "Start and steps"
PRIOR = "What a convolution knows beforehand"

VIT, AIAYN = "Dosovitskiy et al. 2021 (arXiv 2010.11929)", "Vaswani et al. 2017 (arXiv 1706.03762)"
ADAMW = "Loshchilov & Hutter 2019 (arXiv 1711.05101)"
MIMETIC = "Trockman & Kolter 2023 (arXiv 2305.09828)"
HEADS = "Michel et al. 2019 (arXiv 1905.10650)"

BASE = Row("base", "Base", "base", "alike", "it is what the others are compared with")

ROWS: tuple[Row, ...] = (
    BASE,
    Row(
        "position-none", POSITION, "no position", "below",
        f"a network without positions sees a bag of patches; {VIT}, appendix D.4, lost about 3 points on ImageNet",
        model={"position": "none"},
    ),
    Row(
        "position-sincos", POSITION, "sin-cos", "alike",
        f"{AIAYN}, table 3 (E), found fixed and learned positions nearly identical",
        model={"position": "sincos"},
    ),
    Row(
        "position-random", POSITION, "random positions", "alike",
        f"{VIT}, appendix D.4: how places are told apart hardly matters, only that they are; random vectors of 32 "
        "numbers are nearly at right angles, so each place has its own",
        model={"position": "random"},
    ),
    Row(
        "cls-token", POSITION, "class token", "alike",
        f"{VIT}, appendix D.3: what the head reads hardly matters; a class token adds its own numbers and a position, "
        "and one token more to compute",
        model={"pooling": "cls_token"},
    ),
    Row(
        "mean", POSITION, "mean pooling", "alike",
        f"{VIT}, appendix D.3: mean pooling does as well as the class token, at a learning rate of its own",
        model={"pooling": "mean"},
    ),
    Row(
        "mean-none", POSITION, "mean pooling, no position", "below",
        "nothing is left that depends on the order of the patches: shuffled digits must be answered alike "
        "(Lee et al. 2019, arXiv 1810.00825, property 1)",
        model={"pooling": "mean", "position": "none"},
    ),
    Row(
        "norm-post", NORM, "post-norm", "alike",
        "Xiong et al. 2020 (arXiv 2002.04745): post-norm needs the warm-up that every row has here, and trouble grows "
        "with depth; three blocks are few",
        model={"norm": "post"},
    ),
    Row(
        "norm-post-cold", NORM, "post-norm, no warm-up", "fails",
        "Xiong et al. 2020: gradients near the output are large at first, so that training from full rate fails",
        model={"norm": "post"}, train={"warmup_epochs": 0.0},
    ),
    Row(
        "norm-none", NORM, "no LayerNorm", "below",
        "Ba et al. 2016 (arXiv 1607.06450): with LayerNorm a network learns in fewer steps, so without it less after "
        "as many",
        model={"norm": "none", "final_norm": False},
    ),
    Row(
        "residual-none", LEFT_OUT, "no residual connections", "below",
        "Dong et al. 2021 (arXiv 2103.03404): without them attention makes all tokens alike, the more the deeper; "
        "He et al. 2016 (arXiv 1512.03385): deep networks train worse without them",
        model={"residual": False},
    ),
    Row(
        "qkv-unbiased", LEFT_OUT, "queries, keys and values without bias", "alike",
        "Dehghani et al. 2023 (arXiv 2302.05442), section 2.1: left out without a loss",
        model={"qkv_bias": False},
    ),
    Row(
        "head-hidden", LEFT_OUT, "head with a hidden layer", "alike",
        "Beyer et al. 2022 (arXiv 2205.01580): a single matrix is not significantly worse than ViT's head of two",
        model={"head_hidden": 32},
    ),
    Row(
        "relu", ACTIVATION, "ReLU", "below",
        "Hendrycks & Gimpel 2016 (arXiv 1606.08415): GELU better on every task, by tenths of a point",
        model={"activation": "relu"},
    ),
    Row(
        "decay-none", DECAY, "Adam, no decay", "below",
        f"{ADAMW}: decay lowers the test error",
        train={"weight_decay": 0.0},
    ),
    Row(
        "l2-same", DECAY, "Adam, L2 of the same factor", "below",
        f"{ADAMW}: L2 in Adam's gradient is another thing than decay, and worse by up to 15 % of the test error",
        train={"decoupled": False},
    ),
    Row(
        "l2-small", DECAY, "Adam, L2 of 1e-4", "below",
        f"{ADAMW}: the best L2 factor is far smaller than the best decay, and still worse",
        train={"decoupled": False, "weight_decay": 1e-4},
    ),
    Row(
        "scores-raw", SCALE, "scores not divided by √d_k", "alike",
        f"{AIAYN}, section 3.2.1: large d_k saturates the softmax, for small d_k there is no difference; here it is 8",
        scaled=False,
    ),
    Row(
        "dropout", REGULARISERS, "dropout of 0.1", "below",
        "Touvron et al. 2021 (DeiT, arXiv 2012.12877), section 6: dropout did not help and was left out; a network "
        "this small has little to spare",
        model={"dropout": 0.1},
    ),
    Row(
        "dropout-more", REGULARISERS, "dropout of 0.2", "below",
        "Touvron et al. 2021 (DeiT, arXiv 2012.12877), section 6, as above, and twice as much",
        model={"dropout": 0.2},
    ),
    Row(
        "dropout-attention", REGULARISERS, "attention dropout of 0.1", "above",
        "Zehui et al. 2019 (arXiv 1907.11065): to drop attention weights improved networks for text and reduced "
        "overfitting",
        model={"attention_dropout": 0.1},
    ),
    Row(
        "smoothing", REGULARISERS, "label smoothing of 0.1", "above",
        "Szegedy et al. 2016 (arXiv 1512.00567), section 7: 0.2 points more on ImageNet",
        train={"label_smoothing": 0.1},
    ),
    Row(
        "heads-1", SIZE, "1 head", "below",
        f"{AIAYN}, table 3 (A): one head was 0.9 BLEU worse than eight",
        model={"heads": 1},
    ),
    Row(
        "heads-2", SIZE, "2 heads", "alike",
        f"{HEADS}: most heads can be taken away without loss",
        model={"heads": 2},
    ),
    Row(
        "heads-8", SIZE, "8 heads", "alike",
        f"{AIAYN}, table 3 (A): quality falls again with too many heads, slightly",
        model={"heads": 8},
    ),
    Row(
        "heads-wide", SIZE, "d_k of 64", "above",
        f"{AIAYN}, table 3 (B): fewer channels a head are worse; Bhojanapalli et al. 2020 (arXiv 2002.07028): heads of "
        "D / h channels cannot give any attention; here it is 8, and 64 has more parameters",
        model={"head_width": 64},
    ),
    Row(
        "blocks-1", SIZE, "1 block", "below",
        f"{VIT}, appendix D.2: of all sizes, depth matters most",
        model={"depth": 1},
    ),
    Row("blocks-2", SIZE, "2 blocks", "below", f"{VIT}, appendix D.2, as above", model={"depth": 2}),
    Row("blocks-6", SIZE, "6 blocks", "above", f"{VIT}, appendix D.2, as above", model={"depth": 6}),
    Row(
        "schedule-step", SCHEDULE, "steps: a tenth after 5 and 10 epochs", "below",
        "He et al. 2019 (arXiv 1812.01187), section 5.1 and table 6: the cosine ended above steps on ImageNet",
        train={"schedule": "step", "step_epochs": 5, "step_factor": 0.1},
    ),
    Row(
        "schedule-constant", SCHEDULE, "constant rate", "below",
        "Hägele et al. 2024 (arXiv 2405.18392): a constant rate is as good only once it falls at the end",
        train={"schedule": "constant"},
    ),
    Row(
        "mimetic", START, "mimetic start", "above",
        f"{MIMETIC}: attention that begins as trained attention ends gained over 5 points on CIFAR-10",
        train={"start": "mimetic"},
    ),
    Row(
        "muon", START, "Muon", "above",
        "Jordan et al. 2024 (kellerjordan.github.io/posts/muon): as good as AdamW in fewer steps, so better after as "
        "many",
        train={"optimiser": "muon"},
    ),
    Row(
        "muon-mimetic", START, "Muon, mimetic start", "above",
        f"{MIMETIC} and Jordan et al. 2024 change different things, so the gains should add up",
        train={"optimiser": "muon", "start": "mimetic"},
    ),
    Row(
        "convolution", PRIOR, "convolutions of 3 × 3 instead", "above",
        f"{VIT}, section 3.1 and figure 4: with few photos a CNN, which has locality and translation equivariance "
        "built in, does better than a ViT, which has to learn them",
        convolution=ConvolutionRecipe(widths=(16, 32, 48, 48), strides=(1, 2, 2, 1)),
    ),
)  # fmt: skip


def chosen(names: Sequence[str] = ()) -> tuple[Row, ...]:
    """The rows of these names and the base, in the table's order; all without a name.

    raises  UsageError for a name that is not in the table
    """
    known = {row.name for row in ROWS}
    for name in names:
        if name not in known:
            raise UsageError(f"no row is called {name!r}; allowed: {', '.join(row.name for row in ROWS)}")
    return tuple(row for row in ROWS if not names or row.name in names or row is BASE)
