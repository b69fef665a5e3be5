"""A prediction on a terminal: a row of a list, or a block of bars.

An unknown picture is called so before any guess. Where the best label is unsure, its group comes first.
"""

from dataclasses import dataclass
from typing import Self

from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from vitcam.frames import WHY_BLANK, Group, Guess, Prediction

_WIDEST_LABEL = 28
_WIDEST_BAR = 30
_LEAST_BAR = 10
_BESIDE_BAR = 12  # columns: the probability and what separates it


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns that are the same for every prediction of one model, so that nothing moves."""

    things: int
    """How many labels the model has."""
    longest: int
    """Width of the longest one, in columns."""

    @classmethod
    def of(cls, labels: tuple[str, ...]) -> Self:
        return cls(len(labels), max(map(cell_len, labels), default=0))

    @property
    def label(self) -> int:
        """Width of the column of labels in a list, in columns: a longer one is not cut there."""
        return min(_WIDEST_LABEL, self.longest)

    @property
    def none_of(self) -> str:
        """What is said of an unknown picture."""
        return "not the one thing" if self.things == 1 else f"none of the {self.things:,} things"

    def row(self, prediction: Prediction, name: str) -> Text:
        """One line: probability, label or group, picture; for an unknown one that, and the closest guess."""
        best, group = prediction.top[0], prediction.group
        if prediction.known and group:
            label = Text.assemble((group.name, "bold"), (perhaps(group, best), "dim"))
            label.pad_right(max(0, self.label - label.cell_len))
            return Text.assemble(f"{group.p:7.1%}  ", label, f"  {name}")
        if prediction.known:
            label = Text(best.label, "bold")
            label.pad_right(max(0, self.label - label.cell_len))
            return Text.assemble(f"{best.p:7.1%}  ", label, f"  {name}")
        if prediction.blank:
            return Text.assemble(("unknown  nothing to see", "yellow"), (f": {WHY_BLANK}", "dim"), f"  {name}")
        closest = f"  closest: {best.label} {best.p:.1%}"
        return Text.assemble((f"unknown  {self.none_of}", "yellow"), (closest, "dim"), f"  {name}")

    def state(self, prediction: Prediction) -> Text:
        """One line: the label or group, or that the picture is unknown; and how familiar the picture looks."""
        familiar = "" if prediction.familiarity is None else f"  familiarity {prediction.familiarity:.0%}"
        best, group = prediction.top[0], prediction.group
        if prediction.known and group:
            return Text.assemble((group.name, "bold"), f" {group.p:.0%}{perhaps(group, best)}", (familiar, "dim"))
        if prediction.known:
            return Text.assemble((best.label, "bold"), (familiar, "dim"))
        if prediction.blank:
            return Text.assemble(("unknown", "bold yellow"), f": nothing to see, the picture is {WHY_BLANK}")
        return Text.assemble(
            ("unknown", "bold yellow"), f": looks like {self.none_of} the model knows", (familiar, "dim")
        )

    def bars(self, prediction: Prediction, columns: int, most: int | None = None) -> Table:
        """The guesses, best first, dimmed where the picture is unknown.

        columns  width of the terminal
        most     guesses that have room; None: all
        """
        table = Table.grid(padding=(0, 1))
        label = max(4, min(self.longest, max(self.label, columns - _BESIDE_BAR - _LEAST_BAR), columns - _BESIDE_BAR))
        longest = max(0, min(_WIDEST_BAR, columns - label - _BESIDE_BAR))
        for i, guess in enumerate(prediction.top[:most]):
            style = "dim" if not prediction.known else "bold" if i == 0 else ""
            name = Text(_padded(guess.label, label), style, no_wrap=True)
            bar = Text("█" * round(longest * guess.p), "cyan" if prediction.known else "dim")
            table.add_row(name, Text(f"{guess.p:6.1%}", style), bar)
        return table


def perhaps(group: Group, best: Guess) -> str:
    """What follows a group: its most probable label; nothing if both have the same name."""
    return "" if group.name == best.label else f", perhaps {best.label} {best.p:.0%}"


def _padded(text: str, width: int) -> str:
    """A text at least that wide. A wider one loses its middle: names that are long often differ at the end."""
    if cell_len(text) > width:
        head, tail = Text(text), Text(text[::-1])
        head.truncate((width - 1) * 2 // 3)
        tail.truncate(width - 1 - head.cell_len)
        text = f"{head.plain}…{tail.plain[::-1]}"
    return set_cell_size(text, width)
