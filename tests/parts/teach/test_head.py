"""How a head is made sure of itself, and what it takes for none of its labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.parts.teach.examples import EMBEDDING, WALL, WIDTH, before_a_wall, clouds, of_bank, strangers
from vitcam.parts.teach.examples import Examples, Others
from vitcam.parts.teach.head import LOST, REJECTED, Head, head_alone, head_beside
from vitcam.parts.teach.learn import GAIN, Learned, Reading, Teacher

NOBODY = of_bank(np.zeros((0, WIDTH), np.float32))


def learned(examples: Examples, others: Others, alone: bool = True) -> Learned:
    return Teacher(examples, others, EMBEDDING, alone).learn(lambda _done, _total: None)


def logits(head: Head, read: np.ndarray) -> np.ndarray:
    return np.asarray(read @ head.taught.rows.rows.T + head.taught.rows.offsets)


def test_one_in_twenty_of_the_held_out_photos_is_taken_for_none_of_the_labels() -> None:
    examples = clouds(spread=1.5)
    head = head_alone(examples, learned(examples, strangers()))
    none = head.held[:, :-1].max(1) < head.held[:, -1]

    assert none.mean() == pytest.approx(REJECTED, abs=0.02)


@pytest.mark.parametrize("others", [strangers(), NOBODY], ids=["with a bank", "without a bank"])
def test_strange_photos_are_none_of_the_labels_and_new_ones_of_the_labels_are_known(others: Others) -> None:
    examples, new = clouds(), clouds(seed=5)
    head = head_alone(examples, learned(examples, others))
    own, strange = logits(head, new.read), logits(head, strangers(seed=9).read)

    assert (own[:, :-1].argmax(1) == new.of).mean() > 0.95
    assert (own[:, :-1].max(1) > own[:, -1]).mean() > 0.8
    if len(others):
        assert (strange[:, :-1].max(1) < strange[:, -1]).mean() > 0.8


def test_probabilities_are_as_high_as_answers_are_often_right() -> None:
    examples = clouds(photos=60, spread=4.0)
    head = head_alone(examples, learned(examples, NOBODY))
    p = head.held[:, :-1] / head.held[:, :-1].sum(1, keepdims=True)

    assert p.max(1).mean() == pytest.approx((p.argmax(1) == examples.of).mean(), abs=0.08)


def test_rows_that_stand_alone_are_even_so_that_evidence_adds_up() -> None:
    examples = clouds()
    rows = head_alone(examples, learned(examples, strangers())).taught.rows

    np.testing.assert_allclose(rows.rows.mean(0), 0, atol=1e-6)
    assert rows.offsets.mean() == pytest.approx(0, abs=1e-5)


def test_added_labels_are_right_and_the_base_keeps_its_answers() -> None:
    examples, others = clouds(), strangers()
    head = head_beside(examples, others, learned(examples, others, alone=False))
    new, strange = logits(head, clouds(seed=5).read), logits(head, strangers(seed=9).read)

    assert ((new.argmax(1) == examples.of) & (new.max(1) > 2.0 - 0.1)).mean() > 0.9
    assert (strange.max(1) < 4.0 + np.log(0.9)).mean() > 0.9
    assert (head.held_others.argmax(1) < len(examples.labels)).mean() <= LOST


def test_where_added_labels_look_like_those_of_the_base_they_give_way() -> None:
    examples = clouds()
    alike = of_bank(clouds(seed=8).read)
    taught = learned(examples, alike, alone=False)
    head = head_beside(examples, alike, taught)
    most = (taught.held_others + head.offset).max(1)

    assert (most >= 4.0 + np.log(0.9)).mean() <= LOST
    assert head.held.argmax(1).tolist().count(3) > 10


def test_what_stands_before_the_wall_of_the_photos_is_not_taken_for_their_things() -> None:
    examples, others = before_a_wall()
    strange = strangers(seed=9).read + WALL

    def taken(some: Others) -> float:
        head = head_beside(examples, some, learned(examples, some, alone=False))
        return float((logits(head, strange).max(1) > 4.0 + np.log(0.9)).mean())

    assert taken(strangers()) > 0.2
    assert taken(others) < taken(strangers()) / 3


def test_the_patches_are_read_only_where_they_help() -> None:
    rng = np.random.default_rng(0)
    examples = clouds(photos=30)
    blind = examples.read.copy()
    blind[:, :EMBEDDING] = rng.normal(size=(len(examples), EMBEDDING))

    assert learned(examples, strangers()).reading == Reading(patches=False)
    assert learned(replace(examples, read=blind), NOBODY).reading == Reading(patches=True)
    assert 0 < GAIN < 0.05
    places = Reading(patches=True).places(WIDTH, EMBEDDING).tolist()
    assert places == [*range(EMBEDDING), *range(EMBEDDING + (WIDTH - EMBEDDING) // 2, WIDTH)]
