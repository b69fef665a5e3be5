import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.eventually import eventually
from tests.frames import frame, picture, prediction
from vitcam.errors import UsageError
from vitcam.frames import NO_MODEL, Detail, ModelIdentity
from vitcam.parts.teach.datasets.collector import Collector, Wanted
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.pictures.decode import decode_image
from vitcam.rects import Rect

SECOND = 1_000_000_000
BOX = Rect(100, 30, 32, 32)


class Scene:
    """A camera that gives ten frames a second, and a model whose embeddings say what is to be seen."""

    def __init__(self, folder: Path, max_mb: float = 10.0) -> None:
        self.data_sets = DataSets(folder, max_mb)
        self.collector = Collector(self.data_sets)

    def begin(self, label: str, **wanted: object) -> None:
        self.collector.begin(Wanted(label, **wanted))  # type: ignore[arg-type]
        assert self.collector._recording is not None
        self.ns = self.collector._recording.began_ns

    def see(
        self,
        *things: int,
        zone: str | None = None,
        track: int | None = None,
        at_rest: bool = False,
        model: ModelIdentity = NO_MODEL,
        size: int = 8,
    ) -> None:
        for thing in things:
            self.ns += SECOND // 10
            seen, looks = frame(image=picture(90, 160)), np.eye(size, dtype=np.float32)[thing]
            crop = Rect(10, 20, 60, 60) if track is None else BOX
            said = replace(prediction(at_ns=self.ns), zone=zone, crop=crop, embedding=looks)
            said = replace(said, track=track, at_rest=at_rest, model=model)
            detail = Detail(BOX, np.zeros((96, 96, 3), np.uint8))
            self.collector.saw(replace(seen, captured_ns=self.ns, details=(detail,)), said, ())
            eventually(lambda: len(self.collector._waiting) == 0)

    def is_done(self) -> bool:
        """Whether the collector's thread has written all that it was given."""
        recording = self.collector._recording
        return not self.collector._waiting and (recording is None or recording.handled >= recording.queued)

    def pictures(self, label: str) -> list[str]:
        eventually(self.is_done)
        self.collector.close(())
        assert self.collector.worker.join(10)
        return self.data_sets.pictures("mine", label)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.collector.close(())


def test_frames_that_look_the_same_are_left_out_and_the_model_s_part_is_kept(scene: Scene) -> None:
    scene.begin("cup", count=3)
    scene.see(0, 0, 1, 1, 0, 2, 3)
    eventually(scene.is_done)
    state = scene.collector.state()
    pictures = scene.pictures("cup")

    assert (len(pictures), state.alike, state.active) == (3, 3, False)
    assert all(name.startswith(f"{state.recording}-") for name in pictures)
    path = scene.data_sets.picture("mine", "cup", pictures[0])
    assert decode_image(path.read_bytes()).shape == (60, 60, 3)


def test_while_something_is_followed_its_box_is_taken_in_the_cameras_px_and_not_the_view_around_it(
    scene: Scene,
) -> None:
    scene.begin("robin", count=4)
    scene.see(0, track=7, at_rest=True)
    for thing in (1, 2):
        scene.see(thing, track=7)
        scene.see(thing + 2)
    scene.see(*[5] * 20, track=7, at_rest=True)
    scene.see(6)
    pictures = scene.pictures("robin")
    sizes = [decode_image(scene.data_sets.picture("mine", "robin", name).read_bytes()).shape for name in pictures]

    assert sizes == [(96, 96, 3), (96, 96, 3), (60, 60, 3)], "the view comes again once nothing new is followed"


def test_a_scene_in_which_nothing_changes_is_taken_now_and_then(scene: Scene) -> None:
    scene.begin("nothing special", seconds=4.0)
    scene.see(*[0] * 60)

    assert 2 <= len(scene.pictures("nothing special")) <= 4


