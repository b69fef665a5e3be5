"""Pictures full of detail that show nothing with a label."""

import numpy as np
import pytest

from vitcam_training.data.blank import SIZES
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import NOTHING, photo_of
from vitcam_training.data.no_thing import KINDS, SEEDS, no_thing_picture

FIRST = SEEDS["heldout"][0]


@pytest.mark.parametrize("seed", range(FIRST, FIRST + len(KINDS)))
def test_a_picture_is_that_of_its_seed_and_has_detail(seed: int) -> None:
    picture = no_thing_picture(seed)

    assert picture.dtype == np.uint8
    assert picture.shape[:2] in SIZES
    assert np.array_equal(picture, no_thing_picture(seed))
    assert not np.array_equal(picture, no_thing_picture(seed + len(KINDS)))
    assert picture.std() > 5


def test_each_kind_comes_equally_often_and_no_picture_is_in_two_parts() -> None:
    found = open_dataset("no-thing")
    kinds = [sample.path.parent.name for sample in found.parts["heldout"]]

    assert {kinds.count(kind.__name__) for kind in KINDS} == {25}
    assert not {each.path for each in found.parts["choose"]} & {each.path for each in found.parts["heldout"]}
    assert {sample.label for sample in found.parts["heldout"]} == {NOTHING}
    assert np.array_equal(photo_of(found.parts["heldout"][0]), no_thing_picture(FIRST))


def test_the_name_of_a_page_is_right_for_a_printed_one_only() -> None:
    found = open_dataset("no-thing")
    accepted = {each.path.parent.name: {found.labels[i] for i in each.accepted} for each in found.parts["choose"]}

    assert "menu" in accepted["printed_page"]
    assert accepted["digits"] == accepted["logo"] == accepted["line_drawing"] == set()
