"""A prediction on a terminal: a row of a list, or a block of bars.

The displayed name comes first: a label, or a group where no label is likely. A picture without one is called unknown or
"not sure" before any guess.
"""

from dataclasses import dataclass
from typing import Self

from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from vitcam.frames import LEAST, WHY_BLANK, Guess, Prediction

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
        """One line in the same columns for every answer: probability, displayed name, picture, and what else is known.

        A picture without a displayed name is "unknown" or "not sure" there, without a probability.
        """
        shown = prediction.told
        if shown.label is not None:
            return self._columns(f"{shown.p:.1%}", (shown.label, "bold"), name, _perhaps_of(prediction))
        if prediction.blank:
            return self._columns("", ("unknown", "yellow"), name, f"nothing to see: {WHY_BLANK}")
        if prediction.unfamiliar:
            closest = prediction.top[0]
            note = f", closest {closest.label} {closest.p:.0%}" if closest.p >= LEAST else ""
            return self._columns("", ("unknown", "yellow"), name, f"{self.none_of}{note}")
        return self._columns("", ("not sure", "yellow"), name, _guesses_of(prediction))

    def _columns(self, p: str, said: tuple[str, str], name: str, note: str) -> Text:
        label = Text.assemble(said)
        label.pad_right(max(0, self.label - label.cell_len))
        return Text.assemble(f"{p:>7}  ", label, f"  {name}", (_after("  ", note), "dim"))

    def state(self, prediction: Prediction) -> Text:
        """One line: the displayed name, or why there is none; and how familiar the picture looks."""
        familiar = "" if prediction.familiarity is None else f"  familiarity {prediction.familiarity:.0%}"
        shown = prediction.told
        if shown.level == "group":
            return Text.assemble(
                (shown.label or "", "bold"), f" {shown.p:.0%}", _after(", ", _perhaps_of(prediction)), (familiar, "dim")
            )
        if shown.label is not None:
            return Text.assemble((shown.label, "bold"), (familiar, "dim"))
        if prediction.blank:
            return Text.assemble(("unknown", "bold yellow"), f": nothing to see, the picture is {WHY_BLANK}")
        if prediction.unfamiliar:
            looks = f": looks like {self.none_of} the model knows"
            return Text.assemble(("unknown", "bold yellow"), looks, (familiar, "dim"))
        return Text.assemble(("not sure", "bold yellow"), _after(": ", _guesses_of(prediction)), (familiar, "dim"))

    def bars(self, prediction: Prediction, columns: int, most: int | None = None) -> Table:
        """The guesses above the noise, best first, dimmed where the picture has no name.

        columns  width of the terminal
        most     guesses that have room, and the others are empty rows, so that nothing below moves; None: no such rows
        """
        table = Table.grid(padding=(0, 1))
        label = max(4, min(self.longest, max(self.label, columns - _BESIDE_BAR - _LEAST_BAR), columns - _BESIDE_BAR))
        longest = max(0, min(_WIDEST_BAR, columns - label - _BESIDE_BAR))
        has_name = prediction.told.level != "none"
        for i, guess in enumerate(prediction.top[:most]):
            if guess.p < LEAST:
                if most is not None:
                    table.add_row("", "", "")
                continue
            style = "dim" if not has_name else "bold" if i == 0 else ""
            name = Text(_padded(guess.label, label), style, no_wrap=True)
            bar = Text("█" * round(longest * guess.p), "cyan" if has_name else "dim")
            table.add_row(name, Text(f"{guess.p:6.1%}", style), bar)
        return table


def perhaps(group: str, best: Guess) -> str:
    """What follows a group: its most probable label; nothing if both have the same name, or that is improbable."""
    return "" if group == best.label or best.p < LEAST else f"perhaps {best.label} {best.p:.0%}"


def _perhaps_of(prediction: Prediction) -> str:
    """What follows the displayed name."""
    shown = prediction.told
    group = next((each for each in prediction.groups if each.name == shown.label), None)
    if shown.level != "group" or group is None:
        return ""
    label = group.best or prediction.top[0].label
    best = next((guess for guess in prediction.top if guess.label == label), None)
    return "" if best is None else perhaps(group.name, best)


def _guesses_of(prediction: Prediction) -> str:
    guesses = ", ".join(f"{guess.label} {guess.p:.0%}" for guess in prediction.best_three)
    return f"perhaps {guesses}" if guesses else ""


def _after(mark: str, text: str) -> str:
    return f"{mark}{text}" if text else ""


def _padded(text: str, width: int) -> str:
    """A text at least that wide. A wider one loses its middle: names that are long often differ at the end."""
    if cell_len(text) > width:
        head, tail = Text(text), Text(text[::-1])
        head.truncate((width - 1) * 2 // 3)
        tail.truncate(width - 1 - head.cell_len)
        text = f"{head.plain}…{tail.plain[::-1]}"
    return set_cell_size(text, width)
