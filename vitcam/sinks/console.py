"""What a person sees on a terminal: the best guesses as bars, and a line for each thing that came."""

import time

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from vitcam.frames import Event, Prediction, Unreadable
from vitcam.sinks.sink import Summary

_REDRAW_S = 0.15  # a terminal over ssh should not cost more than the inference


class RichConsole:
    """Draws on `console`; `every`: one line a prediction, for files, instead of the moving bars."""

    def __init__(self, console: Console, every: bool) -> None:
        self._console = console
        self._every = every
        self._drawn = 0.0
        self._live = None if every else Live(console=console, auto_refresh=False, transient=True)
        if self._live is not None:
            self._live.start()

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        if self._live is None:
            best = prediction.top[0]
            name = prediction.path or f"frame {prediction.seq}"
            self._console.print(Text.assemble(f"{best.p:6.1%}  ", (best.label, "bold"), "  ", (name, "dim")))
        elif changed or time.monotonic() - self._drawn > _REDRAW_S:
            self._drawn = time.monotonic()
            self._live.update(_bars(prediction), refresh=True)

    def event(self, event: Event) -> None:
        if event.phase == "update" or self._every:
            return
        clock = time.strftime("%H:%M:%S")
        word = "sees" if event.phase == "new" else "gone"
        style = "bold green" if event.phase == "new" else "dim"
        self._console.print(Text.assemble((f"{clock}  ", "dim"), f"{word}  ", (event.label, style), f"  {event.p:.0%}"))

    def unreadable(self, bad: Unreadable) -> None:
        self._console.print(Text.assemble(("skipped  ", "yellow"), bad.path, f": {bad.error}"))

    def close(self, summary: Summary | None) -> None:
        if self._live is not None:
            self._live.stop()
        if summary is not None:
            skipped = f", {summary.errors} skipped" if summary.errors else ""
            lost = f", {summary.dropped} dropped" if summary.dropped else ""
            text = f"{summary.frames} frames in {summary.seconds:.1f} s{skipped}{lost}"
            self._console.print(text, highlight=False)


def _bars(prediction: Prediction) -> Table:
    table = Table.grid(padding=(0, 1))
    for i, guess in enumerate(prediction.top):
        bar = "█" * round(30 * guess.p)
        table.add_row(Text(guess.label, "bold" if i == 0 else ""), f"{guess.p:6.1%}", Text(bar, "cyan"))
    ms = prediction.ms
    table.add_row(Text(f"inference {ms.infer:.1f} ms, {ms.total:.1f} ms after capture", "dim"))
    return table
