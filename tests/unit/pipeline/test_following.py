"""When what moves is looked at, and what comes of these looks."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise

import numpy as np
import pytest

from tests.eventually import eventually
from tests.frames import SECOND, frame
from tests.moving_scenes import Clip, Thing, crossing, resting, swinging, told
from tests.pipelines import PATIENCE_S, Numbered, answer
from vitcam.frames import Frame, Place, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import NO_AREAS, Areas, Zone
from vitcam.look.follower import Follower
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.look.resting import Resting
from vitcam.look.watch import BoxLook
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Follow, Region
from vitcam.pipeline.looks import Looks, PlaceLook
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
from vitcam.rects import Box, Rect

SPEC = InputSpec(56, 56)
VIEW = Place()
BIRD = Thing(resting(3, 30, 240, 120))
LEFT, RIGHT = Zone("left", Region(0, 0, 0.5, 1)), Zone("right", Region(0.5, 0, 0.5, 1))
Things = dict[str | None, Rect]


@dataclass
class Played:
    """The looks that a clip got, with the time of each in s."""

    looks: list[tuple[float, PlaceLook, Prediction]] = field(default_factory=list)
    skipped: Counter[Place] = field(default_factory=Counter)

    def places(self, after_s: float = 0.0) -> list[Place]:
        """Where they were, in their order; looks at places at rest are not among them."""
        return [look.place for at_s, look, _ in self.looks if at_s >= after_s and not look.of_rest]


def play(
    clip: Clip,
    *zones: Zone,
    follow: bool = True,
    gate: MotionGate | None = None,
    every: int = 1,
    rest: str | None = None,
    pending: Sequence[Place] = (),
) -> Played:
    """All looks at a clip whose model is free in one of `every` frames."""
    follower = Follower("motion" if follow else "off", SPEC)
    looks, played, areas = Looks(follower, Resting(ActiveAreas())), Played(), Areas(zones)
    for shot, things in clip:
        follower.take(shot, areas)
        if shot.seq % every:
            continue
        played.skipped.update(looks.begin(shot, areas, SPEC, gate, pending, live=True))
        while (look := looks.next(pending, shot.captured_ns)) is not None:
            seen: Things = {} if look.of_rest else things
            prediction = told(look.frame, look.place, seen, rest)
            if look.of_rest:
                follower.record_background(prediction)
            elif look.place.track is not None:
                prediction = follower.record_look(prediction)
            played.looks.append(((shot.captured_ns - SECOND) / SECOND, look, prediction))
    return played


def test_neither_the_view_nor_a_box_starves() -> None:
    birds = tuple(Thing(crossing(2, 30 + 60 * i, 20), name=f"bird {i}", seed=i) for i in range(3))
    places = play(Clip(12, birds)).places(after_s=4)

    for place in (VIEW, Place(track=1), Place(track=2), Place(track=3)):
        pauses = [len([*run]) for seen, run in groupby(each == place for each in places) if not seen]
        assert max(pauses) <= 12


@pytest.mark.parametrize("count", [1, 3])
def test_on_a_busy_street_every_second_look_is_at_the_whole_view(count: int) -> None:
    things = tuple(Thing(crossing(2, 30 + 60 * i, 20), name=f"car {i}", seed=i) for i in range(count))
    looks = [look.place for at_s, look, _ in play(Clip(12, things)).looks if at_s >= 4]
    pairs = Counter((one == VIEW, other == VIEW) for one, other in pairwise(looks))

    assert pairs[False, False] == 0
    assert pairs[True, False] > 5 * pairs[True, True], "what moves is looked at as often"


def test_boxes_lie_in_the_zones_that_are_followed_and_the_others_are_looked_at_as_before() -> None:
    played = play(Clip(10, (Thing(crossing(2, 90, 40)),)), LEFT, replace(RIGHT, follow="off"))
    boxes = [look for _, look, _ in played.looks if look.place.track is not None]

    assert {look.place.zone for look in boxes} == {"left"}
    assert all(look.frame.crop.x + look.frame.crop.width <= 160 for look in boxes)
    assert {Place("left"), Place("right")} <= set(played.places(after_s=5))


def test_a_place_at_rest_is_looked_at_once_and_before_an_event_could_begin() -> None:
    played = play(Clip(8, (BIRD,)))
    looks = [(at_s, look.of_rest) for at_s, look, _ in played.looks if look.place.track is not None]

    assert [of_rest for _, of_rest in looks[:3]] == [False, True, False]
    assert sum(of_rest for _, of_rest in looks) == 1
    assert looks[2][0] - looks[0][0] < 0.5


def test_a_look_at_rest_shows_the_place_without_its_thing() -> None:
    clip = Clip(8, (BIRD,), noise=0)
    played = play(clip)
    look = next(look for _, look, _ in played.looks if look.of_rest)
    crop = look.frame.crop

    assert np.abs(look.frame.part(crop).astype(int) - clip.background[crop.y : crop.y + crop.height, crop.x :][
        :, : crop.width
    ]).max() <= 1  # fmt: skip
    assert not np.array_equal(look.frame.part(crop), replace(look.frame, details=()).part(crop))


def test_what_stays_where_it_is_need_not_be_looked_at_in_every_turn() -> None:
    played = play(Clip(20, (BIRD,)))
    count = Counter(played.places(after_s=10))

    assert count[VIEW] > 10 * count[Place(track=1)] > 0
    assert played.skipped[Place(track=1)] > 50, "its last prediction holds"


def test_a_place_where_an_event_may_begin_is_looked_at_also_if_it_is_not_due() -> None:
    count = Counter(play(Clip(20, (BIRD,)), pending=[Place(track=1)]).places(after_s=10))

    assert 0 <= count[VIEW] - count[Place(track=1)] <= 1


def test_with_the_motion_gate_the_view_rests_until_something_moves() -> None:
    gate = MotionGate(GateOptions(hold_s=1, rest_s=2))
    played = play(Clip(20, (Thing(resting(12, 14, 160, 90)),)), gate=gate)
    still = [place for at_s, look, _ in played.looks if 3 < at_s < 11 for place in [look.place]]

    assert set(still) == {VIEW}
    assert len(still) <= 5
    assert Place(track=1) in played.places(after_s=12)
    assert played.skipped[VIEW] > 80


def test_a_zone_that_is_not_followed_keeps_a_gate_of_its_own() -> None:
    gate = MotionGate(GateOptions(hold_s=0.5, rest_s=10))
    zones = (replace(LEFT, follow="motion"), replace(RIGHT, follow="off"))
    played = play(Clip(20, (Thing(swinging(240, 90, 20, 2)),)), *zones, gate=gate)
    count = Counter(played.places(after_s=5))

    assert count[Place("right")] > 10 * count[Place("left")]


class Birds:
    """A live source of the frames of a clip, at their pace or faster."""

    def __init__(self, clip: Clip, live: bool = True, path: str | None = None) -> None:
        self.live = live
        self._clip = clip
        self._path = path

    def __enter__(self) -> "Birds":
        return self

    def __exit__(self, *_: object) -> None: ...

    def stop(self) -> None: ...

    def __iter__(self) -> Iterator[Frame]:
        for shot, _ in self._clip:
            yield replace(shot, path=self._path)


def published(
    clip: Clip,
    live: bool = False,
    path: str | None = None,
    areas: Areas = NO_AREAS,
    follower: Follower | None = None,
    lasting: bool = False,
) -> tuple[list[Prediction], Pipeline]:
    """What a pipeline publishes of a clip whose bird the model knows wherever it sees it."""
    truth = {shot.seq: things for shot, things in clip}
    out: list[Prediction] = []

    def classify(shot: Frame) -> Prediction:
        return told(shot, Place(), {} if shot.details else truth[shot.seq])

    follower = follower or Follower("motion", SPEC)
    options = PipelineOptions("test", "model", areas=ActiveAreas(areas), input=SPEC, follower=follower, lasting=lasting)
    pipeline = Pipeline(options, classify, lambda _, prediction: out.append(prediction))
    pipeline.start(lambda: Birds(clip, live, path))
    assert pipeline.over.wait(PATIENCE_S)
    pipeline.stop(1)
    return out, pipeline


def test_predictions_say_what_is_followed_and_where() -> None:
    out, _ = published(Clip(5, (BIRD,)))
    boxes = [each for each in out if each.track is not None]

    assert boxes
    assert {each.track for each in boxes} == {1}
    assert all(each.box == Box.around(each.crop, (320, 180)) for each in boxes)
    assert {each.shown.label for each in boxes} == {"bird"}
    assert not any(each.at_rest for each in boxes)


def test_the_state_and_the_source_know_what_is_followed() -> None:
    follower = Follower("motion", SPEC)
    _, pipeline = published(Clip(5, (BIRD,)), follower=follower)
    (state,) = pipeline.state().following

    assert (state.track, state.zone) == (1, None)
    assert state.box == str(follower.boxes()[0])
    assert state.age_s >= 0


def test_a_film_gets_the_same_looks_each_time() -> None:
    clip = Clip(6, (Thing(crossing(2, 90, 40)),))
    first, second = ([(each.seq, each.place, each.crop) for each in published(clip)[0]] for _ in range(2))

    assert first == second
    assert {place for _, place, _ in first} == {VIEW, Place(track=1)}


@pytest.mark.fault(
    "what follows things fails",
    injected="a follower that raises",
    observed="the view is classified, and the state says so",
)
def test_a_follower_that_fails_ends_nothing() -> None:
    class Broken(Follower):
        def take(self, frame: Frame, areas: Areas) -> None:
            raise ValueError("no such cell")

    out, pipeline = published(Clip(2), follower=Broken("motion", SPEC))

    assert len(out) == 24
    assert "the follower failed unexpectedly" in pipeline.state().reason


@pytest.mark.fault(
    "what follows things cannot say where to look",
    injected="a follower that raises until it begins anew",
    observed="one frame is left out, and the next ones are classified",
)
def test_a_follower_that_cannot_say_where_to_look_begins_anew() -> None:
    class Confused(Follower):
        is_confused = True

        def looks(self, frame: Frame) -> list[BoxLook]:
            if self.is_confused:
                raise ValueError("no such track")
            return super().looks(frame)

        def begin_anew(self) -> None:
            self.is_confused = False
            super().begin_anew()

    out, _ = published(Clip(2), lasting=True, follower=Confused("motion", SPEC))

    assert len(out) == 23


def test_another_model_and_other_settings_may_come_at_the_same_time() -> None:
    begun, done = threading.Event(), threading.Event()

    @dataclass(frozen=True, slots=True)
    class Slow(PipelineOptions):
        def __post_init__(self) -> None:
            if self.model == "other":
                begun.set()
                done.wait(0.2)

    pipeline = Pipeline(Slow("test", "model"), answer, lambda *_: None)
    model = threading.Thread(target=pipeline.use_model, args=("other", SPEC))
    model.start()
    assert begun.wait(PATIENCE_S)
    gate = MotionGate(GateOptions())
    pipeline.change(5.0, gate)
    done.set()
    model.join(PATIENCE_S)

    assert pipeline.gate is gate
    assert pipeline.state().model == "other"


def test_every_picture_is_wanted_while_something_may_be_followed() -> None:
    def wants(follow: Callable[[], Follower]) -> bool:
        options = PipelineOptions("test", "model", max_fps=0.5, follower=follow())
        pipeline = Pipeline(options, answer, lambda *_: None)
        pipeline.start(lambda: Numbered(10_000, live=True, every_s=0.005))
        found = [pipeline.wants_frame() for _ in range(300) if not pipeline.over.wait(0.005)]
        pipeline.stop(1)
        return all(found)

    assert wants(lambda: Follower("motion", SPEC))
    assert not wants(lambda: Follower("off", SPEC))


def test_new_masks_let_go_of_what_the_scene_looked_like() -> None:
    follower = Follower("motion", SPEC)
    _, pipeline = published(Clip(5, (BIRD,)), follower=follower)
    before = follower.followed
    pipeline.drop_pixels()

    assert before
    assert follower.followed == ()
    assert follower.looks(frame()) == []


@pytest.mark.parametrize("follow", ["motion", "off"])
def test_the_state_says_where_what_moves_is_followed(follow: Follow) -> None:
    zones = (LEFT, replace(RIGHT, follow="motion"), Zone("road", Region(0, 0, 0.2, 0.2), follow="off"))
    options = PipelineOptions("test", "model", follower=Follower(follow, SPEC), areas=ActiveAreas(Areas(zones)))
    pipeline = Pipeline(options, answer, lambda *_: None)
    pipeline.start(lambda: Numbered(10_000, live=True, every_s=0.005))
    assert eventually(lambda: len(pipeline.state().zones) == 3)
    state = pipeline.state()
    pipeline.stop(1)

    assert state.follows == (follow == "motion")
    assert [state.zones[zone.name].follows for zone in zones] == [follow == "motion", True, False]
