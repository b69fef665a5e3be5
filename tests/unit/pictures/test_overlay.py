from dataclasses import replace

import numpy as np
import pytest

from tests.frames import picture, prediction
from vitcam.errors import ModelError
from vitcam.frames import Prediction
from vitcam.pictures.overlay import draw_overlay, draw_weights, fuse_heads, heat_map
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.rects import Rect


def hot_corner(heads: int = 3) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    attention = np.full((heads, 14, 14), 0.001, np.float32)
    attention[:, :2, :2] = 0.2
    return attention


def looking_at_the_corner() -> Prediction:
    """With everything that an overlay can need."""
    one = hot_corner()[0]
    return replace(prediction(), attention=hot_corner(), evidence=one, rollout=one)


def test_the_heat_map_is_hottest_where_the_model_looked_most() -> None:
    heat = heat_map(fuse_heads(hot_corner()), 224, 224)

    assert heat.shape == (224, 224)
    assert heat[:24, :24].min() > 200
    assert heat[112:, 112:].max() < 5


def test_nothing_outside_the_crop_is_coloured_by_any_kind() -> None:
    image = picture(90, 160)
    crop = Rect(35, 0, 90, 90)
    for kind in OVERLAYS:
        out = draw_overlay(image, crop, looking_at_the_corner(), kind)

        assert (out[:, :35] == image[:, :35]).all()
        assert (out[:, 125:] == image[:, 125:]).all()


def test_a_spot_in_the_models_corner_is_drawn_in_the_crops_corner() -> None:
    out = draw_overlay(picture(90, 160), Rect(35, 0, 90, 90), looking_at_the_corner(), "attention", opacity=1)
    changed = np.abs(out.astype(int) - 128).sum(axis=2)
    y, x = np.unravel_index(changed.argmax(), changed.shape)

    assert x < 35 + 18
    assert y < 18


def test_the_callers_picture_is_never_written_to() -> None:
    image = picture()
    image.flags.writeable = False
    for kind in OVERLAYS:
        draw_overlay(image, Rect(28, 0, 72, 72), looking_at_the_corner(), kind)

    assert (image == 128).all()


def test_a_spot_gets_as_much_of_its_colour_as_its_heat_and_the_opacity_say() -> None:
    weights = np.random.default_rng(0).random((14, 14), np.float32)
    image = np.random.default_rng(1).integers(0, 256, (100, 128, 3), np.uint8)
    crop = Rect(28, 0, 72, 72)

    out = draw_weights(image, crop, weights, "tint", opacity=0.6)[:72, 28:100]

    share = heat_map(weights, 72, 72)[:, :, None] / 255 * 0.6
    colours = draw_weights(image, crop, weights, "heat")[:72, 28:100]
    assert np.abs(out - (share * colours + (1 - share) * image[:72, 28:100])).max() <= 1.5  # two roundings


def test_one_head_is_shown_alone_and_an_unknown_head_is_refused() -> None:
    attention = np.zeros((3, 4, 4), np.float32)
    attention[1] = 1

    assert fuse_heads(attention, 1).min() == 1
    assert fuse_heads(attention).max() == pytest.approx(1 / 3)
    with pytest.raises(ModelError, match="heads 0 to 2"):
        fuse_heads(attention, 3)


def test_a_model_without_attention_shows_the_plain_picture() -> None:
    image = picture()

    without = replace(prediction(), attention=None)

    assert draw_overlay(image, Rect(0, 0, 10, 10), without, "attention") is image
    assert draw_overlay(image, Rect(0, 0, 10, 10), None, "attention") is image


def test_what_speaks_against_the_answer_stays_as_cold_as_what_says_nothing() -> None:
    evidence = np.zeros((4, 4), np.float32)
    evidence[0, 0], evidence[3, 3] = 1, -5
    heat = heat_map(evidence, 40, 40, smooth=False)

    assert heat[2, 2] == 255
    assert heat[38, 38] == heat[2, 38] == 0
    assert (heat_map(-np.abs(evidence), 40, 40) == 0).all(), "nothing speaks for it: nothing glows"
