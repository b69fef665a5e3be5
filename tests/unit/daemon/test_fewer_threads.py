"""The camera's classifier while the processor is hot."""

import gc
import weakref

import pytest

from tests import frames
from vitcam.daemon.classifiers import CameraClassifier
from vitcam.model.classifier import Classifier
from vitcam.pipeline.limits import PaceLimits
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.web.stream.variant import Demand


def test_fewer_threads_give_the_same_answer_and_their_interpreter_goes_when_all_are_used_again() -> None:
    classifier = Classifier("mnist", threads=2)
    image = frames.picture(100, 200)
    threaded = CameraClassifier(Current(RunModel.of(classifier)), limits=PaceLimits(), demand=Demand())

    all_before = threaded.with_threads(0)
    fewer = threaded.with_threads(1)
    answers = [each.classify_image(image).top[0] for each in (all_before, fewer)]
    kept = threaded.with_threads(1) is fewer
    gone, threads = weakref.ref(fewer), fewer.runtime.threads
    del fewer
    all_again = threaded.with_threads(0)
    gc.collect()

    assert all_before is all_again is classifier
    assert threads == 1
    assert kept
    assert answers[0].label == answers[1].label
    assert answers[0].p == pytest.approx(answers[1].p, abs=1e-4)
    assert gone() is None
