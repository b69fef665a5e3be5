"""The interpreters of a film: how many there are, what they take over, and that their answers are the same."""

import gc
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests import frames
from tests.pipelines import PATIENCE_S, Numbered
from vitcam.config.load import merge_layers
from vitcam.daemon.assembly import assemble
from vitcam.daemon.classifiers import CameraClassifier
from vitcam.daemon.parts import RunOptions
from vitcam.daemon.replicas import FilmReplicas
from vitcam.frames import Frame, Prediction, Timings
from vitcam.heat.watch import HeatLimits
from vitcam.machine import Machine
from vitcam.model.classifier import Classifier
from vitcam.pictures.encode import encode_png
from vitcam.pictures.resize import frame_of_picture
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.pipeline.replicas import Infer, Replicas
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.sources import open_source
from vitcam.sources.source import SourceOptions
from vitcam.web.stream.variant import Demand, Variant


class Parts:
    """Of a run, as `assemble` connects them."""

    def __init__(self, root: Path, model: str = "mnist", threads: int = 3, available_mb: int = 4096) -> None:
        (root / "proc").mkdir(exist_ok=True)
        (root / "proc/meminfo").write_text(f"MemAvailable: {available_mb * 1024} kB\n")
        self.limits, self.demand = HeatLimits(), Demand()
        self.model = Current(RunModel.of(Classifier(model, threads=threads)))
        self.camera = CameraClassifier(self.model, limits=self.limits, demand=self.demand)
        self.replicas = FilmReplicas(
            self.model, self.camera, limits=self.limits, demand=self.demand, machine=Machine({}, root)
        )

    @property
    def classifier(self) -> Classifier:
        return self.model.value.classifier

    def classifiers(self) -> list[Classifier]:
        """Those behind the replicas."""
        return [replica.classifier for replica in self.replicas.ready()]


def picture_of(classifier: Classifier) -> Frame:
    return frame_of_picture(frames.picture(28, 28), classifier.input, "film")


def test_there_is_an_interpreter_with_one_thread_for_each_thread_that_may_run(tmp_path: Path) -> None:
    parts = Parts(tmp_path)
    counts = []
    for limit in (0, 2):
        parts.limits.threads = limit
        counts.append([each.runtime.threads for each in parts.classifiers()])

    assert counts == [[1, 1, 1], [1, 1]]


@pytest.mark.parametrize(("web", "at_once"), [("false", True), ("true", False)], ids=["at full rate", "a slideshow"])
def test_only_photos_at_full_rate_have_replicas_since_the_history_of_a_slideshow_asks_the_cameras_interpreter(
    tmp_path: Path, web: str, at_once: bool
) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}.png").write_bytes(encode_png(frames.picture(28, 28)))
    sets = [
        f"camera.source={tmp_path}",
        "camera.every=50ms",
        "model.name=mnist",
        "model.threads=1",
        f"web.enabled={web}",
    ]
    settings = merge_layers(None, sets, {}, {}, Path("/nonexistent")).settings
    daemon = assemble(RunOptions(settings, lambda: settings), {"STATE_DIRECTORY": str(tmp_path / "state")}, False)
    found: set[str] = set()
    daemon.pipeline.start(daemon.open_source)
    try:
        while not daemon.pipeline.over.wait(0.001) and daemon.pipeline.state().frames.classified < 15:
            found |= {thread.name for thread in threading.enumerate()}
    finally:
        daemon.trials.close()
        daemon.pipeline.stop(PATIENCE_S)
        daemon.photos.close()

    assert any(name.startswith("replica") for name in found) == at_once


def test_one_thread_takes_the_cameras_own_interpreter_and_no_further_memory(tmp_path: Path) -> None:
    parts = Parts(tmp_path, threads=1)

    assert parts.classifiers() == [parts.classifier]


@pytest.mark.parametrize(("available_mb", "threads"), [(60, [3]), (80, [1, 1]), (0, [3])])
def test_where_memory_is_short_there_are_fewer(tmp_path: Path, available_mb: int, threads: list[int]) -> None:
    parts = Parts(tmp_path, available_mb=available_mb)

    assert [each.runtime.threads for each in parts.classifiers()] == threads


def test_they_are_made_anew_for_another_model_or_number_of_threads_and_nothing_else(tmp_path: Path) -> None:
    parts = Parts(tmp_path, threads=2)
    parts.replicas.ready()
    seen = [parts.replicas.outdated]
    parts.limits.threads = 1
    seen.append(parts.replicas.outdated)
    parts.replicas.ready()
    seen.append(parts.replicas.outdated)
    parts.model.value = RunModel.of(Classifier("cifar10", threads=2))
    seen.append(parts.replicas.outdated)

    assert seen == [False, True, False, True]


def test_their_memory_is_given_back(tmp_path: Path) -> None:
    parts = Parts(tmp_path)
    gone = [weakref.ref(each.graph) for each in parts.classifiers()]
    parts.replicas.give_back()
    gc.collect()

    assert [each() for each in gone] == [None] * 3


def test_a_reload_and_viewers_reach_them_with_the_next_frame(tmp_path: Path) -> None:
    parts = Parts(tmp_path, threads=2)
    (infer, _), frame = parts.replicas.ready(), picture_of(parts.classifier)
    before = infer(frame)()
    parts.classifier.top_k = 2
    with parts.demand.watching(Variant("rollout")):
        watched = infer(frame)()

    assert (len(before.top), before.rollout) == (5, None)
    assert len(watched.top) == 2
    assert watched.rollout is not None


class Played(Numbered):
    """Frames that are there already."""

    def __init__(self, shown: Sequence[Frame]) -> None:
        super().__init__(0)
        self._shown = shown

    def __iter__(self) -> Iterator[Frame]:
        return iter(self._shown)


def published(options: PipelineOptions, camera: CameraClassifier, shown: Sequence[Frame]) -> list[Prediction]:
    found: list[Prediction] = []
    pipeline = Pipeline(options, camera, lambda _, prediction: found.append(prediction))
    pipeline.start(lambda: Played(shown))
    assert pipeline.over.wait(3 * PATIENCE_S)
    assert pipeline.stop(PATIENCE_S)
    return found


def test_a_film_gets_the_same_answers_bit_for_bit_as_one_frame_after_the_other(tmp_path: Path) -> None:
    parts = Parts(tmp_path, "everyday", threads=2)
    spec = parts.classifier.input
    with open_source("demo", SourceOptions(input=spec, realtime=False, loop=False)) as clip:
        shown = [frame for number, frame in enumerate(clip) if number % 10 == 0][:30]
    used: list[int] = []

    class Counted:
        outdated = False

        def ready(self) -> Sequence[Infer]:
            used.append(1)
            return parts.replicas.ready()

        def give_back(self) -> None:
            parts.replicas.give_back()

    def run(replicas: Replicas | None) -> list[Prediction]:
        return published(PipelineOptions("test", "everyday", replicas=replicas, input=spec), parts.camera, shown)

    one_by_one, several = run(None), run(Counted())

    assert used == [1]
    assert len(several) == len(one_by_one) == 30
    for a, b in zip(one_by_one, several, strict=True):
        for name in ("attention", "embedding", "evidence"):
            assert np.array_equal(getattr(a, name), getattr(b, name)), name
        assert plain(a) == plain(b)


def plain(prediction: Prediction) -> list[object]:
    """What is no array, without how long it took."""
    same = replace(prediction, ms=Timings(0, 0, 0, 0))
    values = (getattr(same, name) for name in type(same).__slots__)
    return [value for value in values if not isinstance(value, np.ndarray)]
