"""A model file that gets other words."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.needs import need_model
from tests.refusals import naming
from tests.shapes import draw
from tests.worded import worded_model
from vitcam.errors import ModelError, UsageError
from vitcam.model import bundle
from vitcam.model.bundle import Bundle
from vitcam.model.classifier import Classifier
from vitcam.model.text.relabel import destination_of, new_labels, read_open_vocabulary, write_relabelled
from vitcam.model.text.text_file import TextFile, write_text_file

SHAPES = ("a cross", "a circle", "a triangle")


def changed(model: Path, out: Path, *words: str) -> Bundle:
    described = read_open_vocabulary(model)
    write_relabelled(described, *new_labels(described, words), out)
    return read_open_vocabulary(out)


def named(model: Path, colour: str, shape: str) -> str:
    return Classifier(model, threads=1).classify_image(draw(colour, shape, np.random.default_rng(1))).top[0].label


def test_a_model_names_what_its_words_say(tmp_path: Path) -> None:
    model = worded_model(tmp_path)
    changed(model, tmp_path / "by-shape.tflite", *SHAPES)

    for colour, shape in [("red", "cross"), ("green", "circle"), ("blue", "triangle")]:
        assert named(model, colour, shape) == f"a {colour} thing"
        assert named(tmp_path / "by-shape.tflite", colour, shape) == f"a {shape}"


def test_other_words_leave_the_graph_and_what_is_known_of_it_as_they_were(tmp_path: Path) -> None:
    model = worded_model(tmp_path)
    before, after = read_open_vocabulary(model), changed(model, tmp_path / "other.tflite", *SHAPES)

    assert bundle.flatbuffer(after.path) == bundle.flatbuffer(model)
    assert after.labels == SHAPES
    assert after.card == replace(before.card, description="3 labels in words", accuracy={})
    assert [image.image.tobytes() for image in after.blank] == [image.image.tobytes() for image in before.blank]


def test_a_changed_model_still_verifies_itself(tmp_path: Path) -> None:
    model = worded_model(tmp_path)
    found = changed(model, model, *SHAPES)

    assert [golden.top[0].label for golden in found.golden] == ["a triangle", "a circle"]
    assert all(check.ok for check in Classifier(model, threads=1).verify())
    assert {path.name for path in tmp_path.iterdir()} == {"shapes.tflite", "shapes.words"}, "no draft is left"


def test_one_word_is_told_from_none_of_it(tmp_path: Path) -> None:
    model = worded_model(tmp_path)
    found = changed(model, model, "a cross")
    classifier, rng = Classifier(found.path, threads=1), np.random.default_rng(0)
    crosses = [classifier.classify_image(draw(colour, "cross", rng)) for colour in ("red", "green", "blue")]
    others = [classifier.classify_image(draw("red", shape, rng)) for shape in ("circle", "triangle", "ring")]

    assert all(each.known for each in crosses)
    assert not any(each.known for each in others)


def test_a_text_tower_of_another_network_is_refused(tmp_path: Path) -> None:
    model = worded_model(tmp_path)
    file = TextFile(tmp_path / "shapes.words")
    write_text_file(file.path, replace(file.about, logit_scale=1.0), dict(file.weights), file.tokenizer)

    with pytest.raises(UsageError, match=naming("shapes.words", "another network", "shapes.tflite")):
        changed(model, model, *SHAPES)


def test_without_its_text_tower_a_model_keeps_its_words(tmp_path: Path) -> None:
    model = worded_model(tmp_path)
    (tmp_path / "shapes.words").unlink()

    assert named(model, "red", "cross") == "a red thing"
    with pytest.raises(ModelError, match=r"there is no .*shapes\.words"):
        changed(model, model, *SHAPES)


def test_labels_that_are_no_words_are_refused() -> None:
    with pytest.raises(UsageError, match=naming("mnist.tflite", "vitcam-train words")):
        read_open_vocabulary(need_model("mnist"))


def test_a_model_that_was_found_by_name_is_changed_in_the_users_own_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delitem(os.environ, "STATE_DIRECTORY", raising=False)
    shipped = Path("/usr/lib/somewhere/shapes.tflite")

    assert destination_of("shapes", shipped) == tmp_path / "vitcam" / "models" / "shapes.tflite"
    assert destination_of("./shapes.tflite", shipped) == shipped