def test_single_pictures_are_taken_as_they_come(scene: Scene) -> None:
    for _ in range(2):
        scene.begin("cup", count=1)
        scene.see(0, 0)
        eventually(scene.is_done)

    assert scene.collector.state().active is False
    assert len(scene.pictures("cup")) == 2


def test_only_the_zone_that_was_asked_for_is_taken(scene: Scene) -> None:
    scene.begin("open", zone="gate", count=5)
    scene.see(0, 1, zone="door")
    scene.see(2, 3, zone="gate")

    assert len(scene.pictures("open")) == 2


def test_what_waits_is_dropped_when_masks_are_drawn(scene: Scene) -> None:
    scene.begin("cup", count=5)
    scene.collector._waiting.append((scene.collector._recording, "x-001.jpg", np.zeros((9, 9, 3), np.uint8), None))  # type: ignore[arg-type]
    scene.collector.drop_pixels()

    assert not scene.collector._waiting


def test_a_full_store_ends_the_recording_with_its_reason(tmp_path: Path) -> None:
    scene = Scene(tmp_path, max_mb=0.001)
    scene.begin("cup", count=50)
    scene.see(0, 1, 2, 3, 4, 5, 6, 7)
    eventually(lambda: scene.collector.state().trouble)
    state = scene.collector.state()

    assert "collect.max_mb" in state.trouble
    assert (state.active, state.taken < 8) == (False, True)
    with pytest.raises(UsageError):
        scene.begin("cup", count=1)
    scene.collector.close(())


@pytest.mark.parametrize(
    "wanted",
    [
        {"label": ""},
        {"label": "../x"},
        {"label": "cup", "count": 0},
        {"label": "cup", "count": 10**9},
        {"label": "cup", "seconds": 0.0},
        {"label": "cup", "seconds": float("nan")},
        {"label": "cup", "seconds": 1e9},
    ],
)
def test_what_cannot_be_collected_is_refused(wanted: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Wanted(**wanted)  # type: ignore[arg-type]


def test_a_recording_ends_by_itself_where_the_camera_gives_no_frame(scene: Scene) -> None:
    scene.begin("cup", seconds=5.0)
    assert scene.collector._recording is not None
    scene.collector._recording.began_ns -= 60 * SECOND

    assert scene.collector.state().active is False


def test_a_recording_that_begins_at_once_loses_no_picture_of_the_one_before(scene: Scene) -> None:
    scene.begin("cup", count=1)
    waiting = scene.collector._recording, "x-001.jpg", np.zeros((9, 9, 3), np.uint8), None
    scene.collector._waiting.append(waiting)  # type: ignore[arg-type]
    scene.begin("plate", count=1)

    assert scene.pictures("cup") == ["x-001.jpg"]


def test_another_model_that_is_put_in_place_meanwhile_compares_with_its_own_pictures_only(scene: Scene) -> None:
    scene.begin("cup", count=9)
    scene.see(0, 1, model=ModelIdentity("small", ""))
    scene.see(0, 0, 1, model=ModelIdentity("large", ""), size=16)

    assert scene.collector.state().alike == 1
    assert len(scene.pictures("cup")) == 4


def test_a_recording_by_time_ends_with_its_most_pictures(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitcam.parts.teach.datasets.collector.MOST_PICTURES", 3)
    scene.begin("cup", seconds=60.0)
    scene.see(0, 1, 2, 3, 4)

    assert len(scene.pictures("cup")) == 3


def test_a_recording_is_active_until_its_last_picture_is_kept_or_dropped(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, kept = threading.Event(), scene.data_sets.add

    def add(*asked: Any) -> None:
        assert writes.wait(30)
        kept(*asked)

    monkeypatch.setattr(scene.data_sets, "add", add)
    scene.begin("cup", count=1)
    scene.see(0)
    before = scene.collector.state()
    writes.set()
    eventually(lambda: not scene.collector.state().active)

    assert (before.active, before.taken) == (True, 0)
    assert scene.collector.state().taken == 1
