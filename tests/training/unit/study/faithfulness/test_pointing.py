"""The pointing game: which share of a map lies on which half."""

import numpy as np
import pytest

from tests.needs import need_data
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.evaluation.model_file import open_model
from vitcam_training.study.faithfulness.pointing import measure, share_on, side_by_side, table


def test_two_photos_stand_beside_each_other() -> None:
    red, blue = (np.full((60, 100, 3), colour, np.uint8) for colour in ((250, 0, 0), (0, 0, 250)))
    found = side_by_side(red, blue, InputSpec(224, 224))

    assert found.shape == (224, 224, 3)
    assert (found[:, :112] == red[0, 0]).all()
    assert (found[:, 112:] == blue[0, 0]).all()


@pytest.mark.parametrize(
    ("weights", "left"),
    [
        ([[1, 1, 0, 0]], 1.0),
        ([[1, 1, 1, 1]], 0.5),
        ([[3, 0, -9, 1]], 0.75),  # what speaks against the answer points nowhere
        ([[0, 1, 0]], 0.5),  # a column in the middle belongs to both
    ],
)
def test_the_share_of_a_half_is_that_of_the_positive_weights(weights: list[list[float]], left: float) -> None:
    assert share_on(0, np.array(weights, float)) == pytest.approx(left)
    assert share_on(1, np.array(weights, float)) == pytest.approx(1 - left)


def test_the_evidence_of_the_bundled_model_lies_on_the_thing_that_it_names() -> None:
    need_data("imagenet_samples")
    dataset = open_dataset("imagenet-things")
    found = measure(open_model("everyday", dataset, 1), dataset, 40)

    assert found.named > 20
    assert found.share["evidence"].low > 0.6
    assert f"{found.named} of {found.pairs} pairs" in table(found)[0]
