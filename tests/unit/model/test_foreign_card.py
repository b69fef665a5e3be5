"""A card for a classifier of others, with a tiny one that tells colours apart, and with real birds where they are."""

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.colour_model import LABELS, write_colour_model
from tests.needs import need_data
from vitcam.errors import ModelError, UsageError
from vitcam.frames import Image
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.foreign_card import Given, threshold_of, write_described
from vitcam.model.labels import read_labels

COLOURS = {"Red": (220, 20, 20), "Green": (20, 220, 20), "Blue": (20, 20, 220)}
GIVEN = Given("colours", LABELS)


def coloured(label: str, other: str = "", share: float = 0.0) -> Image:
    """(24, 24, 3): a colour with a little noise; of another one a share."""
    image = np.empty((24, 24, 3), np.uint8)
    image[:] = COLOURS[label]
    image[: round(24 * share)] = COLOURS[other or label]
    noise = np.random.default_rng(1).integers(0, 20, image.shape, np.uint8)
    image += noise
    return image


@pytest.mark.parametrize(
    ("kind", "mean", "std"), [("uint8", (), ()), ("int8", (), ()), ("float32", (127.5,), (127.5,))]
)
@pytest.mark.parametrize("probabilities", [True, False])
def test_a_model_with_a_card_answers_as_any_other(
    tmp_path: Path, kind: str, mean: tuple[float, ...], std: tuple[float, ...], probabilities: bool
) -> None:
    file = write_colour_model(tmp_path / "c.tflite", kind, probabilities)
    write_described(file, replace(GIVEN, mean=mean, std=std), (), tmp_path / "out.tflite")
    classifier = Classifier(tmp_path / "out.tflite")

    assert classifier.outputs == ("probabilities" if probabilities else "logits")
    assert [classifier.classify_image(coloured(label)).top[0].label for label in LABELS] == [*LABELS]
    assert sum(guess.p for guess in classifier.classify_image(coloured("Red")).top) == pytest.approx(1, abs=0.02)
    assert bundle.flatbuffer(tmp_path / "out.tflite") == file.read_bytes()


def test_the_same_normalisation_gives_the_same_whatever_the_input_is(tmp_path: Path) -> None:
    answers = []
    for kind in ("uint8", "int8", "float32"):
        file = write_colour_model(tmp_path / f"{kind}.tflite", kind)
        given = replace(GIVEN, mean=(128.0, 128.0, 128.0), std=(128.0, 128.0, 128.0))
        write_described(file, given, (), tmp_path / f"{kind}-out.tflite")
        found = Classifier(tmp_path / f"{kind}-out.tflite").classify_image(coloured("Red", "Blue", 0.4))
        answers.append([guess.p for guess in found.top])

    assert answers[0] == pytest.approx(answers[1], abs=0.02)
    assert answers[0] == pytest.approx(answers[2], abs=0.02)


def test_the_threshold_is_where_nine_of_ten_names_are_right() -> None:
    assert threshold_of([(0.9, True), (0.8, True), (0.3, False)]) == 0.8
    assert threshold_of([(0.9, True)] * 9 + [(0.4, False)]) == 0.4
    assert threshold_of([(0.99, True), (0.97, True)]) == 0.5, "all are right"
    assert threshold_of([(0.9, False)]) == 1.0
    assert threshold_of([(0.5, True), (0.5, False)]) == 1.0, "both have the same probability"


def test_photos_choose_the_threshold_and_the_card_says_what_was_measured(tmp_path: Path) -> None:
    file = write_colour_model(tmp_path / "c.tflite")
    photos = [(label, coloured(label.title())) for label in ("red", "Green", "blue") for _ in range(4)]
    photos += [("Red", coloured("Blue", "Red", 0.45))] * 2
    card = write_described(file, GIVEN, photos, tmp_path / "out.tflite")

    assert card.accuracy["n"] == 14
    assert card.accuracy["top1"] == pytest.approx(12 / 14)
    assert 0.5 < card.threshold < 1
    assert Classifier(tmp_path / "out.tflite").card.threshold == card.threshold
    with pytest.raises(UsageError, match="no label Purple"):
        write_described(file, GIVEN, [("Purple", coloured("Red"))], tmp_path / "other.tflite")
    assert not (tmp_path / "other.tflite").exists()


def test_labels_behind_the_graph_are_found(tmp_path: Path) -> None:
    file = write_colour_model(tmp_path / "c.tflite")
    behind = io.BytesIO()
    with zipfile.ZipFile(behind, "w") as archive:
        archive.writestr("labels.txt", "\n".join(LABELS))
    with_labels = tmp_path / "metadata.tflite"
    with_labels.write_bytes(file.read_bytes() + behind.getvalue())
    write_described(with_labels, replace(GIVEN, labels=()), (), tmp_path / "out.tflite")

    assert Classifier(tmp_path / "out.tflite").labels == LABELS


def test_what_cannot_be_described_is_refused_in_a_sentence(tmp_path: Path) -> None:
    out = tmp_path / "out.tflite"
    numbers = write_colour_model(tmp_path / "f.tflite", "float32")
    plain = write_colour_model(tmp_path / "c.tflite")
    with pytest.raises(UsageError, match=r"takes numbers and not a picture; say which by --mean 127\.5"):
        write_described(numbers, GIVEN, (), out)
    with pytest.raises(UsageError, match="carries no labels"):
        write_described(plain, replace(GIVEN, labels=()), (), out)
    with pytest.raises(ModelError, match="gives 3 probabilities, but there are 2 labels"):
        write_described(plain, replace(GIVEN, labels=LABELS[:2]), (), out)
    write_described(plain, GIVEN, (), out)
    with pytest.raises(UsageError, match="has a card already"):
        write_described(out, GIVEN, (), tmp_path / "again.tflite")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.tflite", "f.tflite", "out.tflite"]


def test_real_birds_get_a_card(tmp_path: Path) -> None:
    species = need_data("species")
    labels = read_labels(species / "birds.txt")
    write_described(species / "birds.tflite", Given("birds", labels), (), tmp_path / "birds.tflite")
    classifier = Classifier(tmp_path / "birds.tflite", threads=1)

    assert len(classifier.labels) == 965
    assert classifier.outputs == "probabilities"
    assert 0 < classifier.classify_image(coloured("Red")).top[0].p < 1
