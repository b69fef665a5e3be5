"""A network as SVG, from its configuration: what a picture passes, step by step, with shapes and numbers of parameters.

Letters as in `vit.py`: N patches, T tokens, D width, h heads, d channels of a head, M channels inside an MLP, K
classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from vitcam_training.config import ViTConfig
from vitcam_training.plots import ACCENT, FAINT, PLAIN

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


_WIDTH, _MIDDLE, _BOX, _HEIGHT = 560, 240, 300, 44
_GAP = 30
_FRAME = 40
"""From the frame of the block to the boxes, in which the residual connections run."""
_ROUND = 11
_COUNTS = _MIDDLE + _BOX // 2 + _FRAME + 14
_STYLE = f"""
text {{ font: 14px system-ui, sans-serif; fill: {PLAIN}; text-anchor: middle; }}
.detail {{ font-size: 11px; fill: #64748b; }}
.shape {{ font: 12px ui-monospace, monospace; text-anchor: start; }}
.count {{ font-size: 11px; fill: {ACCENT}; text-anchor: start; }}
.title {{ font-size: 17px; font-weight: 600; }}
rect.step {{ fill: #f8fafc; stroke: {FAINT}; }}
rect.frame {{ fill: none; stroke: {ACCENT}; stroke-dasharray: 5 4; }}
path, circle {{ fill: none; stroke: {PLAIN}; stroke-width: 1.3; }}
"""


def sheet(walk: Walk, title: str) -> str:
    """The drawing, which is the same to the byte for the same network.

    title  of the drawing, such as the name of the model
    """
    drawing = _Drawing(f"{title}: {walk.parameters:,} parameters")
    drawing.steps(walk.before)
    drawing.block(walk.block, walk.depth)
    drawing.steps(walk.after)
    return drawing.svg()


class _Drawing:
    """Draws from the top downwards."""

    def __init__(self, title: str) -> None:
        self._svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "font-size": "14"})
        SubElement(self._svg, "title").text = title
        SubElement(self._svg, "style").text = _STYLE
        arrow = SubElement(SubElement(self._svg, "defs"), "marker", _ARROW)
        SubElement(arrow, "path", {"d": "M0 0 8 4 0 8z", "style": f"fill: {PLAIN}; stroke: none"})
        self._paper = SubElement(self._svg, "rect", {"width": str(_WIDTH), "fill": "#fff"})
        self._text(title, _MIDDLE, 30, "title")
        self._text("parameters", _COUNTS, 30, "count")
        self._y, self._started = 52.0, False

    def steps(self, steps: Sequence[NetworkStep]) -> None:
        """Boxes under each other, each with an arrow to the next."""
        for step in steps:
            self._box(step)
            self._y += _HEIGHT
            self._arrow(step.shape)

    def block(self, parts: Sequence[NetworkStep | Branch], depth: int) -> None:
        """A frame around the parts of one block."""
        top = self._y
        self._line(f"M{_MIDDLE} {top - 4:g}v20", ends=True)
        self._y += 20
        for part in parts:
            if isinstance(part, Branch):
                self._branch(part)
            else:
                self.steps([part])
        height = self._y - top
        place = {"x": _MIDDLE - _BOX / 2 - _FRAME, "y": top, "width": _BOX + 2 * _FRAME, "height": height}
        SubElement(self._svg, "rect", {"class": "frame", "rx": "8", **{key: f"{at:g}" for key, at in place.items()}})
        self._text(f"{depth} blocks", _COUNTS, top + 14, "shape")
        self._line(f"M{_MIDDLE} {self._y - 4:g}v{_GAP - 6}", ends=True)
        self._y += _GAP - 6

    def svg(self) -> str:
        """The finished text."""
        height = f"{self._y - 6:g}"
        self._paper.set("height", height)
        self._svg.set("viewBox", f"0 0 {_WIDTH} {height}")
        indent(self._svg)
        return tostring(self._svg, "unicode") + "\n"

    def _branch(self, branch: Branch) -> None:
        start = self._y - 14
        self.steps(branch.steps)
        if not branch.residual:
            return
        middle = self._y + _ROUND - 4
        SubElement(self._svg, "circle", {"cx": str(_MIDDLE), "cy": f"{middle:g}", "r": str(_ROUND)})
        self._line(f"M{_MIDDLE - 6} {middle:g}h12M{_MIDDLE} {middle - 6:g}v12")
        left = _BOX / 2 + _FRAME / 2
        self._line(f"M{_MIDDLE} {start:g}h{-left:g}V{middle:g}h{left - _ROUND - 2:g}", ends=True)
        self._y = middle + _ROUND
        self._arrow(branch.shape)

    def _box(self, step: NetworkStep) -> None:
        place = {"x": _MIDDLE - _BOX / 2, "y": self._y, "width": _BOX, "height": _HEIGHT}
        SubElement(self._svg, "rect", {"class": "step", "rx": "6", **{key: f"{at:g}" for key, at in place.items()}})
        self._text(step.name, _MIDDLE, self._y + (20 if step.detail else 27))
        if step.detail:
            self._text(step.detail, _MIDDLE, self._y + 36, "detail")
        if step.parameters:
            self._text(f"{step.parameters:,}", _COUNTS, self._y + 26, "count")

    def _arrow(self, shape: str) -> None:
        self._line(f"M{_MIDDLE} {self._y:g}v{_GAP - 4}", ends=True)
        self._text(shape, _MIDDLE + 10, self._y + 18, "shape")
        self._y += _GAP

    def _line(self, way: str, ends: bool = False) -> None:
        SubElement(self._svg, "path", {"d": way, **({"marker-end": "url(#arrow)"} if ends else {})})

    def _text(self, text: str, x: float, y: float, kind: str = "") -> None:
        place = {"x": f"{x:g}", "y": f"{y:g}", **({"class": kind} if kind else {})}
        SubElement(self._svg, "text", place).text = text


_ARROW = {"id": "arrow", "viewBox": "0 0 8 8", "refX": "7", "refY": "4", "markerWidth": "8", "markerHeight": "8"}
_ARROW |= {"orient": "auto"}
