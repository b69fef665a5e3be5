"""Frames of films that are classified at the same time: in order, bounded, and only where none depends on another."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.eventually import eventually
from tests.frames import frame
from tests.pipelines import PATIENCE_S, Numbered, answer
from vitcam.errors import ModelError
from vitcam.follow.follower import Follower
from vitcam.frames import Frame, Prediction
from vitcam.heat.watch import HeatLimits
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Region
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.pipeline.replicas import Finish, FramesInFlight, Infer, Returnable
from vitcam.slot import Handover
from vitcam.zones.active import ActiveAreas
from vitcam.zones.areas import NO_AREAS, Areas, Zone

LEFT = Areas((Zone("left", Region(0, 0, 0.5, 1)),))


def infer(frame: Frame) -> Finish:
    return lambda: answer(frame)


@dataclass
class Made:
    """Replicas that count how often they were made, and how many are at work."""

    count: int = 2
    infer: Infer = infer
    outdated: bool = False
    given_back: int = 0
    made: int = 0
    at_work: int = 0
    most: int = 0
    seqs: list[int] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ready(self) -> Sequence[Infer]:
        assert self.at_work == 0, "a replica works while others are made"
        self.made, self.outdated = self.made + 1, False
        return [self._one] * self.count

    def give_back(self) -> None:
        assert self.at_work == 0
        self.given_back += 1

    def _one(self, frame: Frame) -> Finish:
        with self.lock:
            self.at_work += 1
            self.most = max(self.most, self.at_work)
            self.seqs.append(frame.seq)
        try:
            return self.infer(frame)
        finally:
            with self.lock:
                self.at_work -= 1


class Run:
    """A pipeline with replicas, what it publishes, and which frames were classified one after the other."""

    def __init__(
        self, replicas: Made, publish: Callable[[Frame, Prediction], None] | None = None, **options: Any
    ) -> None:
        self.one_by_one: list[int] = []
        self.published: list[int] = []
        self.areas = ActiveAreas()
        self.pipeline = Pipeline(
            PipelineOptions("test", "model", replicas=replicas, areas=self.areas, **options),
            self._classify,
            publish or self._publish,
        )

    def _publish(self, _: Frame, prediction: Prediction) -> None:
        self.published.append(prediction.seq)

    def _classify(self, frame: Frame) -> Prediction:
        self.one_by_one.append(frame.seq)
        return answer(frame)

    def play(self, source: Numbered) -> "Run":
        """To its end."""
        self.pipeline.start(lambda: source)
        assert self.pipeline.over.wait(PATIENCE_S)
        assert self.pipeline.stop(PATIENCE_S)
        return self


def each_waits_for(step: threading.Semaphore) -> Callable[[Frame, Prediction], None]:
    """A sink that takes a prediction for each release."""

    def publish(*_: object) -> None:
        step.acquire(timeout=PATIENCE_S)

    return publish


@pytest.fixture(autouse=True)
def no_thread_stays() -> Iterator[None]:
    yield
    assert eventually(lambda: not [each for each in threading.enumerate() if each.name.startswith("replica")])


def test_each_replica_has_a_frame_of_its_own_and_answers_keep_the_order() -> None:
    both, second_is_done = threading.Barrier(2), threading.Event()

    def second_first(frame: Frame) -> Finish:
        if frame.seq in (1, 2):
            both.wait(PATIENCE_S)
        if frame.seq == 1:
            assert second_is_done.wait(PATIENCE_S)
        second_is_done.set()
        return infer(frame)

    replicas = Made(infer=second_first)
    run = Run(replicas).play(Numbered(100))

    assert run.published == list(range(100))
    assert run.pipeline.state().frames.classified == 100
    assert run.pipeline.failure is None
    assert run.one_by_one == [0], "the first answer does not wait for replicas"
    assert replicas.most == 2


@pytest.mark.parametrize("count", [1, 3])
def test_one_frame_more_than_there_are_replicas_is_on_its_way(count: int) -> None:
    go_on, given = threading.Semaphore(0), list[int]()

    class Counted(Numbered):
        def __iter__(self) -> Iterator[Frame]:
            for shown in super().__iter__():
                given.append(shown.seq)
                yield shown

    def wait(frame: Frame) -> Finish:
        assert go_on.acquire(timeout=PATIENCE_S)
        return infer(frame)

    replicas = Made(count, wait)
    run = Run(replicas)
    run.pipeline.start(lambda: Counted(30))

    # the first was classified before there were replicas, one waits to be taken, and one waits for its place
    bound = 1 + (count + 1) + 1 + 1
    assert eventually(lambda: len(given) == bound)
    assert not eventually(lambda: len(given) > bound, within_s=0.1)
    assert replicas.at_work == count
    assert run.pipeline.progress().infer_ms == answer(frame()).ms.infer / count, "the heat governor sees all threads"
    go_on.release(30)
    assert run.pipeline.over.wait(PATIENCE_S)
    assert sorted(replicas.seqs) == list(range(1, 30))
    run.pipeline.stop(PATIENCE_S)


def test_a_pipeline_that_stops_while_a_frame_is_taken_ends_well() -> None:
    stopping = threading.Event()
    frames = Handover[Frame](stopping)
    assert frames.put(frame(), live=False)

    def stop() -> bool:
        stopping.set()
        return True

    assert list(FramesInFlight(Made(), ActiveAreas()).results(Returnable(frames), stop)) == []


def test_an_answer_does_not_wait_for_the_next_frame() -> None:
    released = threading.Semaphore(0)

    class Slow(Numbered):
        def __iter__(self) -> Iterator[Frame]:
            for shown in super().__iter__():
                yield shown
                assert released.acquire(timeout=PATIENCE_S)

    run = Run(Made())
    run.pipeline.start(lambda: Slow(3))
    for seq in range(3):
        assert eventually(lambda seq=seq: run.published == list(range(seq + 1)))  # type: ignore[misc]
        released.release()
    assert run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(PATIENCE_S)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"max_fps": 1000.0}, id="rate"),
        pytest.param({"follower": Follower("motion", InputSpec(8, 8, "squash"), lambda: None)}, id="follow"),
        pytest.param({"areas": LEFT}, id="zones"),
        pytest.param({"live": True}, id="live"),
    ],
)
def test_frames_that_depend_on_others_or_do_not_wait_are_classified_one_after_the_other(
    options: dict[str, Any],
) -> None:
    replicas, source = Made(), Numbered(5, live=options.pop("live", False))
    areas = options.pop("areas", NO_AREAS)
    run = Run(replicas, **options)
    run.areas.become(ActiveAreas(areas))
    run.play(source)

    assert replicas.made == 0
    assert replicas.seqs == []
    assert run.one_by_one


def test_what_changes_while_a_film_plays_takes_effect_within_a_few_frames() -> None:
    step, limits, replicas = threading.Semaphore(0), HeatLimits(), Made()
    run = Run(replicas, each_waits_for(step), heat_limits=limits)
    run.pipeline.start(lambda: Numbered(2000))
    most = 8  # frames that may be on their way to the sink

    def plays(other: Callable[[], bool]) -> bool:
        step.release(most)
        return eventually(other)

    assert plays(lambda: len(replicas.seqs) >= most)
    run.areas.become(ActiveAreas(LEFT))
    before, given_back = len(run.one_by_one), replicas.given_back
    assert plays(lambda: len(run.one_by_one) > before)
    assert eventually(lambda: replicas.given_back > given_back)
    run.areas.become(ActiveAreas())
    assert plays(lambda: replicas.made == 2)
    replicas.outdated = True
    assert plays(lambda: replicas.made == 3)
    limits.max_fps = 10_000.0
    before = len(run.one_by_one)
    assert plays(lambda: len(run.one_by_one) > before)
    step.release(2000)
    assert run.pipeline.stop(PATIENCE_S)

    every = sorted(replicas.seqs + run.one_by_one)
    assert every == list(range(len(every))), "no frame is lost, and none is classified twice"


def test_what_was_followed_is_forgotten_once_nothing_is_followed_any_more() -> None:
    follower, replicas = Follower("motion", InputSpec(8, 8, "squash"), lambda: None), Made()
    run = Run(replicas, follower=follower)
    run.pipeline.start(lambda: Numbered(5000, every_s=0.001))
    followed = eventually(lambda: follower.moved_ns(None) is not None)
    made_before = replicas.made
    follower.follow = "off"

    assert followed
    assert made_before == 0
    assert eventually(lambda: replicas.made == 1)
    assert eventually(lambda: follower.moved_ns(None) is None)
    assert run.pipeline.stop(PATIENCE_S)


def test_a_film_ends_with_the_error_of_a_frame_after_the_answers_before_it() -> None:
    def broken(frame: Frame) -> Finish:
        if frame.seq == 7:
            raise ModelError("probabilities that are not numbers")
        return infer(frame)

    run = Run(Made(infer=broken)).play(Numbered(50))

    assert run.published == list(range(7))
    assert str(run.pipeline.failure) == "probabilities that are not numbers"


@pytest.mark.parametrize("late", [False, True], ids=["inference", "prediction"])
def test_a_frame_that_fails_is_left_out_where_somebody_may_watch(late: bool) -> None:
    def fail() -> Prediction:
        raise ZeroDivisionError("oh")

    def broken(frame: Frame) -> Finish:
        if frame.seq != 3:
            return infer(frame)
        return fail if late else fail()  # type: ignore[return-value]

    run = Run(Made(infer=broken), lasting=True).play(Numbered(8))

    assert run.published == [0, 1, 2, 4, 5, 6, 7]
    assert run.pipeline.failure is None
    assert run.pipeline.faults()["classify_stage"] == 1


@pytest.mark.fault(
    "one of several inferences of a film hangs",
    injected="a replica that never answers",
    observed="the answers before it come; the heartbeat is old; the end waits for nothing",
)
def test_a_replica_that_hangs_shows_in_the_heartbeats_and_the_end_does_not_wait_for_it() -> None:
    forever = threading.Event()

    def hang(frame: Frame) -> Finish:
        if frame.seq == 5:
            forever.wait(PATIENCE_S)
        return infer(frame)

    run = Run(Made(infer=hang))
    run.pipeline.start(lambda: Numbered(50))
    all_before = eventually(lambda: len(run.published) == 5)
    since_ns = eventually(lambda: run.pipeline.heartbeats().classifying_since_ns)
    ended = run.pipeline.stop(0.2)
    forever.set()

    assert all_before
    assert since_ns is not None
    assert not ended, "a thread is left inside the model"
    assert run.pipeline.stop(PATIENCE_S)


@pytest.mark.fault(
    "no thread for a replica",
    injected="`can't start new thread`",
    observed="the state says so; the film goes on, once there is a thread",
)
def test_where_the_system_gives_no_thread_the_state_says_so_and_the_film_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start, refused = threading.Thread.start, list[str]()

    def limited(thread: threading.Thread) -> None:
        if thread.name == "replica 1" and not refused:
            refused.append(thread.name)
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    run = Run(Made(), lasting=True)
    run.pipeline.start(lambda: Numbered(2000, every_s=0.001))

    assert eventually(lambda: "can't start new thread" in run.pipeline.stage_trouble)
    assert eventually(lambda: run.published and not run.pipeline.stage_trouble)
    assert run.pipeline.stop(PATIENCE_S)
