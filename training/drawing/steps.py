"""What a picture passes in a network, step by step, with shapes and numbers of parameters: from its configuration.

Letters as in `vit.py`: N patches, T tokens, D width, h heads, d channels of a head, M channels inside an MLP, K
classes.
"""

from __future__ import annotations

from dataclasses import dataclass

from vitcam_training.config import ViTConfig

ACTIVATIONS = {"gelu": "GELU", "quick_gelu": "quick GELU, x σ(1.702 x)", "relu": "ReLU"}
READS = {
    "cls_token": "Class token",
    "distilled": "Class token and distillation token",
    "first": "Token of the first patch",
    "mean": "Mean over the patches",
}
POSITIONS = {
    "learned": "learned, one for each token",
    "sincos": "sines and cosines, fixed",
    "random": "random, one for each token, fixed",
}


@dataclass(frozen=True, slots=True)
class NetworkStep:
    """One thing that is done to what comes in."""

    name: str
    shape: str
    """Of what comes out, without the batch."""
    detail: str = ""
    parameters: int = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """Steps whose result is added to what went into them, a residual connection; or takes its place."""

    steps: tuple[NetworkStep, ...]
    shape: str
    """Of the sum."""
    residual: bool = True
    """False: nothing is added."""


@dataclass(frozen=True, slots=True)
class Walk:
    """The way through a network."""

    before: tuple[NetworkStep, ...]
    block: tuple[NetworkStep | Branch, ...]
    """Of one encoder block."""
    depth: int
    """How many blocks follow each other."""
    after: tuple[NetworkStep, ...]

    @property
    def parameters(self) -> int:
        """Numbers that training changes."""
        block = [step for part in self.block for step in (part.steps if isinstance(part, Branch) else (part,))]
        once = sum(step.parameters for step in (*self.before, *self.after))
        return once + self.depth * sum(step.parameters for step in block)


def walk(config: ViTConfig) -> Walk:
    """The steps of a network, in their order."""
    return Walk(_embedding(config), _block(config), config.depth, _end(config))


def _embedding(c: ViTConfig) -> tuple[NetworkStep, ...]:
    (height, width), (rows, columns), patch = c.image_size, c.grid, c.patch_size
    count, values = rows * columns, patch**2 * c.channels
    steps = [
        NetworkStep("Picture", f"{height} × {width} × 3", "RGB, bytes"),
        NetworkStep("Normalise", f"{height} × {width} × {c.channels}", _normalisation(c)),
        NetworkStep("Cut into patches", f"{count} × {values}", f"{rows} × {columns} patches of {patch} × {patch} px"),
        NetworkStep("Patch embedding", f"{count} × {c.width}", "one matrix and a bias for all", (values + 1) * c.width),
    ]
    if c.has_cls_token:
        tokens = "class token" if c.pooling == "cls_token" else "class token and distillation token"
        size = count + c.placed
        steps.append(NetworkStep("Put in front", f"{size} × {c.width}", f"a learned {tokens}", c.placed * c.width))
    placed = c.tokens - c.registers
    if c.position != "none":
        size = placed * c.width if c.position == "learned" else 0
        steps.append(NetworkStep("Add positions", f"{placed} × {c.width}", POSITIONS[c.position], size))
    if c.registers:
        detail = f"{c.registers} learned tokens that nothing reads"
        steps.append(NetworkStep("Insert registers", f"{c.tokens} × {c.width}", detail, c.registers * c.width))
    return (*steps, *([_norm(c)] if c.first_norm else []))


def _normalisation(c: ViTConfig) -> str:
    grey = "luma of " if c.channels == 1 else ""
    return f"{grey}(pixel / 255 − mean) / std"


def _block(c: ViTConfig) -> tuple[NetworkStep | Branch, ...]:
    stream = f"{c.tokens} × {c.width}"
    parts: list[NetworkStep | Branch] = []
    for steps in (_attention(c), _mlp(c)):
        scale = [NetworkStep("Scale each channel", stream, "learned factors", c.width)] if c.layer_scale else []
        inside = (*([_norm(c)] if c.norm == "pre" else []), *steps, *scale)
        parts += [Branch(inside, stream, c.residual), *([_norm(c)] if c.norm == "post" else [])]
    return tuple(parts)


def _attention(c: ViTConfig) -> list[NetworkStep]:
    each, heads, width = c.d_k, f"{c.heads} × {c.tokens}", c.attention_width
    project = 3 * (c.width + c.qkv_bias) * width
    matrices = "three matrices" if c.qkv_bias else "three matrices, no biases"
    norms = [
        NetworkStep("Norm of queries and keys", f"2 × {heads} × {each}", "LayerNorm in each head", 4 * each)
    ] * c.qk_norm
    return [
        NetworkStep("Queries, keys, values", f"3 × {heads} × {each}", f"{matrices}; {c.heads} heads", project),
        *norms,
        NetworkStep("Scores", f"{heads} × {c.tokens}", f"q · k / √{each}: each token with each"),
        NetworkStep("Softmax of each row", f"{heads} × {c.tokens}", "the attention: rows sum to 1"),
        NetworkStep("Weighted sum of the values", f"{heads} × {each}"),
        NetworkStep(
            "Output projection", f"{c.tokens} × {c.width}", "the heads side by side, one matrix", (width + 1) * c.width
        ),
    ]


def _mlp(c: ViTConfig) -> list[NetworkStep]:
    width, hidden = c.width, c.hidden_width
    return [
        NetworkStep("MLP, up", f"{c.tokens} × {hidden}", "each token by itself", (width + 1) * hidden),
        NetworkStep(ACTIVATIONS[c.activation], f"{c.tokens} × {hidden}"),
        NetworkStep("MLP, down", f"{c.tokens} × {width}", "", (hidden + 1) * width),
    ]


def _end(c: ViTConfig) -> tuple[NetworkStep, ...]:
    steps = [_norm(c)] if c.final_norm else []
    read = c.rows_read * c.width
    steps.append(NetworkStep(READS[c.pooling], f"{read}", "what the head reads"))
    if c.shared_width:
        detail = "shared with words; divided by its length"
        steps.append(NetworkStep("Projection", f"{c.shared_width}", detail, c.width * c.shared_width))
    read = c.embedding_width
    if c.head_hidden:
        steps.append(NetworkStep("Hidden layer", f"{c.head_hidden}", "with tanh", (read + 1) * c.head_hidden))
        read = c.head_hidden
    parameters = (read + 1) * c.classes
    return (
        *steps,
        NetworkStep("Head", f"{c.classes}", "a logit for each label", parameters),
        NetworkStep("Softmax", f"{c.classes}"),
    )


def _norm(c: ViTConfig) -> NetworkStep:
    return NetworkStep("LayerNorm", f"{c.tokens} × {c.width}", "each token by itself", 2 * c.width)
