"""Which pictures are kept in memory, and when a clip is cut out of them."""

from typing import Any

import pytest

from tests.frames import SECOND, picture, prediction
from tests.parts.clips.cuts import event, frame_at
from vitcam.frames import Event, Group
from vitcam.parts.clips.encoding import ClipQueue
from vitcam.parts.clips.recorder import ClipRecorder, shrink
from vitcam.parts.clips.ring import Cut
from vitcam.parts.clips.settings import ClipSettings
from vitcam.rects import Box

_SETTINGS = ClipSettings(before_s=2, after_s=1, longest_s=20)


class Taken(ClipQueue):
    """What a recorder gave; nothing is encoded."""

    def __init__(self) -> None:
        self.cuts: list[Cut] = []
        self.left: list[tuple[str, str]] = []

    def put(self, cut: Cut) -> None:
        self.cuts.append(cut)

    def leave_out(self, event_id: str, why: str) -> None:
        self.left.append((event_id, why))


def recorder(taken: Taken, settings: ClipSettings = _SETTINGS, most_bytes: int = 32 << 20) -> ClipRecorder:
    return ClipRecorder(settings, taken, most_bytes=most_bytes)


def watch(camera: ClipRecorder, start_s: float, end_s: float, *events: Event, fps: int = 30) -> None:
    """Show frames from `start_s` to `end_s`; the events come with the first."""
    for index in range(round((end_s - start_s) * fps)):
        camera.saw(frame_at(start_s + index / fps), prediction(), events if index == 0 else ())


def seconds(cut: Cut) -> tuple[float, float]:
    return cut.stills[0].captured_ns / SECOND, cut.end_ns / SECOND


def test_a_clip_shows_the_time_before_the_event_the_event_and_the_time_after() -> None:
    taken = Taken()
    camera = recorder(taken)
    watch(camera, 100, 110)
    watch(camera, 110, 113, event("new", 109.5))
    watch(camera, 113, 115, event("end", 109.5, 113))

    assert len(taken.cuts) == 1
    assert seconds(taken.cuts[0]) == pytest.approx((107.5, 114), abs=0.1)


def test_a_clip_knows_the_box_of_its_event_as_it_was_reported_last() -> None:
    taken = Taken()
    camera = recorder(taken)
    first, last = Box(0.1, 0.1, 0.2, 0.2), Box(0.2, 0.1, 0.2, 0.2)
    watch(camera, 100, 103, event("new", 100, track=7, box=first))
    watch(camera, 103, 105, event("update", 100, track=7, box=last))
    camera.close((event("end", 100, 105, track=7, box=last),))

    assert [cut.box for cut in taken.cuts] == [last]


def test_a_clip_whose_event_ends_in_a_pause_is_cut_at_once_and_shows_nothing_of_the_pause() -> None:
    taken = Taken()
    camera = recorder(taken)
    watch(camera, 100, 103, event("new", 100))
    camera.unseen((event("end", 100, 103),))
    cut = [*taken.cuts]
    watch(camera, 103.5, 106)

    assert [seconds(each) for each in cut] == [pytest.approx((100, 103), abs=0.1)]
    assert taken.cuts == cut


def test_thirty_frames_per_second_become_ten_pictures_per_second() -> None:
    taken = Taken()
    camera = recorder(taken)
    watch(camera, 100, 103, event("new", 100))
    camera.close((event("end", 100, 103),))

    assert len(taken.cuts[0].stills) == 30


def test_a_clip_ends_where_it_would_be_longer_than_allowed() -> None:
    taken = Taken()
    camera = recorder(taken)
    watch(camera, 100, 110)
    watch(camera, 110, 140, event("new", 110))
    watch(camera, 140, 150, event("update", 110))
    watch(camera, 150, 155, event("end", 110, 150))

    assert len(taken.cuts) == 1
    assert seconds(taken.cuts[0]) == pytest.approx((108, 128), abs=0.1)


def test_without_events_only_the_seconds_before_stay_in_memory() -> None:
    camera = recorder(Taken())
    watch(camera, 100, 110)
    after_ten_s = camera._ring.bytes
    watch(camera, 110, 150)

    assert camera._ring.bytes <= after_ten_s


