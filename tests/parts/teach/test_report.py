"""What is said of a teaching."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.parts.teach.examples import EMBEDDING, before_a_wall, clouds, strangers
from vitcam.interval import wilson
from vitcam.parts.teach.head import Head, head_alone
from vitcam.parts.teach.learn import Teacher
from vitcam.parts.teach.record import report_lines, report_record
from vitcam.parts.teach.report import (
    Report,
    Share,
    accuracy_of,
    advice_for,
    confused_in,
    explained_by_background,
    suspects_of,
    suspicion,
)


def head_of(examples: object) -> Head:
    teacher = Teacher(examples, strangers(), EMBEDDING, alone=True)  # type: ignore[arg-type]
    return head_alone(examples, teacher.learn(lambda _done, _total: None))  # type: ignore[arg-type]


def test_photos_with_exchanged_labels_are_the_first_suspects() -> None:
    examples = clouds(labels=5, photos=20, spread=1.0)
    rng = np.random.default_rng(0)
    wrong = rng.permutation(100)[:10]
    of = examples.of.copy()
    of[wrong] = (of[wrong] + rng.integers(1, 5, 10)) % 5
    exchanged = replace(examples, of=of)
    held = head_of(exchanged).held
    first = [place for place, _, _ in suspicion(exchanged, held)][:15]
    named = suspects_of(exchanged, held)

    assert len(set(first) & set(wrong.tolist())) >= 9
    assert named[0].name in {examples.names[i] for i in wrong}
    assert named[0].label != named[0].looks_like == examples.labels[examples.of[first[0]]]


def test_photos_that_are_named_right_are_no_suspects() -> None:
    examples = clouds(spread=0.2)

    assert suspects_of(examples, head_of(examples).held) == ()


def test_confused_labels_are_named_with_their_photos() -> None:
    examples = clouds(labels=2, photos=4)
    held = np.zeros((8, 3))
    held[np.arange(8), examples.of] = 1.0
    held[2] = [0.1, 0.9, 0]
    held[3] = [0.3, 0.7, 0]
    held[7] = [0.1, 0.1, 0.8]
    found = confused_in(examples, replace(head_of(examples), held=held), "none of these")

    assert [(pair.label, pair.taken_for, pair.count) for pair in found] == [
        ("label 0", "label 1", 2), ("label 1", "none of these", 1),
    ]  # fmt: skip
    assert found[0].names == (examples.names[2], examples.names[3])


def test_a_label_is_named_whose_background_explains_it() -> None:
    examples, others = before_a_wall()
    right = replace(head_of(examples), held=np.eye(3)[examples.of], held_others=np.tile([0.1, 0.1, 0.8], (100, 1)))
    wrong = np.where((others.source >= 0)[:, None], [0.9, 0.05, 0.05], right.held_others)

    assert explained_by_background(examples, others, right) == ()
    assert explained_by_background(examples, others, replace(right, held_others=wrong)) == ("label 0",)


def test_a_photo_whose_label_is_in_no_other_fold_says_nothing() -> None:
    examples = clouds(labels=2, photos=5)
    examples = replace(examples, folds=np.where(examples.of == 1, 2, examples.folds))
    share = accuracy_of(examples, np.tile([1.0, 0.0, 0.0], (10, 1)))

    assert share == Share(5, 5)
    assert accuracy_of(replace(examples, folds=np.zeros(10, np.intp)), np.zeros((10, 3))) is None


@pytest.mark.parametrize(
    ("right", "half", "words"),
    [(97, 96, "good enough"), (85, 70, "More pictures will help"), (85, 84, "another light")],
)
def test_the_learning_curve_becomes_advice(right: int, half: int, words: str) -> None:
    examples = clouds(labels=2, photos=50)
    said = advice_for(examples, Share(right, 100), Share(half, 100), np.eye(3)[examples.of], ())

    assert words in said[0]


@pytest.mark.parametrize("which", ["weak", "few", "single"])
def test_what_needs_more_pictures_is_not_called_good_enough(which: str) -> None:
    examples = clouds(labels=2, photos=5 if which == "few" else 50)
    answers = np.zeros_like(examples.of) if which == "weak" else examples.of
    good = Share(97, 100)

    said = advice_for(examples, good, good, np.eye(3)[answers], ("label 0",) if which == "single" else ())

    assert len(said) == 1
    assert "good enough" not in said[0]


def test_weak_labels_few_pictures_and_single_recordings_are_named() -> None:
    examples = clouds(labels=2, photos=5)
    held = np.tile([1.0, 0.0, 0.0], (10, 1))
    said = " ".join(advice_for(examples, Share(5, 10), Share(5, 10), held, ("label 0",)))

    assert "'label 1' is recognised least often" in said
    assert "fewer than 10 pictures of 'label 0' and 'label 1'" in said
    assert "'label 0' are from one recording" in said


def test_a_report_is_json_and_lines() -> None:
    report = Report(
        "m", (("a", 3), ("b", 4)), Share(6, 7), None, (), (), Share(5, 7), ("Take more.",), (), lost=Share(1, 250),
        background=("a",),
    )  # fmt: skip
    record, lines = report_record(report), list(report_lines(report))

    assert record["accuracy"]["low"] == wilson(6, 7)[0]
    assert record["held_out"] is None
    assert lines[0] == "m knows 2 labels from 7 pictures"
    assert (record["lost"]["count"], record["stolen"]) == (1, None)
    assert "takes 0.4% of 250 pictures (95 % interval" in " ".join(lines)
    assert any("'a' is recognised as surely where the thing is painted out" in line for line in lines)
    assert lines[-1] == "Take more."
