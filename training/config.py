"""The sizes and choices of one Vision Transformer. Knows nothing of Keras, so anything may read it.

Sources, where an option has one: Dosovitskiy et al. 2021 (ViT, arXiv 2010.11929) and Vaswani et al. 2017 (the
Transformer, arXiv 1706.03762).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

Position = Literal["learned", "sincos", "random", "none"]
Pooling = Literal["cls_token", "distilled", "first", "mean"]
Norm = Literal["pre", "post", "none"]
Activation = Literal["gelu", "quick_gelu", "relu"]

Channels = tuple[float, float, float]

ANY = float("inf")
"""The upper end of a range that has none."""

IMAGENET_MEAN: Channels = (0.485, 0.456, 0.406)
IMAGENET_STD: Channels = (0.229, 0.224, 0.225)
"""Of red, green and blue over the photos of ImageNet, in fractions of 255: what DeiT was trained with."""

CHOICES: dict[str, tuple[Any, ...]] = {
    "channels": (1, 3),
    "position": get_args(Position),
    "pooling": get_args(Pooling),
    "norm": get_args(Norm),
    "activation": get_args(Activation),
}


def check_ranges(values: object, ranges: Mapping[str, tuple[float, float]]) -> None:
    """Compare fields of `values` with (lowest, highest) by their names. Raises ValueError naming the first outside."""
    for name, (lowest, highest) in ranges.items():
        value = getattr(values, name)
        if not lowest <= value <= highest:
            allowed = f"{lowest:g} or more" if highest == ANY else f"{lowest:g} to {highest:g}"
            raise ValueError(f"{name} is {value:g}; {allowed} is allowed")


@dataclass(frozen=True)
class ViTConfig:
    """Sizes and choices of one network. The defaults are DeiT-Tiny's (5.7 M parameters)."""

    classes: int
    image_size: tuple[int, int] = (224, 224)
    """(height, width) in pixels, multiples of `patch_size`."""
    patch_size: int = 16
    width: int = 192
    depth: int = 12
    heads: int = 3
    head_width: int = 0
    """d_k: channels of a head's queries, keys and values; 0: `width` / `heads`."""
    mlp_width: int = 0
    """Channels between the two layers of an MLP; 0: four times `width`."""
    channels: int = 3
    """3: RGB; 1: grey. The network takes RGB bytes either way, and makes them grey itself."""
    mean: Channels = IMAGENET_MEAN
    """Taken from each pixel's red, green and blue, in fractions of 255."""
    std: Channels = IMAGENET_STD
    """What is left is divided by it: (pixel / 255 - mean) / std."""
    position: Position = "learned"
    """What is added to each token to say where it stands; `sincos` is fixed, of Vaswani et al., section 3.5; `random`
    is drawn once, from the seed of the recipe, and does not learn."""
    pooling: Pooling = "cls_token"
    """What the head reads: a token of its own, the first patch's token, or the mean over all patches' tokens;
    distilled: the class token and a distillation token side by side (DeiT, arXiv 2012.12877, section 4)."""
    registers: int = 0
    """Learned tokens between those and the patches, which nothing reads (Darcet et al. 2023, arXiv 2309.16588)."""
    norm: Norm = "pre"
    """LayerNorm before each branch, as in ViT, or after each sum, as in the first Transformer; `none`: no block has
    one. `final_norm` says whether there is one after the last block."""
    residual: bool = True
    """Whether the input of each branch is added to its result. False: to see what that is for."""
    qkv_bias: bool = True
    """Whether queries, keys and values have biases. The first Transformer has none."""
    qk_norm: bool = False
    """LayerNorm of each head's queries and keys (Dehghani et al. 2023, arXiv 2302.05442, section 2.1)."""
    norm_epsilon: float = 1e-6
    """Added to the variance in every LayerNorm. Hugging Face's first networks have 1e-12."""
    first_norm: bool = False
    """LayerNorm of the tokens that enter the first block, as in CLIP."""
    final_norm: bool = True
    """LayerNorm of the tokens that leave the last block."""
    activation: Activation = "gelu"
    """Between the two layers of an MLP; GELU is the exact one, with erf; `quick_gelu` is CLIP's x sigmoid(1.702 x)."""
    head_hidden: int = 0
    """Channels of a layer with tanh before the head, as ViT was pretrained with (section 3.1); 0: there is none."""
    dropout: float = 0.0
    """Chance that training drops a value: of the embeddings and after every dense layer except q, k, v and the head
    (ViT, appendix B.1)."""
    attention_dropout: float = 0.0
    """Chance that training drops an entry of the attention weights, after the softmax."""
    drop_path: float = 0.0
    """Chance that training skips the last block for an image; earlier blocks linearly less."""
    layer_scale: float = 0.0
    """First value of a factor learned for each channel of a branch (CaiT, arXiv 2103.17239); 0: no such factors."""
    shared_width: int = 0
    """Channels of the space that pictures share with words, as in CLIP: what the head reads is projected there and
    divided by its length. 0: there is no such space."""

    def __post_init__(self) -> None:
        """Raises ValueError for sizes that do not divide and for unknown choices."""
        self._check_values()
        if any(side % self.patch_size for side in self.image_size):
            raise ValueError(f"image_size {self.image_size} is not a multiple of patch_size {self.patch_size}")
        if not self.head_width and self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of heads {self.heads}; give head_width")
        if self.position == "sincos" and self.width % 2:
            raise ValueError(f"width {self.width} is odd; a sincos position pairs a sine with a cosine")
        if self.registers and not self.has_cls_token:
            raise ValueError(f"registers is {self.registers}; without a class token only 0 is allowed")
        if self.shared_width and self.pooling == "distilled":
            raise ValueError("a network that reads two tokens has no space shared with words; shared_width must be 0")
        if self.shared_width and self.head_hidden:
            raise ValueError("the rows of a head for words are their directions; head_hidden must be 0")
        if self.drop_path and not self.residual:
            raise ValueError("drop_path skips a block by its residual connection; without one it must be 0")

    def _check_values(self) -> None:
        sizes = ("classes", "patch_size", "width", "depth", "heads")
        optional = ("head_width", "mlp_width", "head_hidden", "shared_width", "registers")
        check_ranges(self, dict.fromkeys(sizes, (1, ANY)) | dict.fromkeys(optional, (0, ANY)))
        for name in ("dropout", "attention_dropout", "drop_path"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; 0 or more and less than 1 is allowed")
        if not 0 < self.norm_epsilon < 1:
            raise ValueError(f"norm_epsilon is {self.norm_epsilon}; more than 0 and less than 1 is allowed")
        for name, lowest in {"mean": 0.0, "std": 1 / 255}.items():
            values = getattr(self, name)
            if len(values) != 3 or not all(lowest <= value <= 1 for value in values):
                raise ValueError(f"{name} is {values}; allowed: three fractions of 255, from {lowest:.3g} to 1")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}; allowed: {', '.join(map(str, allowed))}")

    @property
    def grid(self) -> tuple[int, int]:
        """(rows, columns) of patches."""
        height, width = self.image_size
        return height // self.patch_size, width // self.patch_size

    @property
    def has_cls_token(self) -> bool:
        """Whether a token of its own stands before those of the patches."""
        return self.pooling in ("cls_token", "distilled")

    @property
    def rows_read(self) -> int:
        """How many of the first tokens the head reads, one by one; with mean pooling it reads one row, the mean."""
        return 2 if self.pooling == "distilled" else 1

    @property
    def placed(self) -> int:
        """How many tokens before those of the patches have a position: all but the registers."""
        return self.rows_read if self.has_cls_token else 0

    @property
    def prefix(self) -> int:
        """How many tokens stand before those of the patches."""
        return self.placed + self.registers

    @property
    def margin_is_sum(self) -> bool:
        """Whether the margin of an answer is exactly a sum of what was written into the token that the head reads.

        After a post-norm, or without residual connections, the stream is not a sum of what was written into it; of a
        mean each token was divided by a length of its own; and tanh in the head bends what is added up.
        """
        return self.norm != "post" and self.residual and self.pooling != "mean" and not self.head_hidden

    @property
    def tokens(self) -> int:
        """T: the patches, and what stands before them."""
        return self.grid[0] * self.grid[1] + self.prefix

    @property
    def d_k(self) -> int:
        """Channels of one head."""
        return self.head_width or self.width // self.heads

    @property
    def attention_width(self) -> int:
        """Channels of all heads side by side."""
        return self.heads * self.d_k

    def with_heads(self, heads: int) -> ViTConfig:
        """The same matrices, divided among another number of heads. Raises ValueError if they do not divide."""
        return replace(self, heads=heads, head_width=self.attention_width // heads if self.head_width else 0)

    @property
    def embedding_width(self) -> int:
        """Channels of what the head reads."""
        return self.shared_width or self.rows_read * self.width

    @property
    def hidden_width(self) -> int:
        """M: channels between the two layers of an MLP."""
        return self.mlp_width or 4 * self.width
