"""What is displayed of a clip, compared with what was seen by eye."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.needs import need_model
from tests.videos import write_video
from vitcam.model.classifier import Classifier
from vitcam.model.groups import Groups
from vitcam_training.evaluation.clips import RIGHT, UNSURE, WRONG, Names, measure

GOLDEN = Path(__file__).parents[4] / "models/golden"


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


def test_seconds_and_events_of_a_clip_are_judged_by_what_is_to_be_seen(tmp_path: Path) -> None:
    """A cup for four seconds, then a grey wall for two."""
    cup = cv2.resize(cv2.imread(str(GOLDEN / "coffee.jpg")), (240, 240))
    wall = np.full((240, 240, 3), 90, np.uint8)
    clip = write_video(tmp_path / "cup.mp4", [cup] * 20 + [wall] * 10, fps=5)
    seen = (frozenset({"cup", "drink"}),) * 4 + (frozenset({"nothing"}),) * 2
    classifier = Classifier("everyday", threads=1)
    right = measure(clip, seen, classifier)
    wrong = measure(clip, (frozenset({"person"}),) * 6, classifier)

    assert right.seconds[1:4] == (RIGHT,) * 3
    assert right.seconds[5] == RIGHT
    assert right.displayed[5] is None
    assert [event[3] for event in right.events] == [True]
    assert wrong.seconds[1:4] == (WRONG,) * 3
    assert [event[3] for event in wrong.events] == [False]
