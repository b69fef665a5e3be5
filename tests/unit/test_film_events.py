from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.videos import write_video
from vitcam.errors import SourceError, UsageError
from vitcam.events import Rules
from vitcam.film_events import predictions_of, steps_of
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.model.classifier import Classifier
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.sources.film import FilmFrame

GOLDEN = Path(__file__).parents[2] / "models/golden"
FPS, SIDE = 5, 240


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """8 s: on the left a cup from 2 to 6 s, on the right a cat from 3 to 7 s, grey around them."""
    cup, cat = (cv2.resize(cv2.imread(str(GOLDEN / name)), (SIDE, SIDE)) for name in ("coffee.jpg", "cat.jpg"))
    pictures = []
    for number in range(8 * FPS):
        picture = np.full((SIDE, 2 * SIDE, 3), 90, np.uint8)
        if 2 * FPS <= number < 6 * FPS:
            picture[:, :SIDE] = cup
        if 3 * FPS <= number < 7 * FPS:
            picture[:, SIDE:] = cat
        pictures.append(picture)
    return write_video(tmp_path_factory.mktemp("film") / "two.mp4", pictures, fps=FPS)


HALVES = Areas((Zone("left", Region(0, 0, 0.5, 1)), Zone("right", Region(0.5, 0, 0.5, 1))))


def test_each_zone_of_a_film_has_its_own_events_at_the_times_of_the_film(film: Path) -> None:
    predictions = predictions_of(film, Classifier("everyday"), HALVES)
    steps = steps_of(predictions, PlaceEvents(Rules(), ActiveAreas(HALVES)))
    ended = [each for _, told in steps for each in told if each.end_ns]
    times = {each.zone: (each.start_ns / 1e9, (each.end_ns or 0) / 1e9) for each in ended}

    assert len(ended) == 2
    assert times == {"left": pytest.approx((2.0, 5.8), abs=0.25), "right": pytest.approx((3.0, 6.8), abs=0.25)}


def test_without_zones_the_whole_view_is_one_area_and_every_frame_is_classified(film: Path) -> None:
    predictions = list(predictions_of(film, Classifier("everyday")))

    assert [each.seq for each in predictions] == list(range(8 * FPS))
    assert {each.zone for each in predictions} == {None}


def test_what_is_no_film_and_a_zone_outside_the_picture_are_refused_with_a_sentence(film: Path) -> None:
    everyday = Classifier("everyday")

    with pytest.raises(SourceError, match="there is no file"):
        next(predictions_of(film.with_name("none.mp4"), everyday, HALVES))
    with pytest.raises(UsageError, match="does not fit"):
        next(predictions_of(film, everyday, Areas((Zone("far", Region(900, 0, 50, 50)),))))


def test_a_frame_that_cannot_be_converted_is_a_gap_and_not_the_end(film: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    convert = FilmFrame.picture
    damaged = 3
    shown = iter(range(8 * FPS))
    monkeypatch.setattr(FilmFrame, "picture", lambda shot: None if next(shown) == damaged else convert(shot))
    predictions = list(predictions_of(film, Classifier("everyday")))

    assert [each.seq for each in predictions] == [seq for seq in range(8 * FPS) if seq != damaged]
