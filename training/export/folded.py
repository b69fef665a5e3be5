"""A network as `rewrites.py` leaves it: what the inference graph multiplies and adds, and which rewrites were made."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam_training.config import ViTConfig

Array = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Rewrites:
    """Which rewrites are made; all of them are what is shipped."""

    last_row: bool = True
    """The last block works out only the row that the head reads."""
    joined: bool = True
    """q, k and v are one projection, split head by head: their rows are quantised once and not three times."""
    norms: bool = True
    """LayerNorm's scale and shift go into the projection after it."""
    stream: bool = True
    """The residual stream is centred and turned: LayerNorm only divides by the length. Needs `norms`."""
    values: bool = True
    """Each head's values are turned, and back in the output projection: what is quantised between has no outliers."""
    scores: bool = True
    """1 / sqrt(d) goes into the query projection."""
    pixels: bool = True
    """The normalisation of the pixels goes into the patch embedding."""
    temperature: bool = True
    """The calibrated temperature goes into the head."""
    float16: bool = True
    """q, k and v are a convolution, around which XNNPACK computes in float16 where the processor can. Its input is
    quantised as a whole and not row by row, which normalised rows bear."""

    def __post_init__(self) -> None:
        """Raises ValueError for a combination that is not the same function."""
        if self.stream and not self.norms:
            raise ValueError("the rewrite `stream` needs the rewrite `norms`: leave out both, or none")

    @classmethod
    def without(cls, *names: str) -> Rewrites:
        """All rewrites but these, and but those that need them. Raises ValueError naming what there is."""
        known = [field.name for field in fields(cls)]
        for name in names:
            if name not in known:
                raise ValueError(f"there is no rewrite {name!r}; known are {', '.join(known)}")
        left_out = {*names, *(("stream",) if "norms" in names else ())}
        return cls(**{name: name not in left_out for name in known})

    def exact_for(self, config: ViTConfig) -> Rewrites:
        """Those of these that leave a network of such choices the same function.

        last_row  needs a head that reads one row: mean pooling reads all
        norms     needs pre-norm: after a post-norm the residual carries scale and shift too
        float16   needs normalised rows, which blocks without LayerNorm have not
        stream    needs that every reader normalises: pre-norm, and a final norm before the head
        """
        pre = config.norm == "pre"
        return replace(
            self,
            last_row=self.last_row and config.pooling != "mean",
            norms=self.norms and pre,
            stream=self.stream and pre and config.final_norm,
            float16=self.float16 and config.norm != "none",
        )


@dataclass(frozen=True)
class Affine:
    """x @ kernel + bias."""

    kernel: Array
    """(in, out) float32."""
    bias: Array
    """(out,) float32."""


@dataclass(frozen=True)
class Norm:
    """What is left of a LayerNorm, beside the division."""

    centred: bool
    """True: the mean is zero already."""
    epsilon: float
    """Added to the variance."""
    scale: Array | None = None
    """(D,) float32; None: in the next projection."""
    shift: Array | None = None


@dataclass(frozen=True)
class FoldedBlock:
    """One block."""

    norm1: Norm | None
    """None: the blocks have no norms."""
    query: Affine
    key: Affine
    value: Affine
    query_norm: Norm | None
    """Of each head's queries; None: there is none."""
    key_norm: Norm | None
    score_factor: float
    """What the scores are multiplied by; 1: it is in the query projection, or in the queries' norm."""
    output: Affine
    norm2: Norm | None
    up: Affine
    down: Affine


@dataclass(frozen=True)
class Folded:
    """Everything that the inference graph multiplies or adds."""

    config: ViTConfig
    rewrites: Rewrites
    """Those that were made."""
    pixels: tuple[Array, Array]
    """(3,), (3,): factor and summand of each byte of red, green and blue; (1,), (1,): of every byte, for its
    DEQUANTIZE, and the rest of the normalisation is in the patch embedding."""
    patches: Affine
    """(P*P*3, D): a patch's rows one after the other, RGB side by side."""
    first_rows: Array | None
    """(n, D): the tokens before those of the patches, with their positions; None: there are none."""
    position: Array | None
    """(N, D): positions of the patches, learned or fixed; None: nothing is added."""
    first_norm: Norm | None
    """Of the tokens that enter the first block; None: there is none."""
    first: Affine | None
    """What that norm's scale and shift, and the stream's axes, make of the tokens; None: nothing."""
    blocks: tuple[FoldedBlock, ...]
    norm: Norm | None
    """The final one; None: there is none."""
    embedding: Affine | None
    """From the normalised row that the head reads back to the axes, scale and shift that it saw in training, and from
    there into the space shared with words; None: it is that already. For mean pooling the mean may be taken before,
    since it commutes with sums and factors. Of two rows each."""
    pre_logits: Affine | None
    """The head's hidden layer, before its tanh; None: there is none."""
    head: Affine
    """A row for each label, in their order; before them the further rows of labels that have several."""
    merge: tuple[Array, ...]
    """What adds further rows to the rows of their labels, (E, C) or (E, M) and (M, C), see `order_rows`; empty: there
    are none."""
    logit_factor: float
    """1 / temperature; 1: it is in the head."""
    evidence: Array
    """(R, D), or (R, 2 D) for two tokens: for each row of the head the direction, in the axes of the residual stream,
    in which its logit grows before those of the others; divided by the temperature. The final norm's division, and in a
    shared space that by the length there, are left out. With a hidden layer in the head, (R, H): the direction among
    its channels."""
    towards: Array
    """(E, D): the same for each channel of what the head reads, for a head that is given when the graph runs; (H, D):
    for each channel of the hidden layer before its tanh."""

    @property
    def keeps_bytes(self) -> bool:
        """Whether int8 can take each byte of a picture as it is: rows before the patches may say what a byte is."""
        return self.first_rows is not None and len(self.pixels[0]) == 1