@pytest.mark.parametrize("after_s", [0, 1])
def test_of_an_event_that_is_over_nothing_stays_in_memory(after_s: float) -> None:
    taken = Taken()
    camera = recorder(taken, ClipSettings(before_s=1, after_s=after_s, longest_s=5))
    for index, (start_s, lasts_s) in enumerate([(100, 2), (110, 8)]):  # the second is longer than its clip
        name = f"01EVENT{index}"
        watch(camera, start_s, start_s + lasts_s, event("new", start_s, id=name))
        watch(camera, start_s + lasts_s, start_s + lasts_s + 2, event("end", start_s, start_s + lasts_s, id=name))

    assert [cut.event_id for cut in taken.cuts] == ["01EVENT0", "01EVENT1"]
    assert (camera._pending, camera._settled) == ({}, set())


def test_memory_stays_below_its_limit_and_the_clip_keeps_its_beginning() -> None:
    taken = Taken()
    limit = 20_000
    camera = recorder(taken, ClipSettings(before_s=1, after_s=1, longest_s=600), limit)
    most = 0
    for step in range(100):
        watch(camera, 100 + step, 101 + step, *([event("new", 101)] if step == 1 else []))
        most = max(most, camera._ring.bytes)

    assert most <= limit
    assert [seconds(cut)[0] for cut in taken.cuts] == [pytest.approx(100, abs=0.1)]


@pytest.mark.parametrize(
    ("settings", "fields", "wanted"),
    [
        (ClipSettings(), {}, True),
        (ClipSettings(labels=("cup",)), {}, True),
        (ClipSettings(labels=("cat",)), {}, False),
        (ClipSettings(labels=("cat",)), {"group": Group("cat", 0.8)}, True),
        (ClipSettings(zones=("door",)), {"zone": "door"}, True),
        (ClipSettings(zones=("door",)), {"zone": None}, False),
    ],
)
def test_labels_and_zones_say_which_events_get_a_clip(
    settings: ClipSettings, fields: dict[str, Any], wanted: bool
) -> None:
    taken = Taken()
    camera = recorder(taken, settings)
    watch(camera, 100, 101, event("new", 100, **fields))
    camera.close(())

    assert bool(taken.cuts) is wanted


def test_a_ninth_clip_at_once_is_left_out_and_says_why() -> None:
    taken = Taken()
    camera = recorder(taken)
    events = [event("new", 100, id=f"01EVENT{index}") for index in range(9)]
    watch(camera, 100, 101, *events)
    camera.close(())

    assert len(taken.cuts) == 8
    assert taken.left == [("01EVENT8", "8 other clips were being recorded")]


def test_each_zone_of_one_frame_does_not_add_the_picture_again() -> None:
    taken = Taken()
    camera = recorder(taken)
    for index in range(10):
        for _ in range(4):
            camera.saw(frame_at(100 + index / 10), prediction(), (event("new", 100),) if index == 0 else ())
    camera.close(())

    assert len(taken.cuts[0].stills) == 10


def test_pictures_get_even_sides_and_are_never_enlarged() -> None:
    assert shrink(picture(721, 1281), 640).shape == (360, 640, 3)
    assert shrink(picture(73, 129), 640).shape == (72, 128, 3)
    assert shrink(picture(72, 128), 640).shape == (72, 128, 3)


def test_a_camera_that_rests_is_kept_twice_a_second_and_what_moves_then_at_once() -> None:
    taken = Taken()
    camera = recorder(taken)
    watch(camera, 100, 102)
    for index in range(8):  # nothing moves for four seconds
        camera.rested(frame_at(102 + index / 2), prediction())
    watch(camera, 106, 107, event("new", 106))
    watch(camera, 107, 109, event("end", 106, 107))

    assert len(taken.cuts) == 1
    before = [still for still in taken.cuts[0].stills if still.captured_ns < 106 * SECOND]
    during = [still for still in taken.cuts[0].stills if 106 * SECOND <= still.captured_ns < 107 * SECOND]
    assert seconds(taken.cuts[0])[0] == pytest.approx(104, abs=0.1)
    assert len(before) == 4
    assert len(during) == 10
    assert during[0].captured_ns == pytest.approx(106 * SECOND, abs=SECOND // 15)
