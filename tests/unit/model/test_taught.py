"""The rows in a model file that was taught, whatever its zip holds."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from vitcam.errors import ModelError, UsageError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model
from vitcam.model.spare_rows import AddedRows
from vitcam.model.taught import NONE, Taught

BASE = find_model("everyday")


def stored(array: np.ndarray[Any, Any], pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=pickled)
    return file.getvalue()


def taught(
    folder: Path, alone: bool = True, none: bool = True, parts: Mapping[str, bytes | None] = MappingProxyType({})
) -> Path:
    """A model file that was taught two labels, with these parts of its zip changed; None: left out."""
    described, path, changed = bundle.read(BASE), folder / "taught.tflite", folder / "changed.tflite"
    assert described is not None
    labels = ("Mia", "Tom")
    rows = np.random.default_rng(0).normal(0, 0.005, (2 + none, described.card.row_width)).astype(np.float32)
    given = AddedRows((*labels, NONE) if none else labels, rows, np.zeros(2 + none, np.float32))
    card = replace(described.card, taught="alone" if alone else "added", threshold=0.5, least_familiarity=None)
    known = list(labels) if alone else [*described.labels, *labels]
    bundle.write(path, bundle.flatbuffer(BASE), card, known, [], taught=Taught(given, alone, none))
    changed.write_bytes(bundle.flatbuffer(path))
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "a") as new:
        for name in old.namelist():
            content = parts.get(Path(name).stem, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return changed


def picture() -> np.ndarray[Any, Any]:
    return Classifier(BASE, threads=1).golden[0].image


def test_labels_alone_and_none_of_these_share_the_probability(tmp_path: Path) -> None:
    classifier = Classifier(taught(tmp_path), threads=1)
    answer = classifier.classify_image(picture())
    without = Classifier(taught(tmp_path, none=False), threads=1).classify_image(picture())

    assert {guess.label for guess in answer.top} == {"Mia", "Tom"}
    assert 0 < sum(guess.p for guess in answer.top) < 1
    assert sum(guess.p for guess in without.top) == pytest.approx(1, abs=1e-4)
    assert 0 <= answer.certainty <= 1


def test_added_labels_stand_behind_those_of_the_graph(tmp_path: Path) -> None:
    classifier = Classifier(taught(tmp_path, alone=False, none=False), threads=1)

    assert classifier.labels[-2:] == ("Mia", "Tom")
    assert len(classifier.labels) == len(Classifier(BASE, threads=1).labels) + 2


def test_models_of_one_graph_have_fingerprints_of_their_own(tmp_path: Path) -> None:
    of_two, of_one = (Classifier(taught(tmp_path, none=none), threads=1).fingerprint for none in (True, False))
    base = Classifier(BASE, threads=1)

    assert base.fingerprint == base.card.graph_sha256
    assert len({of_two, of_one, base.fingerprint}) == 3
    assert Classifier(taught(tmp_path), threads=1).fingerprint == of_two


def test_a_taught_model_takes_no_further_rows(tmp_path: Path) -> None:
    classifier = Classifier(taught(tmp_path), threads=1)

    with pytest.raises(UsageError, match="was taught"):
        classifier.take_rows(AddedRows.none(classifier.card))


WIDTH = 576


@pytest.mark.parametrize(
    "parts",
    [
        {"rows": None},
        {"offsets": None},
        {"rows": b"nonsense"},
        {"rows": stored(np.zeros((3, WIDTH)))},
        {"rows": stored(np.zeros((3, WIDTH - 1), np.float32))},
        {"rows": stored(np.zeros((1, WIDTH), np.float32))},
        {"rows": stored(np.zeros((9, WIDTH), np.float32))},
        {"rows": stored(np.zeros((900, WIDTH), np.float32))},
        {"rows": stored(np.full((3, WIDTH), np.nan, np.float32))},
        {"rows": stored(np.array([{}]), pickled=True)},
        {"offsets": stored(np.zeros(2, np.float32))},
        {"offsets": stored(np.array([0, 0, np.inf], np.float32))},
    ],
    ids=[
        "no rows", "no offsets", "no array", "float64", "too narrow", "too few", "too many", "far too many", "NaN",
        "pickled", "other offsets", "infinity",
    ],
)  # fmt: skip
def test_hostile_rows_are_refused(tmp_path: Path, parts: dict[str, bytes | None]) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        Classifier(taught(tmp_path, parts=parts), threads=1)


@pytest.mark.parametrize("kind", ["both", "added"])
def test_a_card_that_says_something_else_than_the_rows_is_refused(tmp_path: Path, kind: str) -> None:
    with zipfile.ZipFile(taught(tmp_path)) as file:
        card = json.loads(file.read("vitcam.json")) | {"taught": kind}

    with pytest.raises(ModelError, match="cannot be read"):
        Classifier(taught(tmp_path, parts={"vitcam": json.dumps(card).encode()}), threads=1)


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("joined", stored(np.array([10**6], np.float32))),
        ("joined", stored(np.array([-1], np.float32))),
        ("joined", stored(np.array([3, 3], np.float32))),
        ("joined", stored(np.array([[1]], np.float32))),
        ("joined", b"nonsense"),
        ("pictures", b"7 bytes"),
        ("pictures", bytes(2**21)),
    ],
)
def test_what_a_forged_file_says_of_its_rows_and_pictures_is_refused(tmp_path: Path, part: str, content: bytes) -> None:
    path = taught(tmp_path, alone=False, none=False, parts={part: content})
    if part == "joined":
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("taught/joined.npy", content)

    with pytest.raises(ModelError):
        Classifier(path, threads=1)
