"""What a person sees on a terminal: the best guesses as bars, a line for each event, and the address."""

import time
from collections.abc import Sequence
from operator import itemgetter

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from vitcam.frames import Event, Guess, Place, Prediction, Unreadable
from vitcam.sinks.layout import Layout, perhaps
from vitcam.sinks.sink import Summary

_REDRAW_S = 0.15  # drawing on a terminal over ssh should not cost more than the inference
_PLACE_GONE_NS = 10_000_000_000
_OTHER_ROWS = 4  # state, timings, address, and one free row for what is printed above


class RichConsole:
    """Draws on `console`.

    every   one line per prediction, for files, instead of the moving bars
    labels  of the model
    """

    def __init__(self, console: Console, every: bool, labels: tuple[str, ...]) -> None:
        self._console = console
        self.every = every
        """Any thread may change it."""
        self._layout = Layout.of(labels)
        self._drawn = 0.0
        self._newest: dict[Place, Prediction] = {}
        self._address = ""
        # other output to stderr appears above the bars; stdout may be a file, and is not redirected
        self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False)
        self._live.start()

    def serving(self, url: str) -> None:
        self._address = url
        self._draw()

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        if self.every:
            name = prediction.path or f"frame {prediction.seq}"
            self._console.print(self._layout.row(prediction, name), highlight=False)
            return
        lately = {place: each for place, each in self._newest.items() if _is_recent(each, prediction)}
        self._newest = {**lately, prediction.place: prediction}
        if changed or time.monotonic() - self._drawn > _REDRAW_S:
            self._drawn = time.monotonic()
            self._draw()

    def event(self, event: Event) -> None:
        if event.phase == "update" or event.kind == "problem" or self.every:  # a problem is said by the log
            return
        clock = time.strftime("%H:%M:%S")
        word = "sees" if event.phase == "new" else "gone"
        style = "bold green" if event.phase == "new" else "dim"
        label, after = event.shown.label or event.label, f"  {event.shown.p:.0%}"
        if event.group and (best := perhaps(label, Guess(event.label, event.p))):
            after += f", {best}"
        where = "".join(("" if event.zone is None else f"  in {event.zone}", "" if event.box is None else "  (box)"))
        self._console.print(Text.assemble((f"{clock}  ", "dim"), f"{word}  ", (label, style), after, where))

    def unreadable(self, bad: Unreadable) -> None:
        self._console.print(Text.assemble(("skipped  ", "yellow"), bad.path, f": {bad.error}"))

    def close(self, summary: Summary | None) -> None:
        self._live.stop()
        if summary is not None:
            skipped = f", {summary.errors} skipped" if summary.errors else ""
            lost = f", {summary.dropped} dropped" if summary.dropped else ""
            text = f"{summary.frames} frames in {summary.seconds:.1f} s{skipped}{lost}"
            self._console.print(text, highlight=False)

    def _draw(self) -> None:
        lines: list[RenderableType] = []
        lines += self._answer(*self._newest.values()) if len(self._newest) == 1 else self._places()
        if self._address:
            lines.append(_line(Text.assemble("watch at ", (self._address, "bold"), ("  Ctrl-C ends", "dim"))))
        self._live.update(Group(*lines), refresh=True)

    def _places(self) -> Sequence[RenderableType]:
        """A line for each place, for as many as fit."""
        room = max(1, self._console.size.height - _OTHER_ROWS)
        shown = sorted(((_name(place), newest) for place, newest in self._newest.items()), key=itemgetter(0))[:room]
        return [_line(Text.assemble((f"{name}  ", "dim"), self._layout.state(newest))) for name, newest in shown]

    def _answer(self, newest: Prediction) -> Sequence[RenderableType]:
        """The prediction, in at most as many rows as fit, so that the address below stays visible."""
        columns, rows = self._console.size
        bars = self._layout.bars(newest, columns, max(1, rows - _OTHER_ROWS))
        ms = Text(f"inference {newest.ms.infer:.1f} ms, {newest.ms.total:.1f} ms after capture", "dim")
        return [_line(self._layout.state(newest)), bars, _line(ms)]


def _is_recent(one: Prediction, newest: Prediction) -> bool:
    """Whether a prediction is still worth a line beside a newer one: only while its place is there."""
    is_alike = (one.zone is None) == (newest.zone is None)
    return is_alike and newest.captured_ns - one.captured_ns < _PLACE_GONE_NS


def _name(place: Place) -> str:
    """Of the whole view, a zone, or a box in one."""
    where = place.zone or "view"
    return where if place.track is None else f"{where}, box {place.track}"


def _line(text: Text) -> Text:
    """A line that is cut and not wrapped: a wrapped one would move everything below it."""
    text.no_wrap, text.overflow = True, "ellipsis"
    return text
