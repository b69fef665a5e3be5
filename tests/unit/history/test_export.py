"""Events as CSV: no cell is a formula to a spreadsheet."""

import csv
import io

import pytest

from tests.histories import stored
from vitcam.history.export import as_text, header


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x")', "＝1"]
)
@pytest.mark.parametrize("field", ["label", "zone", "camera", "corrected", "model"])
def test_a_cell_never_begins_as_a_formula_does(field: str, text: str) -> None:
    lines = header("csv") + as_text([stored("01JM0000000000000000000000", **{field: text})], "csv")
    row = next(csv.DictReader(io.StringIO(lines, newline="")))

    assert row[field] == "'" + text.replace("\r", " ")


def test_other_texts_and_numbers_stay_as_they_are() -> None:
    lines = header("csv") + as_text([stored("01JM0000000000000000000000", "a cup = 1, 'so'", p=0.25)], "csv")
    row = next(csv.DictReader(io.StringIO(lines)))

    assert (row["label"], row["p"]) == ("a cup = 1, 'so'", "0.25")
