"""What is held out together."""

from pathlib import Path

import numpy as np

from vitcam.parts.teach.dataset import Photo
from vitcam.parts.teach.datasets.recordings import recording_of
from vitcam.parts.teach.folds import FOLDS, folds_of, groups_of, one_recording


def photos_of(*names: str) -> list[Photo]:
    return [Photo(name.split("/")[0], Path(name), recording_of(name)) for name in names]


def apart(count: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(count, 64)).astype(np.float32)


def test_pictures_of_one_recording_stay_together_and_others_do_not() -> None:
    photos = photos_of("a/20260101-1.jpg", "a/20260101-2.jpg", "a/20260102-1.jpg", "a/lone.jpg", "b/20260101-3.jpg")
    one, two, other, lone, of_b = groups_of(photos, apart(5))[0].tolist()

    assert one == two
    assert len({one, other, lone, of_b}) == 4


def test_photos_that_look_the_same_stay_together_whatever_their_names() -> None:
    embeddings = apart(4)
    embeddings[2] = embeddings[0] * 1.5 + 0.01
    groups, _ = groups_of(photos_of("a/1.jpg", "a/2.jpg", "a/3.jpg", "a/4.jpg"), embeddings)

    assert groups[0] == groups[2]
    assert len(set(groups.tolist())) == 3


def test_likeness_reaches_over_a_third_photo() -> None:
    embeddings = apart(5)
    embeddings[1] = embeddings[0] + 0.1 * embeddings[3]
    embeddings[2] = embeddings[1] + 0.1 * embeddings[4]
    groups, _ = groups_of(photos_of("a/1.jpg", "a/2.jpg", "a/3.jpg", "a/4.jpg", "a/5.jpg"), embeddings)

    assert groups[0] == groups[1] == groups[2]


def test_a_label_of_one_recording_is_cut_into_parts_that_follow_one_another() -> None:
    photos = photos_of(*(f"a/20260101-{i:02}.jpg" for i in range(20)), "b/20260101-1.jpg")
    every, together = groups_of(photos, apart(21))
    groups = every[:20]

    assert len(set(groups.tolist())) == FOLDS
    assert (np.diff(groups) >= 0).all()
    assert not together.any()
    assert one_recording(photos) == ("a", "b")


def test_each_fold_has_its_share_of_every_label() -> None:
    of = np.repeat(np.arange(3), 20)
    folds = folds_of(of, np.arange(60))

    for label in range(3):
        assert np.bincount(folds[of == label], minlength=FOLDS).tolist() == [4] * FOLDS
    np.testing.assert_array_equal(folds, folds_of(of, np.arange(60)))


def test_a_group_is_never_on_both_sides() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), rng.integers(1, 6, 20))
    of = groups // 10
    folds = folds_of(of, groups)

    assert all(len(set(folds[groups == group].tolist())) == 1 for group in range(20))
