from pathlib import Path

import numpy as np

from vitcam.frames import Image
from vitcam.model.contrast import LEAST, contrast
from vitcam_training.data.blank.empty_crops import empty_crop, empty_crops
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.data.photos import photo_of


def busy(seed: int) -> Image:
    """(120, 160, 3): coarse blocks of random colours."""
    blocks = np.random.default_rng(seed).integers(0, 256, (15, 20, 3), np.uint8)
    return blocks.repeat(8, 0).repeat(8, 1)


def with_sky(seed: int) -> Image:
    photo = busy(seed)
    photo[:48, 96:] = (90, 140, 220)
    return photo


def test_the_plain_corner_of_a_photo_is_found_and_enlarged() -> None:
    found = empty_crop(with_sky(1))

    assert found is not None
    assert found.shape == (224, 224, 3)
    assert contrast(found) < LEAST
    assert np.abs(found.mean((0, 1)) - (90, 140, 220)).max() < 2


def test_a_photo_with_something_everywhere_has_no_empty_part() -> None:
    assert empty_crop(busy(2)) is None


def test_empty_parts_come_from_photos_trained_on_only() -> None:
    trained, held_out = (
        tuple(Sample(Path(f"{part}{i}.png"), 0, photo(i)) for i, photo in enumerate((with_sky, busy)))
        for part in ("train", "heldout")
    )
    found = empty_crops(Dataset("some", ("a",), {"train": trained, "heldout": held_out}))

    assert [(sample.path.name, sample.label) for sample in found] == [("train0.empty.png", -1)]
    assert contrast(photo_of(found[0])) < LEAST
