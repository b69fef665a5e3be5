"""Photos as at night, and as drawings."""

import numpy as np

from tests.needs import need_data
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import photo_of
from vitcam_training.data.published.ordinary import at_night, drawn


def test_a_photo_at_night_is_darker_greyer_and_noisier() -> None:
    plain = np.full((60, 80, 3), (200, 100, 50), np.uint8)
    night = at_night(plain, 1)

    assert night.shape == plain.shape
    assert night.dtype == np.uint8
    assert night.mean() < plain.mean() * 0.8
    assert np.ptp(night.mean((0, 1))) < np.ptp(plain.mean((0, 1)))
    assert night.std((0, 1)).min() > 2


def test_a_drawing_is_grey_and_has_lines_only_where_the_brightness_changes() -> None:
    halves = np.full((60, 80, 3), 90, np.uint8)
    halves[:, 40:] = 160
    lines = drawn(halves)

    assert np.array_equal(lines[..., 0], lines[..., 2])
    assert (lines[:, :10] == 255).all()
    assert (lines[:, 70:] == 255).all()
    assert lines[:, 35:40].min() < 220


def test_ordinary_photos_are_altered_when_they_are_read_and_show_the_same_things() -> None:
    need_data("ordinary")
    plain, night = (open_dataset(name).parts["heldout"] for name in ("ordinary", "ordinary-night"))

    assert [sample.label for sample in plain] == [sample.label for sample in night]
    assert photo_of(night[0]).mean() < photo_of(plain[0]).mean()
