"""What comes of a thing that moves at the side of a wide view: of a run, its history, and replays."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.command import vitcam
from tests.daemon import daemon
from tests.eventually import eventually
from tests.moving_scenes import textured
from tests.videos import write_video
from vitcam.history.store import EventStore
from vitcam.history.stored import Query, StoredEvent
from vitcam.pictures.decode import decode_image
from vitcam.rects import Box

GOLDEN = Path(__file__).parents[3] / "models/golden"
WIDTH, HEIGHT, SIDE, FPS = 1280, 720, 150, 8
LEFT = 20  # px; the model sees only the middle of the view


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10 s: from the third second on a cup moves up and down at the left border, where the whole view is not seen."""
    cup = cv2.resize(cv2.imread(str(GOLDEN / "coffee.jpg")), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    empty = cv2.resize(textured(3, 180, 320), (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC).clip(0, 255).astype("u1")
    pictures = []
    for number in range(10 * FPS):
        picture = empty.copy()
        if number >= 2 * FPS:
            top = 300 + round(60 * np.sin(number / 3))
            picture[top : top + SIDE, LEFT : LEFT + SIDE] = cup
        pictures.append(picture)
    return write_video(tmp_path_factory.mktemp("film") / "side.mp4", pictures, fps=FPS)


def cups(folder: Path) -> list[StoredEvent]:
    return [event for event in EventStore(folder).find(Query()).events if event.track is not None and event.frame]


def test_a_run_that_follows_keeps_the_box_and_a_replay_asks_it_bit_for_bit(film: Path, tmp_path: Path) -> None:
    run = ("--source", str(film), "--loop", "--follow", "motion")
    with daemon(*run, STATE_DIRECTORY=str(tmp_path)) as running:
        assert eventually(lambda: cups(tmp_path), within_s=120, every_s=0.2), running.errors()
        running.end()
    event = cups(tmp_path)[-1]
    store = EventStore(tmp_path)
    detail = store.detail(event)

    found = vitcam("replay", event.id, "--json", STATE_DIRECTORY=str(tmp_path))

    assert event.box is not None
    assert event.box.overlaps(Box(LEFT / WIDTH, 300 / HEIGHT, SIDE / WIDTH, SIDE / HEIGHT))
    assert detail is not None
    assert decode_image(detail).shape[:2] == (event.summary.crop.height, event.summary.crop.width)
    assert found.code == 0, found.err
    assert (found.lines[0]["match"], found.lines[0]["box"]) == ("exact", str(event.box))


def test_a_video_is_followed_anew_only_where_that_is_wanted_and_says_so(film: Path) -> None:
    on, off = (vitcam("replay", str(film), "--json", "--set", f"look.follow={follow}") for follow in ("motion", "off"))

    boxed = [event for event in on.lines if event["box"] is not None]
    assert (on.code, off.code) == (0, 0), on.err + off.err
    assert "followed again" in on.err
    assert "followed again" not in off.err
    assert boxed
    assert boxed[0]["track"] == 1
    assert 1.5 < boxed[0]["start_s"] < 6
    assert [event for event in off.lines if event["box"] is not None] == []
