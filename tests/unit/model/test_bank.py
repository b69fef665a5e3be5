"""The bank in a model file, whatever its zip holds."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.shapes import draw
from tests.worded import MODEL
from vitcam.errors import ModelError
from vitcam.model import bundle
from vitcam.model.bank import Bank
from vitcam.model.card import ModelCard
from vitcam.model.classifier import Classifier
from vitcam.model.record import model_info, model_record

RED_CROSS = draw("red", "cross", np.random.default_rng(1))


def some_bank(card: ModelCard, photos: int = 7) -> Bank:
    rng = np.random.default_rng(0)
    features = rng.normal(size=(photos, card.row_width)).astype(np.float16)
    labels = rng.integers(0, 3, photos).astype(np.int16)
    right = rng.uniform(0, 1, photos).astype(np.float16)
    return Bank(features, labels, rng.normal(9, 1, photos).astype(np.float16), right)


def with_bank(folder: Path, **parts: bytes | None) -> Path:
    """A model file with a bank, and these parts of it changed; None: left out."""
    described, whole, changed = bundle.read(MODEL), folder / "whole.tflite", folder / "changed.tflite"
    assert described is not None
    bank = some_bank(described.card)
    bundle.write(
        whole, bundle.flatbuffer(MODEL), described.card, list(described.labels), [], words=described.words, banked=bank
    )
    changed.write_bytes(bundle.flatbuffer(whole))
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(changed, "a", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = parts.get(name.removeprefix("bank/").removesuffix(".npy"), old.read(name))
            if content is not None:
                new.writestr(name, content)
    return changed


def stored(array: np.ndarray[Any, Any], pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=pickled)
    return file.getvalue()


def test_a_bank_is_read_as_it_was_written_and_only_when_it_is_asked_for(tmp_path: Path) -> None:
    classifier = Classifier(with_bank(tmp_path), threads=1)
    found, written = classifier.bank(), some_bank(classifier.card)
    assert found is not None

    assert (classifier.card.bank, len(found)) == (7, 7)
    for name in ("labels", "log_sums", "right"):
        np.testing.assert_array_equal(getattr(found, name), getattr(written, name))
        assert getattr(found, name).dtype == getattr(written, name).dtype
    step = np.abs(written.features).max(0) / 127
    assert found.features.dtype == np.float16
    assert (np.abs(found.features - written.features.astype(float)) <= 0.51 * step + 0.001).all()
    assert model_record(model_info(classifier))["bank"] == 7


def test_features_in_float16_of_an_older_file_are_read_as_they_are(tmp_path: Path) -> None:
    features = np.linspace(-3, 3, 7 * 160).reshape(7, 160).astype(np.float16)
    path = with_bank(tmp_path, features=stored(features), scales=None)
    found = Classifier(path, threads=1).bank()
    assert found is not None

    np.testing.assert_array_equal(found.features, features)


def test_a_column_of_zeros_stays_zero(tmp_path: Path) -> None:
    described = bundle.read(MODEL)
    assert described is not None
    bank = some_bank(described.card)
    bank.features[:, 3] = 0
    bundle.write(tmp_path / "m.tflite", bundle.flatbuffer(MODEL), described.card, list(described.labels), [],
                 words=described.words, banked=bank)  # fmt: skip
    found = Classifier(tmp_path / "m.tflite", threads=1).bank()
    assert found is not None

    assert not found.features[:, 3].any()


def test_the_running_model_keeps_nothing_of_the_bank_in_memory(tmp_path: Path) -> None:
    path = with_bank(tmp_path)
    classifier = Classifier(path, threads=1)
    _, _, kept = classifier.graph._made_of

    assert len(kept) == len(bundle.flatbuffer(path))  # with one signature alone, nothing in it is moved
    assert (
        classifier.clone(1).classify_image(RED_CROSS).top == Classifier(MODEL, threads=1).classify_image(RED_CROSS).top
    )
    assert 0 < bundle.bank_bytes(path) < path.stat().st_size - len(kept)
    assert bundle.bank_bytes(MODEL) == 0


def test_a_damaged_bank_does_not_keep_a_model_from_running(tmp_path: Path) -> None:
    path = with_bank(tmp_path, features=b"nonsense")

    assert Classifier(path, threads=1).card.bank == 7


@pytest.mark.parametrize(
    "parts",
    [
        {"features": None},
        {"labels": b""},
        {"features": stored(np.zeros((7, 160), np.float32))},
        {"features": stored(np.zeros((6, 160), np.float16))},
        {"features": stored(np.zeros((7, 160), np.float16)) + bytes(2**20)},
        {"features": stored(np.full((7, 160), np.nan, np.float16))},
        {"features": stored(np.zeros((7, 160), np.float16))[:-2]},
        {"scales": None},
        {"scales": stored(np.ones(159, np.float32))},
        {"scales": stored(np.full(160, np.nan, np.float32))},
        {"scales": stored(np.full(160, 1e30, np.float32))},
        {"labels": stored(np.full(7, 3, np.int16))},
        {"labels": stored(np.full(7, -1, np.int16))},
        {"log_sums": stored(np.array([{}] * 7), pickled=True)},
        {"log_sums": stored(np.full(7, np.inf, np.float16))},
        {"right": None},
    ],
    ids=[
        "a part is missing", "empty", "another kind", "too few", "too long", "not a number", "cut off",
        "no scales", "too few scales", "a scale that is not a number", "a scale that is too large",
        "a label that is not there", "a negative label", "pickled", "infinity", "what was right is missing",
    ],
)  # fmt: skip
def test_a_hostile_bank_is_refused(tmp_path: Path, parts: dict[str, bytes | None]) -> None:
    classifier = Classifier(with_bank(tmp_path, **parts), threads=1)

    with pytest.raises(ModelError, match=r"the bank of .*changed\.tflite cannot be read"):
        classifier.bank()


@pytest.mark.parametrize("photos", [-1, 10**15])
def test_a_bank_of_a_size_that_cannot_be_is_refused(tmp_path: Path, photos: int) -> None:
    path = with_bank(tmp_path)
    card = json.loads(zipfile.ZipFile(path).read("vitcam.json")) | {"bank": photos}
    changed = with_bank(tmp_path, **{"vitcam.json": json.dumps(card).encode()})

    with pytest.raises(ModelError, match="cannot be read"):
        Classifier(changed, threads=1).bank()


def test_a_file_without_a_bank_has_none() -> None:
    assert Classifier(MODEL, threads=1).bank() is None
