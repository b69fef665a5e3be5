"""Plots as inline SVG that follow the page: colours and letters come from its style sheet, light or dark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log10
from xml.etree.ElementTree import Element

from vitcam_training.report.markup import Node, tag

WIDTH, HEIGHT = 440, 270
LEFT, RIGHT, TOP, BOTTOM = 62, 18, 10, 40

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """What one direction of a plot means."""

    label: str
    low: float
    high: float
    ticks: Sequence[float]
    form: Callable[[float], str] = "{:g}".format
    log: bool = False

    def share(self, value: float) -> float:
        """Where a value lies between both ends, 0 to 1."""
        place = log10 if self.log else float
        span = place(self.high) - place(self.low)
        return min(1.0, max(0.0, (place(max(value, self.low)) - place(self.low)) / span)) if span else 0.0


@dataclass(frozen=True)
class PlotArea:
    """The two axes of a plot; marks ask it where their figures belong."""

    x: Axis
    y: Axis

    def place(self, point: Point) -> Point:
        """Figures to px, y downwards."""
        across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return round(LEFT + self.x.share(point[0]) * across, 1), round(TOP + (1 - self.y.share(point[1])) * down, 1)


Mark = Callable[[PlotArea], Element]


def percent_axis(label: str, low: float = 0.0, high: float = 1.0) -> Axis:
    """Shares of 1, written as per cent."""
    return Axis(label, low, high, steps(low, high), lambda value: f"{round(100 * value, 6):g}%")


def linear_axis(label: str, low: float, high: float) -> Axis:
    """Plain figures."""
    return Axis(label, low, high, steps(low, high))


def log_axis(label: str, low: float, high: float, decades: bool = False) -> Axis:
    """Figures above 0 of which the ratio counts; ticks at 1, 2 and 5 times the powers of ten, or at those alone."""
    parts = (1,) if decades else (1, 2, 5)
    inside = [m * 10.0**e for e in range(-9, 10) for m in parts if low * 0.999 <= m * 10.0**e <= high * 1.001]
    return Axis(label, low, high, inside or [low, high], "{:.3g}".format, log=True)


def steps(low: float, high: float) -> list[float]:
    """About five round figures between two."""
    from matplotlib.ticker import MaxNLocator  # a quarter of a second, which only reports pay

    places = MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [float(tick) for tick in places if low - 1e-9 <= tick <= high + 1e-9]


def plot(title: str, description: str, x: Axis, y: Axis, *marks: Mark) -> Element:
    """A picture with axes. The title stands above it, the description is read to those who do not see it."""
    area = PlotArea(x, y)
    drawn = tag(
        "svg", *_grid(area), *(mark(area) for mark in marks),
        viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=f"{title}. {description}",
    )  # fmt: skip
    return tag("figure", tag("figcaption", title), drawn, class_="plot")


def line(points: Sequence[Point], kind: str) -> Mark:
    """A line through points; `kind` is its class in the style sheet."""

    def draw(area: PlotArea) -> Element:
        placed = " ".join(f"{x:g},{y:g}" for x, y in map(area.place, points))
        return tag("polyline", points=placed, class_=f"line {kind}")

    return draw


def dots(points: Sequence[Point], kind: str, says: Sequence[str], radii: Sequence[float]) -> Mark:
    """A dot at each point, with its radius in px, which says its figures when pointed at."""

    def draw(area: PlotArea) -> Element:
        group = tag("g", class_=f"dots {kind}")
        for point, words, radius in zip(points, says, radii, strict=True):
            x, y = area.place(point)
            group.append(tag("circle", tag("title", words), cx=x, cy=y, r=round(radius, 1)))
        return group

    return draw


def bars(spans: Sequence[tuple[float, float, float]], kind: str, says: Sequence[str]) -> Mark:
    """Upright bars (left, right, height), which say their figures when pointed at."""

    def draw(area: PlotArea) -> Element:
        group = tag("g", class_=f"bars {kind}")
        for (left, right, height), words in zip(spans, says, strict=True):
            x, y = area.place((left, height))
            end, bottom = area.place((right, area.y.low))
            group.append(
                tag("rect", tag("title", words), x=x + 0.5, y=y, width=max(0.5, end - x - 1), height=bottom - y)
            )
        return group

    return draw


def legend(*entries: tuple[str, str]) -> Element:
    """Names of what is drawn: (class in the style sheet, name)."""
    items: list[Node] = [tag("li", tag("span", class_=f"key {kind}"), name) for kind, name in entries]
    return tag("ul", *items, class_="legend")


def _grid(area: PlotArea) -> list[Element]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    parts = [tag("rect", x=LEFT, y=TOP, width=right - LEFT, height=bottom - TOP, class_="room")]
    for tick in area.x.ticks:
        x, _ = area.place((tick, area.y.low))
        parts.append(tag("line", x1=x, x2=x, y1=TOP, y2=bottom, class_="grid"))
        parts.append(tag("text", area.x.form(tick), x=x, y=bottom + 15, text_anchor="middle"))
    for tick in area.y.ticks:
        _, y = area.place((area.x.low, tick))
        parts.append(tag("line", x1=LEFT, x2=right, y1=y, y2=y, class_="grid"))
        parts.append(tag("text", area.y.form(tick), x=LEFT - 6, y=y + 4, text_anchor="end"))
    middle = (TOP + bottom) / 2
    parts.append(tag("text", area.x.label, x=(LEFT + right) / 2, y=HEIGHT - 6, text_anchor="middle", class_="name"))
    turned = f"rotate(-90 13 {middle:g})"
    parts.append(tag("text", area.y.label, x=13, y=middle, text_anchor="middle", class_="name", transform=turned))
    return parts
