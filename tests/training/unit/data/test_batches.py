import logging
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.training.unit.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.data.augment import Augment
from vitcam_training.data.batches import BatchPlan, draw, plain_batches, training_batches
from vitcam_training.data.dataset import Sample, read_photo

SPEC = InputSpec(24, 24)


@pytest.fixture
def samples(tmp_path: Path) -> list[Sample]:
    write_pictures(tmp_path, each=10)
    return [
        Sample(path, i)
        for i, name in enumerate(("blue", "green", "red"))
        for path in sorted((tmp_path / name).glob("*"))
    ]


def plan(size: int = 8, threads: int = 1, seed: int = 0) -> BatchPlan:
    return BatchPlan(SPEC, labels=3, size=size, seed=seed, threads=threads)


def test_plain_batches_give_every_photo_once_in_order_as_the_daemon_sees_it(samples: list[Sample]) -> None:
    batches = list(plain_batches(samples, plan()))
    images = np.concatenate([images for images, _ in batches])

    assert [len(images) for images, _ in batches] == [8, 8, 8, 6]
    np.testing.assert_array_equal(images[13], to_model_size(read_photo(samples[13].path), SPEC))
    assert np.concatenate([targets for _, targets in batches]).argmax(-1).tolist() == [s.label for s in samples]


def test_threads_change_nothing_about_the_batches(samples: list[Sample]) -> None:
    one, three = (list(training_batches(samples, plan(threads=n), Augment(mix=0.5), epoch=2)) for n in (1, 3))

    assert len(one) == len(three) == 3
    for (images, targets), (same_images, same_targets) in zip(one, three, strict=True):
        np.testing.assert_array_equal(images, same_images)
        np.testing.assert_array_equal(targets, same_targets)


def test_every_epoch_and_every_seed_changes_the_pictures(samples: list[Sample]) -> None:
    first = next(training_batches(samples, plan(), Augment(), epoch=0))[0]
    later = next(training_batches(samples, plan(), Augment(), epoch=1))[0]
    other = next(training_batches(samples, plan(seed=1), Augment(), epoch=0))[0]

    assert not np.array_equal(first, later)
    assert not np.array_equal(first, other)


def test_an_epoch_draws_the_same_number_of_photos_of_each_label(samples: list[Sample]) -> None:
    uneven = samples[:10] + samples[10:13] + samples[20:28]
    drawn = draw(uneven, 7, np.random.default_rng(0))
    count = Counter(sample.path for sample in drawn)

    assert Counter(sample.label for sample in drawn) == {0: 7, 1: 7, 2: 7}
    assert max(count[sample.path] for sample in uneven[:10]) == 1, "enough photos: none twice"
    assert sorted(count[sample.path] for sample in uneven[10:13]) == [2, 2, 3], "too few: all come again"


def test_without_a_number_each_photo_is_drawn_once(samples: list[Sample]) -> None:
    drawn = draw(samples, 0, np.random.default_rng(0))

    assert drawn != samples
    assert sorted(drawn, key=lambda s: s.path) == sorted(samples, key=lambda s: s.path)


def test_a_broken_photo_is_named_and_skipped(samples: list[Sample], caplog: pytest.LogCaptureFixture) -> None:
    samples[3].path.write_bytes(samples[3].path.read_bytes()[:200])
    with caplog.at_level(logging.WARNING):
        images, targets = next(plain_batches(samples, plan()))

    assert len(images) == len(targets) == 7
    assert f"skipped {samples[3].path}: not an image: truncated" in caplog.text


def test_a_batch_without_one_readable_photo_is_refused(samples: list[Sample]) -> None:
    for sample in samples[:8]:
        sample.path.unlink()

    with pytest.raises(UsageError, match="not one of 8 photos can be read"):
        next(plain_batches(samples, plan()))


def test_leaving_early_ends_the_threads_that_worked_ahead(samples: list[Sample]) -> None:
    import threading

    batches = training_batches(samples * 20, plan(threads=2), Augment(), epoch=0)
    next(batches)
    batches.close()

    assert not [thread for thread in threading.enumerate() if thread.name.startswith("photos")]


def test_an_epoch_begun_at_a_later_batch_gives_the_same_batches_from_there(samples: list[Sample]) -> None:
    augment = Augment(mix=0.5, erase=0.5, randaugment=2)
    every = list(training_batches(samples, plan(), augment, epoch=4, per_label=20))
    later = list(training_batches(samples, plan(), augment, epoch=4, per_label=20, first=5))

    assert (len(every), len(later)) == (7, 2)
    for (images, targets), (same_images, same_targets) in zip(every[5:], later, strict=True):
        np.testing.assert_array_equal(images, same_images)
        np.testing.assert_array_equal(targets, same_targets)
