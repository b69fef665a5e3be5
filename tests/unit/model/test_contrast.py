"""Pictures without anything to see, made here: other ones than those on which the threshold was chosen."""

import math
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from vitcam.frames import Image
from vitcam.model.classifier import Classifier
from vitcam.model.out_of_distribution import LEAST_CONTRAST, contrast
from vitcam.pictures.resize import brightened

SIDE = 224
RAMP = np.linspace(-1, 1, SIDE)


def plain(level: float) -> np.ndarray:
    return np.full((SIDE, SIDE, 3), level, np.float64)


def noisy(scene: np.ndarray, spread: float) -> Image:
    """(SIDE, SIDE, 3) uint8: a scene with a sensor's noise."""
    noise = np.random.default_rng(5).normal(0, spread, scene.shape)
    return np.clip(scene + noise, 0, 255).astype(np.uint8)


def vignetted() -> np.ndarray:
    beige = np.array([222.0, 205.0, 178.0])
    return beige * (1 - 0.25 * (RAMP[:, None] ** 2 + RAMP**2) + 0.2 * RAMP)[..., None]


def drawing() -> Image:
    """A thin drawing on white paper."""
    paper = np.full((SIDE, SIDE, 3), 250, np.uint8)
    cv2.circle(paper, (110, 110), 50, (60, 60, 60), 3)
    cv2.line(paper, (60, 170), (170, 180), (40, 40, 90), 3)
    return paper


def small_thing() -> Image:
    """A cup of 45 px on a plain wall."""
    scene = vignetted()
    cv2.rectangle(scene, (90, 90), (135, 135), (150, 30, 30), -1)
    cv2.circle(scene, (140, 112), 12, (150, 30, 30), 4)
    return noisy(scene, 4)


def scene_in_the_dark() -> Image:
    scene = plain(9)
    for i in range(8):
        cv2.rectangle(scene, (10 + 26 * i, 40), (24 + 26 * i, 60 + 17 * i), (34, 30, 25), -1)
    return noisy(scene, 2)


def scaled(noise: Image) -> Image:
    """Noise as a model gets it that sees 0.9 of a small picture: neighbours are alike."""
    return np.asarray(cv2.resize(noise.repeat(3, 2), (SIDE, SIDE), interpolation=cv2.INTER_LINEAR), np.uint8)


def blurred() -> np.ndarray:
    blobs = np.random.default_rng(6).uniform(0, 255, (5, 5, 3))
    return np.asarray(cv2.GaussianBlur(cv2.resize(blobs, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC), (0, 0), 20))


def palm() -> np.ndarray:
    return np.array([70.0, 14.0, 9.0]) * (1 + 0.5 * np.sin(2 * RAMP[:, None] + RAMP))[..., None]


BLANK: dict[str, Callable[[], Image]] = {
    "black": lambda: noisy(plain(0), 0),
    "black with noise": lambda: noisy(plain(2), 8),
    "white": lambda: noisy(plain(255), 0),
    "overexposed": lambda: noisy(plain(252), 6),
    "grey with noise": lambda: noisy(plain(120), 40),
    "noise alone": lambda: np.random.default_rng(7).integers(0, 256, (SIDE, SIDE, 3), np.uint8),
    "scaled noise": lambda: scaled(np.random.default_rng(7).integers(0, 256, (200, 200, 1), np.uint8)),
    "a lit wall": lambda: noisy(vignetted(), 5),
    "blurred colours": lambda: noisy(blurred(), 4),
    "a hand over the lens": lambda: noisy(palm(), 5),
}
THINGS: dict[str, Callable[[], Image]] = {
    "a drawing on white": drawing,
    "a small cup on a wall": small_thing,
    "a scene in the dark": scene_in_the_dark,
    "a drawing with much noise": lambda: noisy(drawing().astype(np.float64), 40),
}


@pytest.mark.parametrize("name", BLANK)
def test_a_picture_of_nothing_has_too_little_contrast(name: str) -> None:
    assert contrast(BLANK[name]()) < 0.9 * LEAST_CONTRAST


@pytest.mark.parametrize("name", THINGS)
def test_a_picture_of_a_thing_has_enough(name: str) -> None:
    assert contrast(THINGS[name]()) > 1.1 * LEAST_CONTRAST


@pytest.mark.parametrize("quality", [20, 60, 95])
def test_artefacts_of_jpeg_are_no_contrast(quality: int) -> None:
    _, jpeg = cv2.imencode(".jpg", noisy(vignetted(), 5), [cv2.IMWRITE_JPEG_QUALITY, quality])

    assert contrast(np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)) < LEAST_CONTRAST


@pytest.mark.parametrize("model", ["everyday", "mnist"])
def test_a_blank_picture_is_never_known_and_says_why(model: str) -> None:
    found = Classifier(model, threads=1).classify_image(noisy(vignetted(), 5))

    assert (found.blank, found.known) == (True, False)
    assert found.familiarity in (0.0, None)


def test_without_a_familiarity_a_blank_picture_is_unknown_too() -> None:
    classifier = Classifier("mnist", threads=1)
    classifier.card = replace(classifier.card, least_familiarity=None, threshold=0.0)

    assert not classifier.classify_image(np.zeros((28, 28, 3), np.uint8)).known


def test_the_model_file_says_how_much_contrast_is_needed() -> None:
    classifier = Classifier("everyday", threads=1)
    classifier.card = replace(classifier.card, least_contrast=0.0)

    assert not classifier.classify_image(np.zeros((SIDE, SIDE, 3), np.uint8)).blank


def test_a_dark_photo_is_seen_brighter_where_the_model_asks_for_it_and_the_dark_stays_blank() -> None:
    classifier = Classifier("everyday", threads=1)
    whole = replace(classifier.input, crop_fraction=1.0)
    dark = classifier.golden[0].image // 8
    classifier.card = replace(classifier.card, input=whole)
    plainly = classifier.classify_image(dark).top[0]
    expected = classifier.classify_image(brightened(dark, replace(whole, brighten=0.3))).top[0]
    classifier.card = replace(classifier.card, input=replace(whole, brighten=0.3))
    found = classifier.classify_image(dark).top[0]

    assert found == expected
    assert found != plainly
    assert classifier.classify_image(noisy(plain(3), 1)).blank


@pytest.mark.parametrize("size", [(1, 1), (2, 300), (300, 1)])
def test_a_picture_of_a_few_pixels_is_never_blank(size: tuple[int, int]) -> None:
    assert contrast(np.zeros((*size, 3), np.uint8)) == math.inf


def test_a_part_of_a_larger_picture_is_not_copied_wrongly() -> None:
    wide = np.full((SIDE, 400, 3), 200, np.uint8)
    wide[:, 100:324] = drawing()

    assert contrast(wide[:, 100:324]) == contrast(drawing())
