"""What is followed, and what is looked at, in synthetic scenes."""

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from tests.frames import SECOND
from tests.moving_scenes import (
    Clip,
    Floats,
    Thing,
    circling,
    crossing,
    resting,
    swinging,
    told,
)
from vitcam.frames import Prediction
from vitcam.look.areas import NO_AREAS, Areas
from vitcam.look.follower import Follower
from vitcam.pictures.resize import InputSpec

SPEC = InputSpec(56, 56)
BIRD = Thing(resting(3, 12, 160, 90))


@dataclass
class Seen:
    """What came of a clip."""

    covered: Counter[str] = field(default_factory=Counter)
    """Frames in which a box holds four fifths of a thing, by its name."""
    present: Counter[str] = field(default_factory=Counter)
    boxes: list[int] = field(default_factory=list)
    """How many there are, in each frame."""
    tracks: set[int] = field(default_factory=set)
    predictions: list[Prediction] = field(default_factory=list)
    rest_looks: int = 0

    def share(self, name: str) -> float:
        """Of the time in which the thing is there, that in which it is in a box."""
        return self.covered[name] / self.present[name]

    @property
    def looks(self) -> list[float]:
        """Their times, in s from the first frame."""
        return [(each.captured_ns - SECOND) / SECOND for each in self.predictions]

    @property
    def news(self) -> list[str]:
        """What looks named that their places do not show at rest."""
        return [each.shown.label for each in self.predictions if each.shown.label and not each.at_rest]


def watch(clip: Clip, rest: str | None = None, areas: Areas = NO_AREAS, per_s: float = 8.0) -> Seen:
    """Follow what moves in a clip, with so many looks a second at what is due.

    rest  what the model says of the scene without things
    """
    follower, seen, next_ns = Follower("motion", SPEC), Seen(), 0
    for frame, things in clip:
        follower.take(frame, areas)
        following = follower.followed
        seen.boxes.append(len(following))
        seen.tracks |= {each.place.track or 0 for each in following}
        for name, thing in things.items():
            if name is not None:
                seen.present[name] += 1
                enough = 0.8 * thing.area
                seen.covered[name] += any(thing.common_area(each.rect) >= enough for each in following)
        due = [look for look in follower.looks(frame) if look.is_due]
        if frame.captured_ns < next_ns or not due:
            continue
        next_ns = frame.captured_ns + round(SECOND / per_s)
        look = due[(len(seen.predictions) + seen.rest_looks) % len(due)]
        if look.of_rest:
            seen.rest_looks += 1
            follower.record_background(told(look.frame, look.place, {}, rest))
        else:
            seen.predictions.append(follower.record_look(told(look.frame, look.place, things, rest)))
    return seen


def test_nothing_is_followed_in_a_still_scene_by_day_and_at_night() -> None:
    for noise in (2, 15):
        assert sum(watch(Clip(10, noise=noise)).boxes) == 0


def test_a_small_thing_is_followed_all_the_way_by_one_track() -> None:
    seen = watch(Clip(10, (Thing(crossing(3, 90, 40)),)))

    assert seen.share("bird") > 0.9
    assert len(seen.tracks) == 1


def test_a_box_fits_what_crosses_fast_soon_after_the_start_and_is_not_behind_it() -> None:
    follower, ahead, sides = Follower("motion", InputSpec(16, 16)), [], []
    for frame, things in Clip(2, (Thing(crossing(0.8, 90, 290), side=40),), fps=15):
        follower.take(frame, NO_AREAS)
        thing = things.get("bird")
        if thing is None or thing.width < 40 or frame.captured_ns < 2.05 * SECOND:
            continue
        (box,) = (each.rect for each in follower.followed)
        ahead.append(box.x + box.width / 2 - thing.x - 20)
        sides.append(box.width / 40)
        assert thing.common_area(box) == 40 * 40

    assert len(ahead) > 8
    assert min(ahead) > -5
    assert 1.15 < np.median(sides) < 1.5


def test_a_thing_is_looked_at_at_most_two_frames_after_the_first_that_moved() -> None:
    clip = Clip(5, (Thing(resting(3, 9, 150, 100)),))
    follower = Follower("motion", SPEC)
    followed = []
    for frame, _ in clip:
        follower.take(frame, NO_AREAS)
        followed.append(bool(follower.followed))

    assert 3 * clip.fps <= followed.index(True) <= 3 * clip.fps + 2


def test_what_was_named_and_sits_still_stays_followed_until_it_has_gone() -> None:
    seen = watch(Clip(40, (Thing(resting(3, 30, 150, 100)),)))

    assert seen.share("bird") > 0.99
    assert len(seen.tracks) == 1
    assert seen.boxes[-1] == 0


