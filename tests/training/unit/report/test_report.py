"""What a report is drawn and counted with, on figures small enough to be worked out by hand."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.intervals import Interval, bootstrap_figure, bootstrap_means
from vitcam_training.report.charts import PlotArea, bars, line, log_axis, percent_axis, plot
from vitcam_training.report.faithfulness import BASELINES, FaithfulnessFinding, FaithfulnessResult
from vitcam_training.report.markup import embedded_json, table, tag, written
from vitcam_training.report.material import Material
from vitcam_training.report.sections.labels import count_pairs
from vitcam_training.report.sections.overlay import overlay_faithfulness
from vitcam_training.report.sections.reliability import reliability
from vitcam_training.report.sections.unknown import rejected_at


def test_labels_that_look_like_markup_come_out_as_text() -> None:
    page = written(tag("p", "<b>", tag("i", 'a & "b"', title='"><script>'), "</p>"))

    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "<script>" not in page
    assert 'title="&quot;&gt;' in page


def test_data_inside_a_page_cannot_end_their_own_element() -> None:
    page = written(embedded_json("figures", {"label": "</script><script>alert(1)</script>"}))

    assert page.count("</script>") == 1


def test_a_file_name_that_is_no_unicode_does_not_stop_the_page() -> None:
    assert "photo ?.jpg" in written(tag("p", "photo \udcff.jpg"))


def test_a_table_has_a_caption_and_names_its_rows_and_columns() -> None:
    page = written(table("Cups", ("", "photos"), [["cup", "3"]]))

    assert "<caption>Cups</caption>" in page
    assert '<th scope="row">cup</th><td>3</td>' in page
    assert '<th scope="col">photos</th>' in page


def test_points_lie_where_their_figures_belong_in_a_plot() -> None:
    frame = PlotArea(percent_axis("x"), log_axis("y", 1, 100))
    left, bottom = frame.place((0, 1))
    right, top = frame.place((1, 100))
    middle = frame.place((0.5, 10))

    assert left < right
    assert top < bottom
    assert middle == pytest.approx(((left + right) / 2, (top + bottom) / 2))


def test_a_plot_tells_its_figures_to_those_who_do_not_see_it() -> None:
    marks = line([(0, 0), (1, 1)], "accent"), bars([(0, 1, 0.5)], "plain", ["half"])
    page = written(plot("Title", "what it shows", percent_axis("x"), percent_axis("y"), *marks))

    assert 'role="img"' in page
    assert 'aria-label="Title. what it shows"' in page
    assert "<title>half</title>" in page


def test_a_calibration_error_of_zero_is_in_its_own_interval() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(400) < 0.75

    def figure(places: np.ndarray) -> float:
        return abs(float(right[places].mean()) - 0.75)

    found = bootstrap_figure(figure, 400, 0.0, 1.0)

    assert found.low == 0.0
    assert found.low <= found.value <= found.high + 1e-9


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(0).normal(5.0, 2.0, 900)
    found = bootstrap_means(values[:, None], seed=0)[0]
    half = 1.96 * float(values.std()) / 30

    assert found.value == pytest.approx(float(values.mean()), abs=1e-5)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.1)


def test_strangers_are_refused_at_the_score_that_refuses_a_share_of_the_known() -> None:
    known = np.linspace(0.01, 1.0, 100)
    found = rejected_at(known, np.array([0.01, 0.02, 0.03, 0.9]), 0.05)

    assert found.value == 0.75
    assert found.low < 0.75 < found.high


def test_the_diagram_of_reliability_says_how_many_answers_of_each_confidence_are_right() -> None:
    p = np.array([[0.98, 0.02], [0.96, 0.04], [0.55, 0.45]], np.float32)
    answers = Answers(np.array([0, 1, 0]), p, np.ones((3, 4), np.float32))
    card = SimpleNamespace(temperature=1.0)
    material = SimpleNamespace(classifier=SimpleNamespace(card=card), answers=answers, raw=p)
    page = written(tag("main", *reliability(cast(Material, material))))

    assert page.count("<title>2 answers from 93% to 100%: 97.0% sure on average, 50.0% right</title>") == 2
    assert page.count("<title>1 answers from 53% to 60%: 55.0% sure on average, 100.0% right</title>") == 2


def test_a_confusion_is_counted_from_what_is_shown_to_what_is_answered() -> None:
    p = np.eye(3, dtype=np.float32)[[0, 1, 1, 2]]
    found = count_pairs(Answers(np.array([0, 0, 1, 1]), p, np.ones((4, 1), np.float32)))

    assert found.tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 0]]


def test_another_label_that_is_right_too_is_no_confusion() -> None:
    p = np.eye(3, dtype=np.float32)[[1, 2]]
    accepted: tuple[frozenset[int], ...] = (frozenset({1}), frozenset())
    found = count_pairs(Answers(np.array([0, 0]), p, np.ones((2, 1), np.float32), accepted=accepted))

    assert found.tolist() == [[1, 0, 1], [0, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize(("above", "says"), [(0.2, "beats both a random order"), (-0.2, "does not beat both")])
def test_the_overlay_is_called_honest_only_where_it_beats_chance_and_the_middle(
    tmp_path: Path, above: float, says: str
) -> None:
    difference = {"deletion": Interval(-above, -above, -above), "insertion": Interval(above, above, above)}
    findings = [
        FaithfulnessFinding(
            name=name, about=name, given_by="classify", photos=3,
            curves={"deletion": [0.9, 0.1], "insertion": [0.1, 0.9]},
            areas={"deletion": Interval(0.3, 0.2, 0.4), "insertion": Interval(0.6, 0.5, 0.7)},
            against=dict.fromkeys(BASELINES, difference),
        )
        for name in ("attention", *BASELINES)
    ]  # fmt: skip
    verdict = FaithfulnessResult(
        model="cup", digest="other", revision="", data="cups", split="heldout", photos=3, seed=0, draws=9,
        random_orders=1, steps=[0, 4], shown="attention", ms={}, whole=0.9, nothing={"blur": 0.1},
        findings={"blur": findings}, command="", machine="", date="2026-01-02",
    )  # fmt: skip
    (tmp_path / "cup.tflite").write_bytes(b"a model")
    of = SimpleNamespace(
        faithfulness=verdict, classifier=SimpleNamespace(path=tmp_path / "cup.tflite"), data="cups", part="heldout"
    )
    page = written(tag("main", *overlay_faithfulness(cast(Material, of))))

    assert says in page
    assert "these figures are of another export of cup" in page.lower()
    assert "0.200 to 0.400" in page
