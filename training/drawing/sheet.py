"""A drawing of a network as SVG: a box for each step, and the shape beside each arrow."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from vitcam_training.drawing.steps import Branch, NetworkStep, Walk
from vitcam_training.plots import ACCENT, FAINT, PLAIN

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
