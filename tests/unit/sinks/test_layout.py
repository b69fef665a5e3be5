"""Rows of predictions on a terminal."""

import io
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.frames import prediction
from vitcam.frames import Group, Guess, Shown
from vitcam.sinks.layout import Layout


def test_what_an_unsure_answer_perhaps_is_follows_the_photo() -> None:
    layout = Layout.of(("cat", "a label that is rather long"))
    unsure = replace(prediction("cat", 0.4), groups=(Group("pet", 0.8),))
    sure = prediction("cat", 0.9)
    rows = [layout.row(each, "photo.jpg").plain for each in (unsure, sure)]

    assert rows[0].endswith("photo.jpg  perhaps cat 40%")
    assert layout.state(unsure).plain.startswith("pet 80%, perhaps cat 40%  familiarity")
    assert rows[0].index("photo.jpg") == rows[1].index("photo.jpg"), "the names stand below each other"


def test_without_a_likely_name_the_three_best_guesses_follow_the_photo() -> None:
    layout = Layout.of(("cup", "bowl", "vase", "mug", "jar"))
    unsure = prediction("cup", 0.4, bowl=0.2, vase=0.06, mug=0.05, jar=0.01)
    other = replace(unsure, top=unsure.top[:2], groups=(Group("pot", 0.6, "jug"),))

    assert layout.row(unsure, "a.jpg").plain == "         not sure  a.jpg  perhaps cup 40%, bowl 20%, vase 6%"
    assert layout.state(unsure).plain.startswith("not sure: perhaps cup 40%, bowl 20%, vase 6%")
    assert "pot" in layout.row(other, "a.jpg").plain
    assert "perhaps" not in layout.row(other, "a.jpg").plain, "its best label is not among the guesses"


def test_an_unknown_picture_says_what_is_closest_unless_that_is_noise() -> None:
    layout = Layout.of(("cup", "bowl"))
    close, far = (replace(prediction("cup", p), known=False, unfamiliar=True) for p in (0.3, 0.03))

    assert layout.row(close, "a.jpg").plain == "         unknown  a.jpg  none of the 2 things, closest cup 30%"
    assert layout.row(far, "a.jpg").plain == "         unknown  a.jpg  none of the 2 things"


def test_what_lasts_is_named_as_its_event_is() -> None:
    layout = Layout.of(("tabby",))
    headline = Shown("cat", 0.97, "group")
    seen = replace(prediction("tabby", 0.6), headline=headline, groups=(Group("cat", 0.9),))

    assert "97.0%  cat    a.jpg  perhaps tabby 60%" in layout.row(seen, "a.jpg").plain


def test_guesses_below_five_percent_are_not_shown_and_leave_their_rows_where_something_moves() -> None:
    layout, seen = Layout.of(("cup", "bowl", "vase")), prediction("cup", 0.9, bowl=0.05, vase=0.049)

    assert layout.bars(seen, 80).row_count == 2
    assert layout.bars(seen, 80, most=5).row_count == 3


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
