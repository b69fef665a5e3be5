"""What is displayed of a clip, compared with what was seen by eye."""

import pytest

from tests.parts import need_model
from vitcam.model.classifier import Classifier
from vitcam.model.groups import Groups
from vitcam_training.evaluation.clips import RIGHT, UNSURE, WRONG, Names


@pytest.fixture
def names() -> Names:
    """Of a model of ten digits: 8 and 9 are large, 0 to 3 small."""
    classifier = Classifier(need_model("mnist"))
    classifier.groups = Groups({"large": (8, 9), "small": (0, 1, 2, 3), "digit": tuple(range(10))}, 10)
    return Names(classifier)


@pytest.mark.parametrize(
    ("name", "things", "verdict"),
    [
        ("9", {"large"}, RIGHT),
        ("digit", {"large"}, RIGHT),
        ("small", {"large"}, WRONG),
        ("small", {"large", "2"}, RIGHT),
        (None, {"large"}, UNSURE),
        (None, {"large", "nothing"}, RIGHT),
        ("9", {"nothing"}, WRONG),
        ("9", {"a word that the model does not have"}, WRONG),
    ],
)
def test_a_kind_of_the_thing_or_a_group_that_holds_it_is_right(
    names: Names, name: str | None, things: set[str], verdict: str
) -> None:
    assert names.judge(name, things) == verdict
