import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitcam.pictures.resize import InputSpec
from vitcam_training.data.augment import (
    Augment,
    change,
    coarsen,
    cut_from_padded,
    erase,
    jitter,
    mix,
    move,
    random_crop,
)

SPEC = InputSpec(32, 48)


def gradient(height: int = 60, width: int = 90) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A picture whose pixels tell where they came from: red is the column, green the row."""
    red, green = np.meshgrid(np.arange(width) * 2, np.arange(height) * 4)
    return np.stack([red, green, np.full_like(red, 90)], -1).astype(np.uint8)


@given(height=st.integers(1, 300), width=st.integers(1, 300), seed=st.integers(0, 2**32 - 1))
def test_any_photo_becomes_a_picture_of_the_models_size(height: int, width: int, seed: int) -> None:
    photo = np.full((height, width, 3), 100, np.uint8)
    out = change(photo, SPEC, Augment(), np.random.default_rng(seed))

    assert out.shape == (32, 48, 3)
    assert out.dtype == np.uint8


def test_random_crops_keep_at_least_the_share_that_was_asked_for() -> None:
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(200):
        crop = random_crop(gradient(), SPEC, 0.5, rng).astype(float)
        columns, rows = np.ptp(crop[..., 0]) / 2 + 1, np.ptp(crop[..., 1]) / 4 + 1
        shares.append(columns * rows / (60 * 90))

    assert min(shares) > 0.42  # interpolation shaves a pixel off each side
    assert max(shares) < 1.0
    assert np.std(shares) > 0.08, "all sizes are drawn"


def test_colour_changes_stay_within_the_factors_that_were_asked_for() -> None:
    grey = np.full((8, 8, 3), 100, np.uint8)
    means = [jitter(grey, 0.2, np.random.default_rng(seed)).mean() for seed in range(100)]

    assert 78 < min(means) < 90
    assert 110 < max(means) < 122


def test_a_padded_picture_is_cut_anywhere_within_its_black_border() -> None:
    image = np.full((8, 6, 3), 200, np.uint8)
    rng = np.random.default_rng(0)
    cuts = [cut_from_padded(image, 2, rng) for _ in range(200)]
    rows, columns = ({int((cut[..., 0] > 0).any(axis=axis).sum()) for cut in cuts} for axis in (1, 0))

    assert {cut.shape for cut in cuts} == {(8, 6, 3)}
    assert rows == {6, 7, 8}
    assert columns == {4, 5, 6}


def test_a_picture_moves_turns_and_grows_as_far_as_was_asked_and_no_further() -> None:
    spot = np.zeros((41, 41, 3), np.uint8)
    spot[18:23, 18:23] = 255
    rng = np.random.default_rng(0)

    def middles(augment: Augment) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        found = [np.argwhere(move(spot, augment, rng)[..., 0] > 127) for _ in range(200)]
        return np.array([where.mean(0) - 20 for where in found])

    far = np.abs(middles(Augment(shift=0.1))).max(0)
    assert np.all((far > 3.3) & (far < 4.8)), "a tenth of 41 px, both ways"
    assert np.abs(middles(Augment(turn=45.0, zoom=0.3))).max() < 0.6, "about the middle"


def test_turns_and_zooms_follow_the_angle_and_the_fraction() -> None:
    bar = np.zeros((41, 41, 3), np.uint8)
    bar[19:22, 5:36] = 255
    rng = np.random.default_rng(0)

    def slopes_and_lengths(augment: Augment) -> tuple[list[float], list[float]]:
        slopes, lengths = [], []
        for _ in range(200):
            rows, columns = np.nonzero(move(bar, augment, rng)[..., 0] > 127)
            slopes.append(abs(math.degrees(math.atan(np.polyfit(columns, rows, 1)[0]))))
            lengths.append(float(np.ptp(columns)))
        return slopes, lengths

    slopes, _ = slopes_and_lengths(Augment(turn=10.0))
    _, lengths = slopes_and_lengths(Augment(zoom=0.2))

    assert 8.5 < max(slopes) < 11.5
    assert 24 <= min(lengths) < 27
    assert 35 < max(lengths) <= 38


@pytest.mark.parametrize(("asked", "least", "most"), [({}, 0, 0), ({"flip": 0.5}, 70, 130), ({"erase": 0.25}, 30, 70)])
def test_pictures_are_mirrored_and_erased_as_often_as_was_asked(asked: dict[str, Any], least: int, most: int) -> None:
    rng, how = np.random.default_rng(0), Augment(**{"crop_scale": 1.0, "flip": 0.0, "colour": 0.0, **asked})
    changed = [not np.array_equal(change(gradient(32, 48), SPEC, how, rng), gradient(32, 48)) for _ in range(200)]

    assert least <= sum(changed) <= most


def test_blended_targets_follow_the_share_of_each_picture() -> None:
    images = np.stack([np.zeros((20, 20, 3)), np.full((20, 20, 3), 200)]).astype(np.uint8)
    targets = np.eye(2, dtype=np.float32)
    rng = np.random.default_rng(0)
    for _ in range(50):
        mixed, blended = mix(images, targets, rng)

        np.testing.assert_allclose(blended.sum(-1), 1.0, atol=1e-6)
        np.testing.assert_allclose(mixed.mean((1, 2, 3)) / 200, blended[:, 1], atol=0.02)


def test_blending_gives_both_mixup_and_cutmix_pictures() -> None:
    images = np.stack([np.zeros((20, 20, 3)), np.full((20, 20, 3), 200)]).astype(np.uint8)
    rng = np.random.default_rng(0)
    levels = [len(np.unique(mix(images, np.eye(2, dtype=np.float32), rng)[0][0])) for _ in range(50)]

    assert 2 in levels, "CutMix shows two pictures side by side"
    assert any(np.ptp(mix(images, np.eye(2, dtype=np.float32), rng)[0][0]) == 0 for _ in range(50)), "mixup blends all"


@pytest.mark.parametrize("size", [(5, 400), (400, 5)])
def test_a_strip_too_long_for_any_crop_is_cut_as_the_daemon_cuts_it(size: tuple[int, int]) -> None:
    photo = np.zeros((*size, 3), np.uint8)

    assert random_crop(photo, SPEC, 0.9, np.random.default_rng(0)).shape == (32, 48, 3)


def test_a_coarsened_photo_keeps_its_colours_and_loses_half_of_its_sides_at_most() -> None:
    rng = np.random.default_rng(0)
    photo = gradient(64, 64)
    sizes = []
    for _ in range(100):
        coarse = coarsen(photo, rng)
        sizes.append(coarse.shape[0])
        np.testing.assert_allclose(coarse.mean(axis=(0, 1)), photo.mean(axis=(0, 1)), atol=2)

    assert (min(sizes) >= 32, min(sizes) < 40, max(sizes) > 58) == (True, True, True)


def test_an_erased_rectangle_has_the_papers_size_and_shape_and_is_noise() -> None:
    rng = np.random.default_rng(0)
    plain = np.full((60, 90, 3), 128, np.uint8)
    shares, ratios = [], []
    for _ in range(200):
        covered = erase(plain, rng)
        rows, columns = (np.flatnonzero((covered != 128).any(axis)) for axis in ((1, 2), (0, 2)))
        height, width = np.ptp(rows) + 1, np.ptp(columns) + 1
        shares.append(height * width / (60 * 90))
        ratios.append(height / width)

    assert (plain == 128).all(), "the photo itself stays"
    assert 0.018 < min(shares) < 0.06
    assert 0.28 < max(shares) < 0.35
    assert 0.28 < min(ratios) < 0.5
    assert 2.0 < max(ratios) < 3.6
    assert covered[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].std() > 60


def test_rand_augment_is_applied_with_the_numbers_of_the_recipe() -> None:
    plain = Augment(crop_scale=1.0, flip=0.0, colour=0.0, randaugment=2, magnitude=9.0)
    changed = [change(gradient(32, 48), SPEC, plain, np.random.default_rng(seed)) for seed in range(50)]
    differ = sum(not np.array_equal(picture, gradient(32, 48)) for picture in changed)

    assert differ > 44, "two identities in a row are one in 196"
    np.testing.assert_array_equal(changed[7], change(gradient(32, 48), SPEC, plain, np.random.default_rng(7)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"crop_scale": 0.0}, "crop_scale is 0; 0.01 to 1 is allowed"),
        ({"flip": 1.5}, "flip is 1.5; 0 to 1 is allowed"),
        ({"magnitude": 11.0}, "magnitude is 11; 0 to 10 is allowed"),
        ({"randaugment": -1}, "randaugment is -1; 0 to 14 is allowed"),
        ({"mix": float("nan")}, "mix is nan; 0 to 1 is allowed"),
    ],
)
def test_changes_that_cannot_be_meant_are_refused(values: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Augment(**values)  # type: ignore[arg-type]
