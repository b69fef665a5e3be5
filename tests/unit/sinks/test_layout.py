"""Rows of predictions on a terminal."""

from dataclasses import replace

from tests.frames import prediction
from vitcam.frames import Group
from vitcam.sinks.layout import Layout


def test_what_an_unsure_answer_perhaps_is_follows_it_without_a_gap() -> None:
    layout = Layout.of(("cat", "a label that is rather long"))
    unsure = replace(prediction("cat", 0.4), groups=(Group("pet", 0.8),))
    sure = prediction("cat", 0.9)
    rows = [layout.row(each, "photo.jpg").plain for each in (unsure, sure)]

    assert "pet, perhaps cat 40%" in rows[0]
    assert rows[0].index("photo.jpg") == rows[1].index("photo.jpg"), "the names stand below each other"
