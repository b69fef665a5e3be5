from pathlib import Path

import numpy as np
import pytest

from vitcam_training.data.blank import SCENES, SEEDS, SIZES, blank_frame, scene_of
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import photo_of
from vitcam_training.data.folder import lay_out


@pytest.mark.parametrize("seed", range(len(SCENES)), ids=scene_of)
def test_a_seed_gives_the_same_frame_again(seed: int) -> None:
    frame = blank_frame(seed)

    assert frame.dtype == np.uint8
    assert (frame.shape[2], frame.shape[:2] in SIZES) == (3, True)
    np.testing.assert_array_equal(frame, blank_frame(seed))


def test_no_seed_is_in_two_parts() -> None:
    parts = [set(seeds) for seeds in SEEDS.values()]

    assert len(set.union(*parts)) == sum(map(len, parts))
    assert SEEDS["heldout"] == range(3_000_000, 3_000_200)


def test_the_data_set_draws_its_frames_when_they_are_read() -> None:
    sample = open_dataset("blank").part("heldout")[3]

    np.testing.assert_array_equal(photo_of(sample), blank_frame(SEEDS["heldout"][3]))


def test_frames_without_labels_are_laid_out_in_a_folder_of_the_data_sets_name(tmp_path: Path) -> None:
    dataset = open_dataset("blank")
    few = type(dataset)(dataset.name, (), {"choose": dataset.part("choose")[:2]})

    assert lay_out(few, "choose", tmp_path / "out") == 2
    assert len(list((tmp_path / "out" / "blank").glob("*.png"))) == 2
