"""What is filed of an event that a person corrected: what the model saw, not the view around it."""

from pathlib import Path

import numpy as np
import pytest

from tests.eventually import eventually
from tests.histories import change
from vitcam.errors import VitcamError
from vitcam.frames import Guess, Image
from vitcam.history.store import EventStore
from vitcam.history.stored import FrameSummary
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam.rects import Rect

WIDTH, HEIGHT = 320, 180


def view() -> Image:
    """Black, as a mask makes it, but for a grey door on the left."""
    picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    picture[:, :100] = 128
    return picture


def filed(folder: Path, crop: Rect, jpeg: bytes) -> Image:
    store = EventStore(folder)
    store.start()
    summary = FrameSummary((Guess("cup", 0.9),), (WIDTH, HEIGHT), crop)
    store.put(change("a", "end", jpeg=jpeg, summary=summary, zone="door"))
    assert eventually(lambda: store.get("a"))
    store.correct("a", "mug")
    store.stop(10)
    path = folder / "datasets/corrections/mug" / "a.jpg"
    return decode_image(path.read_bytes()) if jpeg.endswith(b"\xff\xd9") else np.frombuffer(path.read_bytes(), np.uint8)


def test_of_a_zone_only_the_part_that_the_model_saw_is_filed(tmp_path: Path) -> None:
    picture = filed(tmp_path, Rect(0, 40, 90, 90), encode_jpeg(view(), 90))

    assert picture.shape == (90, 90, 3)
    assert picture.min() > 100, "nothing of the masked view around it"


@pytest.mark.parametrize(
    "crop", [Rect(70, 0, 180, 180), Rect(81, 11, 158, 158), Rect(0, 0, 320, 180), Rect(0, 0, 0, 0)]
)
def test_of_the_whole_view_the_whole_picture_is_filed(tmp_path: Path, crop: Rect) -> None:
    assert filed(tmp_path, crop, encode_jpeg(view(), 90)).shape == (HEIGHT, WIDTH, 3)


@pytest.mark.parametrize("crop", [Rect(300, 170, 400, 400), Rect(-50, -50, 90, 90), Rect(319, 179, 1, 1)])
def test_a_crop_that_leaves_the_picture_is_cut_to_it(tmp_path: Path, crop: Rect) -> None:
    picture = filed(tmp_path, crop, encode_jpeg(view(), 90))

    assert 0 < picture.shape[0] <= HEIGHT
    assert 0 < picture.shape[1] <= WIDTH


def test_a_picture_that_is_damaged_is_filed_as_it_is(tmp_path: Path) -> None:
    damaged = b"no picture"

    assert filed(tmp_path, Rect(0, 40, 90, 90), damaged).tobytes() == damaged


@pytest.mark.fault(
    "a person's correction of an event cannot be kept",
    injected="a full database, and a file in place of the folder of the label",
    observed="the answer says so, and neither the event nor the examples that are taught have changed",
)
@pytest.mark.parametrize("fault", ["row", "picture"])
def test_a_correction_that_cannot_be_kept_leaves_event_and_examples_as_they_were(tmp_path: Path, fault: str) -> None:
    store = EventStore(tmp_path)
    store.start()
    store.put(change("a", "end", jpeg=encode_jpeg(view(), 90)))
    assert eventually(lambda: store.get("a"))
    store.correct("a", "mug")
    if fault == "row":
        connection = store._writer._connection
        assert connection is not None
        connection.execute(
            "CREATE TEMP TRIGGER full BEFORE UPDATE ON main.events BEGIN SELECT RAISE(FAIL, 'full'); END"
        )
    else:
        (tmp_path / "datasets/corrections" / "bowl").write_text("")
    with pytest.raises(VitcamError, match="cannot be"):
        store.correct("a", "bowl")
    event = store.get("a")
    store.stop(10)

    assert event is not None
    assert event.corrected == "mug"
    assert [
        path.relative_to(tmp_path / "datasets/corrections").parts
        for path in (tmp_path / "datasets/corrections").glob("*/*")
    ] == [("mug", "a.jpg")]
