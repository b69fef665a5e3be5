"""Rows of predictions on a terminal."""

import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.frames import prediction
from vitcam.frames import Group, Guess
from vitcam.sinks.layout import Layout


def test_what_an_unsure_answer_perhaps_is_follows_it_without_a_gap() -> None:
    layout = Layout.of(("cat", "a label that is rather long"))
    unsure = replace(prediction("cat", 0.4), groups=(Group("pet", 0.8),))
    sure = prediction("cat", 0.9)
    rows = [layout.row(each, "photo.jpg").plain for each in (unsure, sure)]

    assert "pet, perhaps cat 40%" in rows[0]
    assert rows[0].index("photo.jpg") == rows[1].index("photo.jpg"), "the names stand below each other"


LONG = tuple(f"{'a long name out of a data sheet, ' * 3}{number}" for number in range(3))
WIDE = tuple(f"{'名' * 40}{number}" for number in range(3))


@pytest.mark.parametrize("columns", [20, 40, 80, 120, 10_000])
@pytest.mark.parametrize("labels", [LONG, WIDE], ids=["long", "wide characters"])
def test_guesses_with_long_names_can_be_told_apart_at_every_width(labels: tuple[str, ...], columns: int) -> None:
    out = io.StringIO()
    guesses = tuple(Guess(label, 0.3) for label in labels)
    Console(file=out, width=columns).print(Layout.of(labels).bars(replace(prediction("x"), top=guesses), columns))
    rows = [row for row in out.getvalue().splitlines() if "%" in row]

    assert len({row.split("30.0%")[0] for row in rows}) == len(labels)
    assert max(map(cell_len, rows)) <= columns
    assert columns < 10_000 or all(label in row for label, row in zip(labels, rows, strict=True))


def test_a_list_shows_a_long_name_whole() -> None:
    row = Layout.of(LONG).row(prediction(LONG[2], 0.9), "photo.jpg").plain

    assert LONG[2] in row
    assert row.endswith("  photo.jpg")