def test_what_sits_still_is_looked_at_more_and_more_rarely_but_never_not_at_all() -> None:
    looks = watch(Clip(40, (Thing(resting(3, 40, 150, 100)),))).looks
    pauses = np.diff(looks)

    assert pauses[1:5].max() < 0.2  # the first is that of a look at the place at rest
    assert pauses[-3:].min() > 3
    assert pauses.max() < 5


def test_a_place_that_swings_becomes_a_part_of_the_scene() -> None:
    looks = watch(Clip(90, (Thing(swinging(150, 100, 12, 2.2), name=None, side=20),))).looks

    assert looks[0] < 3
    assert sum(at_s > 45 for at_s in looks) < 10


def test_a_bird_at_a_feeder_that_swings_is_soon_looked_at() -> None:
    feeder = swinging(150, 100, 12, 2.2)
    bird = Thing(lambda at_s: (feeder(at_s)[0], 82) if 40 <= at_s < 50 else None, level=-60)
    seen = watch(Clip(50, (Thing(feeder, name=None, side=20), bird)))
    named = [look for look, each in zip(seen.looks, seen.predictions, strict=True) if each.shown.label == "bird"]

    assert named
    assert named[0] < 45
    assert seen.share("bird") > 0.9


def test_what_a_place_shows_at_rest_is_no_news_there() -> None:
    seen = watch(Clip(40, (Thing(swinging(150, 100, 12, 2.2), name="feeder", side=20),)), rest="feeder")

    assert len(seen.predictions) > 5
    assert len(seen.news) <= 3
    assert sum(each.at_rest for each in seen.predictions) > 0.8 * len(seen.predictions)


def test_boxes_that_name_nothing_yield_to_one_that_was_not_there_before() -> None:
    leaves = tuple(Thing(circling(50 + 70 * i, 90, 20, 3), name=None, seed=i) for i in range(3))
    seen = watch(Clip(30, (*leaves, Thing(resting(20, 30, 280, 150)))))

    assert max(seen.boxes) == 3
    assert seen.share("bird") > 0.9


def test_what_looks_cannot_name_is_shown_with_less_and_with_more_room() -> None:
    unnamed = watch(Clip(12, (Thing(resting(3, 12, 160, 90), side=60, name=None),)))
    named = watch(Clip(12, (Thing(resting(3, 12, 160, 90), side=60),)))

    assert len(sides(unnamed)) > len(sides(named))
    assert min(sides(unnamed)) < 0.85 * max(sides(unnamed))


def sides(seen: Seen) -> set[int]:
    """The sides of the boxes that were looked at once the thing was at rest, in px."""
    looks = zip(seen.looks, seen.predictions, strict=True)
    return {prediction.crop.width for at_s, prediction in looks if 3.5 < at_s < 11}


def test_one_look_without_a_name_does_not_say_that_what_was_named_is_gone() -> None:
    follower, found = Follower("motion", SPEC), []
    for frame, things in Clip(12, (BIRD,)):
        follower.take(frame, NO_AREAS)
        for look in follower.looks(frame):
            if look.of_rest:
                follower.record_background(told(look.frame, look.place, {}))
            elif frame.seq % 5 == 0:
                answer = told(look.frame, look.place, things if frame.seq % 10 else {})
                found.append(follower.record_look(replace(answer, unfamiliar=not answer.known)))

    nameless = [each for each in found if each.shown.label is None]
    assert len(nameless) > 3
    assert not any(each.at_rest for each in nameless)


def cloud(picture: Floats, at_s: float) -> Floats:
    """The border of its shadow goes over the scene, 75 px wide."""
    across = np.arange(picture.shape[1], dtype=np.float32)[None, :, None]
    return np.asarray(picture * (0.6 + 0.4 / (1 + np.exp(-(across - 30 * at_s + 50) / 20))), dtype=np.float32)


def flicker(picture: Floats, at_s: float) -> Floats:
    return np.asarray(picture * (1 + 0.25 * np.sin(44 * at_s)), dtype=np.float32)


def exposure(picture: Floats, at_s: float) -> Floats:
    return picture * np.float32(1.0 if at_s < 5 else 1.4 if at_s < 8 else 0.7)


def test_a_cloud_a_lamp_that_flickers_and_the_cameras_exposure_are_no_things() -> None:
    for light in (cloud, flicker, exposure):
        seen = watch(Clip(12, light=light))

        assert np.mean(seen.boxes) < 1
        assert seen.news == []
