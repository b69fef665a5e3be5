"""The file of a text tower: what was written is read, and what is damaged is refused."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import naming
from tests.worded import MODEL
from vitcam.errors import ModelError
from vitcam.model.text.text_file import ABOUT, TextFile, write_text_file
from vitcam.model.text.vectors import vectors_of

FILE = MODEL.with_suffix(".words")


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    file = TextFile(FILE)
    write_text_file(tmp_path / "again.words", file.about, dict(file.weights), file.tokenizer)
    again = TextFile(tmp_path / "again.words")

    assert again.path.read_bytes() == FILE.read_bytes(), "the same tower makes the same file"
    assert again.about == file.about
    assert set(again.weights) == set(file.weights)
    assert all((again.weights[name] == array).all() for name, array in file.weights.items())


def test_a_missing_file_is_named_and_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=naming("there is no", "gone.words")):
        TextFile(tmp_path / "gone.words")


@pytest.mark.parametrize("share", [0, 0.01, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    content = FILE.read_bytes()
    cut = tmp_path / "cut.words"
    cut.write_bytes(content[: int(len(content) * share)])

    with pytest.raises(ModelError, match="cannot be read"):
        TextFile(cut)


def test_wrong_bytes_are_refused_or_do_no_harm(tmp_path: Path) -> None:
    content, rng = FILE.read_bytes(), np.random.default_rng(0)
    refused = 0
    for _ in range(100):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=3):
            damaged[place] ^= int(rng.integers(1, 256))
        (tmp_path / "damaged.words").write_bytes(damaged)
        try:
            vectors_of(TextFile(tmp_path / "damaged.words"), ["a cross"], 4)
        except ModelError:
            refused += 1

    assert refused > 90, "a zip knows the checksums of its parts"


def test_a_file_of_a_newer_vitcam_is_refused_by_its_schema(tmp_path: Path) -> None:
    newer = tmp_path / "newer.words"
    with zipfile.ZipFile(FILE) as old, zipfile.ZipFile(newer, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content.replace(b'"schema": 1', b'"schema": 2') if name == ABOUT else content)

    with pytest.raises(ModelError, match="has schema 2, this vitcam reads 1"):
        TextFile(newer)


@pytest.mark.parametrize(
    "said", ['{"schema": 1}', '{"schema": 1, "sizes": {}, "templates": [], "none": []}', "[]", "1"]
)
def test_a_description_without_its_values_is_refused(tmp_path: Path, said: str) -> None:
    strange = tmp_path / "strange.words"
    with zipfile.ZipFile(strange, "w") as archive:
        archive.writestr(ABOUT, said)

    with pytest.raises(ModelError, match="cannot be read"):
        TextFile(strange)


def test_a_tower_without_one_of_its_tensors_is_refused(tmp_path: Path) -> None:
    file = TextFile(FILE)
    weights = dict(file.weights)
    del weights["projection"]
    write_text_file(tmp_path / "less.words", file.about, weights, file.tokenizer)

    with pytest.raises(ModelError, match="projection"):
        vectors_of(TextFile(tmp_path / "less.words"), ["a cross"], 4)
