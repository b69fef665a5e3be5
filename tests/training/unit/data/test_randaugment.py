from collections import Counter

import numpy as np
import pytest

from vitcam_training.data import randaugment
from vitcam_training.data.randaugment import FILL, NAMES, OPERATIONS, Image, rand_augment

PAPER = [
    "identity", "autocontrast", "equalize", "rotate", "solarize", "color", "posterize", "contrast", "brightness",
    "sharpness", "shear-x", "shear-y", "translate-x", "translate-y",
]  # fmt: skip
WITHOUT_STRENGTH = ("autocontrast", "equalize")


def photo() -> Image:
    """Of many colours, with a fine pattern, and of a narrower range than bytes have."""
    rows, columns = np.mgrid[0:48, 0:64]
    pattern = 12 * ((rows // 2 + columns // 2) % 2)
    red, green, blue = 60 + 2 * columns, 40 + 3 * rows, 100 + columns + rows
    return np.asarray(np.stack([red + pattern, green + pattern, blue + pattern], -1), np.uint8)


@pytest.mark.parametrize("name", [name for name in PAPER if name not in WITHOUT_STRENGTH])
@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_an_operation_without_strength_leaves_the_picture_alone(name: str, direction: float) -> None:
    np.testing.assert_array_equal(OPERATIONS[name](photo(), 0.0, direction), photo())


@pytest.mark.parametrize("name", [name for name in PAPER if name not in (*WITHOUT_STRENGTH, "identity")])
@pytest.mark.parametrize("direction", [-1.0, 1.0])
def test_an_operation_changes_the_more_the_stronger_it_is(name: str, direction: float) -> None:
    def change(strength: float) -> float:
        out = OPERATIONS[name](photo(), strength, direction)
        assert out.shape == photo().shape
        assert out.dtype == np.uint8
        return float(np.abs(out.astype(int) - photo()).mean())

    assert 0 < change(0.3) < change(1.0)


def test_autocontrast_spreads_each_channel_over_the_whole_range() -> None:
    out = OPERATIONS["autocontrast"](photo(), 0.5, 1.0)
    flat = np.full((4, 4, 3), 77, np.uint8)

    assert out.min((0, 1)).tolist() == [0, 0, 0]
    assert out.max((0, 1)).tolist() == [255, 255, 255]
    np.testing.assert_array_equal(OPERATIONS["autocontrast"](flat, 0.5, 1.0), flat)


def test_equalize_makes_every_level_as_frequent_as_the_others() -> None:
    dark = (photo() // 4).astype(np.uint8)
    quarters = np.histogram(OPERATIONS["equalize"](dark, 0.5, 1.0)[..., 0], bins=4, range=(0, 256))[0]

    assert quarters.min() > 0.2 * quarters.sum()


def test_operations_on_values_do_what_their_names_say() -> None:
    grey = np.full((4, 4, 3), 100, np.uint8)

    assert OPERATIONS["brightness"](grey, 1.0, 1.0)[0, 0].tolist() == [190] * 3
    assert OPERATIONS["brightness"](grey, 1.0, -1.0)[0, 0].tolist() == [10] * 3
    assert OPERATIONS["solarize"](grey, 0.5, 1.0)[0, 0].tolist() == [100] * 3, "below 128"
    assert OPERATIONS["solarize"](grey, 0.7, 1.0)[0, 0].tolist() == [155] * 3, "above 77"
    assert OPERATIONS["posterize"](grey, 1.0, 1.0)[0, 0].tolist() == [96] * 3, "four bits"
    assert np.ptp(OPERATIONS["contrast"](photo(), 1.0, -1.0)) < 0.2 * np.ptp(photo())
    assert np.ptp(OPERATIONS["color"](photo(), 1.0, -1.0)[10, 10]) < 0.2 * np.ptp(photo()[10, 10])


def test_moves_go_as_far_as_the_ranges_say_and_fill_with_the_mean() -> None:
    spot = np.zeros((41, 41, 3), np.uint8)
    spot[19:22, 29:32] = 255

    def middle(name: str) -> tuple[float, float]:
        row, column = np.argwhere(OPERATIONS[name](spot, 1.0, 1.0).min(-1) > 127).mean(0) - 20
        return float(row), float(column)

    assert middle("rotate") == pytest.approx((5.0, 8.66), abs=0.6), "10 px right of the middle, turned by 30 degrees"
    assert middle("shear-y") == pytest.approx((3.0, 10.0), abs=0.6)
    np.testing.assert_array_equal(OPERATIONS["translate-x"](spot, 1.0, 1.0)[20, 5], FILL)
    np.testing.assert_array_equal(OPERATIONS["translate-y"](spot, 1.0, -1.0)[35, 5], FILL)


def test_operations_and_directions_are_drawn_alike_often(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: Counter[tuple[str, float]] = Counter()

    def noting(name: str) -> randaugment.Operation:
        def note(image: Image, strength: float, direction: float) -> Image:
            drawn[name, direction] += 1
            assert strength == 0.9
            return image

        return note

    monkeypatch.setattr(randaugment, "OPERATIONS", {name: noting(name) for name in NAMES})
    rng = np.random.default_rng(0)
    for _ in range(700):
        rand_augment(photo(), 2, 9.0, rng)

    assert sum(drawn.values()) == 1400
    assert len(drawn) == 28
    assert min(drawn.values()) > 25
