"""Which zones of which frames are classified, and what viewers and sinks get of them."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tests.eventually import eventually
from tests.frames import frame, picture
from tests.pipelines import PATIENCE_S, Numbered, answer, taking
from vitcam.frames import Frame, Place, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Region
from vitcam.pipeline.looks import Gate
from vitcam.pipeline.options import PipelineOptions, nothing_pending
from vitcam.pipeline.pipeline import Pipeline
from vitcam.rects import Rect

LEFT, RIGHT = Zone("left", Region(0, 0, 0.5, 1)), Zone("right", Region(0.5, 0, 0.5, 1))
QUARTERS = tuple(Zone(f"q{x}{y}", Region(x / 2, y / 2, 0.5, 0.5)) for x in (0, 1) for y in (0, 1))


def seen_part(frame: Frame) -> Prediction:
    """A prediction that says which part of the frame it is about."""
    return replace(answer(frame), crop=frame.crop)


SLOW = taking(0.004, seen_part)


class Run:
    """A pipeline that looks at zones, and what it publishes."""

    def __init__(
        self,
        *zones: Zone,
        classify: Callable[[Frame], Prediction] = seen_part,
        spec: InputSpec | None = None,
        gate: Gate | None = None,
        pending: Callable[[], frozenset[Place]] = nothing_pending,
    ) -> None:
        self.areas = ActiveAreas(Areas(zones))
        self.published: list[tuple[Frame, Prediction]] = []
        options = PipelineOptions("test", "model", gate=gate, areas=self.areas, input=spec, pending=pending)
        self.pipeline = Pipeline(options, classify, lambda f, p: self.published.append((f, p)))

    @property
    def looks(self) -> list[tuple[int, str | None]]:
        return [(prediction.seq, prediction.zone) for _, prediction in self.published]


class Moving(Numbered):
    """Still grey frames, in whose right half something moves."""

    def __iter__(self) -> Iterator[Frame]:
        for still in super().__iter__():
            image = picture()
            image[20:50, 70 + still.seq % 40 : 90 + still.seq % 40] = 255
            yield replace(still, preview=image)


def test_every_zone_of_every_frame_of_a_file_is_classified_in_order() -> None:
    run = Run(LEFT, RIGHT)
    run.pipeline.start(lambda: Numbered(50))
    over = run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(1)

    assert over
    assert run.looks == [(seq, zone) for seq in range(50) for zone in ("left", "right")]


def test_the_model_sees_only_the_zone_in_its_own_resize_mode() -> None:
    squash, crop = Run(LEFT, spec=InputSpec(32, 32, "squash")), Run(LEFT, spec=InputSpec(32, 32, "crop"))
    for run in (squash, crop):
        run.pipeline.start(lambda: Numbered(1))
        assert run.pipeline.over.wait(PATIENCE_S)
        run.pipeline.stop(1)

    assert squash.published[0][1].crop == squash.published[0][0].crop == Rect(0, 0, 64, 72)
    assert crop.published[0][1].crop == Rect(0, 4, 64, 64)
    assert crop.published[0][0].preview.shape == (72, 128, 3)


def test_the_scalers_picture_is_used_for_a_zone_that_shows_the_same_part() -> None:
    small = np.zeros((32, 32, 3), np.uint8)
    whole, given = Zone("whole", Region(0, 0, 1, 1)), list[bool]()

    def classify(frame: Frame) -> Prediction:
        given.append(frame.model_input is small)
        return seen_part(frame)

    class Scaled(Numbered):
        def __iter__(self) -> Iterator[Frame]:
            yield replace(frame(), model_input=small, crop=Rect(28, 0, 72, 72))

    run = Run(whole, LEFT, classify=classify, spec=InputSpec(32, 32))
    run.pipeline.start(lambda: Scaled(1))
    over = run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(1)

    assert over
    assert given == [True, False]


def test_zones_of_a_camera_share_the_time_and_the_newest_frame_wins() -> None:
    run = Run(*QUARTERS, classify=SLOW)
    run.pipeline.start(lambda: Numbered(150, live=True, every_s=0.006))
    over = run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(1)
    counts = Counter(zone for _, zone in run.looks)

    assert over
    assert run.looks[0][0] < run.looks[-1][0]
    assert [seq for seq, _ in run.looks] == sorted(seq for seq, _ in run.looks)
    assert set(counts) == {zone.name for zone in QUARTERS}
    assert max(counts.values()) - min(counts.values()) <= 0.1 * sum(counts.values())


def test_a_zone_in_which_something_moves_is_looked_at_more_often() -> None:
    run = Run(*(Zone(name, LEFT.region) for name in "abcd"), Zone("lively", RIGHT.region), classify=SLOW)
    run.pipeline.start(lambda: Moving(300, live=True, every_s=0.005))
    over = run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(1)
    counts = Counter(zone for _, zone in run.looks)

    assert over
    assert counts["lively"] > 1.3 * max(counts[name] for name in "abcd")
    assert min(counts[name] for name in "abcd") > 5


def test_a_zone_whose_event_is_pending_is_looked_at_more_often() -> None:
    zones = tuple(Zone(name, LEFT.region) for name in "abcde")
    run = Run(*zones, classify=SLOW, pending=lambda: frozenset({Place("c")}))
    run.pipeline.start(lambda: Numbered(300, live=True, every_s=0.005))
    over = run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(1)
    counts = Counter(zone for _, zone in run.looks)

    assert over
    assert counts["c"] > 1.3 * max(counts[name] for name in "abde")


def test_with_a_gate_only_zones_in_which_something_moves_are_classified() -> None:
    run = Run(LEFT, RIGHT, gate=MotionGate(GateOptions(hold_s=0.1, rest_s=100)))
    run.pipeline.start(lambda: Moving(200, live=True, every_s=0.005))
    over = run.pipeline.over.wait(PATIENCE_S)
    latest = run.pipeline.latest.peek()
    run.pipeline.stop(1)
    counts = Counter(zone for _, zone in run.looks)

    assert over
    assert counts["left"] < 0.5 * counts["right"]
    assert latest is not None
    assert [prediction.zone for prediction in latest.looks] == ["left", "right"]


def test_a_pending_event_is_looked_at_also_where_nothing_moves() -> None:
    gate = MotionGate(GateOptions(hold_s=0.01, rest_s=100))
    run = Run(LEFT, RIGHT, gate=gate, pending=lambda: frozenset({Place("left")}))
    run.pipeline.start(lambda: Numbered(100, live=True, every_s=0.005))
    over = run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(1)
    counts = Counter(zone for _, zone in run.looks)

    assert over
    assert counts["left"] > 50 > 10 > counts["right"]


def test_a_pending_event_of_the_whole_view_is_looked_at_in_every_frame() -> None:
    gate = MotionGate(GateOptions(hold_s=0.01, rest_s=100))
    run = Run(gate=gate, pending=lambda: frozenset({Place()}))
    run.pipeline.start(lambda: Numbered(50, live=True, every_s=0.005))
    over = run.pipeline.over.wait(PATIENCE_S)
    run.pipeline.stop(1)

    assert over
    assert len(run.looks) > 30


def test_viewers_get_the_newest_prediction_of_each_zone_and_the_surest_in_front() -> None:
    def classify(frame: Frame) -> Prediction:
        p = 0.9 if frame.crop.x else 0.4
        found = seen_part(frame)
        return replace(found, top=(replace(found.top[0], p=p),))

    run = Run(LEFT, RIGHT, classify=classify)
    run.pipeline.start(lambda: Numbered(20))
    over = run.pipeline.over.wait(PATIENCE_S)
    latest = run.pipeline.latest.peek()
    run.pipeline.stop(1)

    assert over
    assert latest is not None
    assert [(each.zone, each.seq) for each in latest.looks] == [("left", 19), ("right", 19)]
    assert latest.prediction is latest.looks[1]
    assert latest.frame.crop == frame().crop


def test_zones_may_be_drawn_moved_and_deleted_while_it_runs() -> None:
    run = Run()
    run.pipeline.start(lambda: Numbered(100_000, live=True, every_s=0.002))
    whole = eventually(lambda: run.looks[-1:] and run.looks[-1][1] is None)
    run.areas.replace(Areas((LEFT, RIGHT)))
    both = eventually(lambda: {zone for _, zone in run.looks[-2:]} == {"left", "right"})
    rates = run.pipeline.state().zones
    run.areas.replace(Areas((replace(LEFT, region=Region(0, 0, 0.25, 1)),)))
    moved = eventually(lambda: run.published[-1][1].crop == Rect(0, 0, 32, 72))
    one = eventually(lambda: [each.zone for each in run.pipeline.latest.peek().looks] == ["left"])  # type: ignore[union-attr]
    run.areas.replace(Areas())
    again = eventually(lambda: run.looks[-1][1] is None)
    run.pipeline.stop(1)

    assert whole
    assert both
    assert set(rates) == {"left", "right"}
    assert moved
    assert one
    assert again


def test_a_hung_look_at_a_zone_shows_in_the_heartbeats() -> None:
    forever, began = threading.Event(), threading.Event()

    def hang(frame: Frame) -> Prediction:
        if frame.crop.x:
            began.set()
            forever.wait(PATIENCE_S)
        return seen_part(frame)

    run = Run(LEFT, RIGHT, classify=hang)
    run.pipeline.start(lambda: Numbered(10, live=True, every_s=0.01))
    hung = began.wait(PATIENCE_S)
    since = run.pipeline.heartbeats().classifying_since_ns
    forever.set()
    run.pipeline.stop(1)

    assert hung
    assert since is not None
