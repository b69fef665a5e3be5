import sys
from types import FrameType

from tests.frames import frame
from vitcam.model.classifier import Classifier
from vitcam.model.runtime import default_threads


def test_one_core_is_left_for_the_rest_only_where_there_are_four() -> None:
    assert [default_threads(cores) for cores in (1, 2, 3, 4, 8)] == [1, 2, 3, 3, 7]


def test_a_profiler_that_keeps_frames_does_not_stop_the_model() -> None:
    classifier = Classifier("mnist", threads=1)
    kept: list[FrameType] = []

    def keep(frame: FrameType, event: str, argument: object) -> None:  # as Dask's does, for ten milliseconds
        kept.append(frame)

    before = sys.getprofile()
    sys.setprofile(keep)
    try:
        first = classifier(frame(0))
    finally:
        sys.setprofile(before)

    assert any("runtime" in each.f_code.co_filename for each in kept)
    assert classifier(frame(0)).top == first.top
