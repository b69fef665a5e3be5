"""Photos whose thing is painted out."""

from pathlib import Path

import numpy as np

from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.painted import MOST, to_paint, without_thing


def test_the_half_to_which_the_evidence_points_is_in_the_colour_of_the_rest() -> None:
    image = np.full((56, 56, 3), 200, np.uint8)
    image[:28] = (255, 0, 0)
    evidence = np.zeros((4, 4), np.float32)
    evidence[:2] = 1.0
    copy = without_thing(image, evidence)

    assert (copy == 200).all()
    assert (image[:28] == (255, 0, 0)).all(), "the picture itself stays"
    assert (without_thing(image, np.ones((4, 4), np.float32)) == image).all(), "nothing is left of it"


def test_so_many_photos_of_each_label_are_copied_and_none_of_the_empty_scene() -> None:
    count = 3 * MOST
    photos = [Photo(label, Path(f"{i}.jpg")) for label in ("cup", "Nothing special") for i in range(count)]
    places = sorted(to_paint([*photos, Photo("hat", Path("hat.jpg"))]))

    assert places == [*range(0, count, 3), 2 * count]
