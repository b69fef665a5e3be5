"""The last blocks learn by day's answers: each dark picture has those of its own photo, and a mixture is one."""

from pathlib import Path

import numpy as np
import pytest
from keras import ops
from numpy.typing import NDArray

from tests.training.unit.nets import SMALL, photos, small_vit
from vitcam_training.data.dataset import Sample
from vitcam_training.study.night import tail as night_tail
from vitcam_training.study.night.copies import COPIES, Tokens, in_the_dark
from vitcam_training.study.night.tail import Tail, learn, mixed, right, values_of
from vitcam_training.vit import ViT

RNG = np.random.default_rng(3)
BEHIND = f"block{SMALL.depth - 2:02}/output"


def tokens_of(vit: ViT, pictures: NDArray[np.uint8]) -> Tokens:
    logits, taps = vit(pictures)
    return Tokens(*(ops.convert_to_numpy(each) for each in (taps[BEHIND], taps["embedding"], logits)))


def test_dark_copies_follow_their_photo_and_keep_its_size_and_seed() -> None:
    photo = RNG.integers(0, 255, (120, 90, 3), np.uint8)
    copies = in_the_dark([Sample(Path("a.jpg"), 0, pixels=photo)])

    assert len(copies) == len(COPIES)
    drawn = [each.render() for each in copies for _ in range(2) if each.render]
    assert all(np.array_equal(one, again) for one, again in zip(drawn[::2], drawn[1::2], strict=True))
    assert len({each.tobytes() for each in drawn}) == len(COPIES)
    assert all(each.mean() < photo.mean() for each in drawn)


def test_the_last_block_learns_to_answer_dark_pictures_as_by_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(night_tail, "BATCH", 8)
    monkeypatch.setattr(night_tail, "SPEED", 3e-3)
    vit, shown = small_vit(), photos(16)
    by_day, dark = tokens_of(vit, shown), tokens_of(vit, np.repeat(shown // 4, len(COPIES), axis=0))
    tail = Tail(vit, SMALL.depth - 1)
    samples = [Sample(Path(f"{i}.jpg"), int(label)) for i, label in enumerate(by_day.logits.argmax(-1))]
    rows = np.arange(SMALL.classes)

    assert np.allclose(ops.convert_to_numpy(tail(by_day.tokens)["logits"]), by_day.logits, atol=1e-4)
    before = values_of(tail)
    head = ops.convert_to_numpy(tail.head.kernel)

    def distance() -> float:
        return float(
            np.abs(ops.convert_to_numpy(tail(dark.tokens)["embedding"]) - np.repeat(by_day.embedding, 3, axis=0)).mean()
        )

    far = distance()
    learn(tail, by_day, dark, 4, tmp_path)
    near = distance()
    after = values_of(tail)
    assert near < far
    assert np.array_equal(ops.convert_to_numpy(tail.head.kernel), head)
    mixed(tail, before, after, 0.0)
    assert distance() == pytest.approx(far, rel=1e-4)
    assert right(tail, by_day, samples, rows).startswith("100.0%")
    mixed(tail, before, after, 1.0)
    assert distance() == pytest.approx(near, rel=1e-4)
