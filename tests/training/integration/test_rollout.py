"""Exported networks that explain themselves, and one that cannot, behind the daemon's classifier."""

from pathlib import Path

import numpy as np
import pytest

from tests.command import vitcam
from tests.training.unit.exported import Exported, expected_outputs
from tests.training.unit.nets import SMALL, photos
from vitcam.model import bundle
from vitcam.model.card import ModelCard
from vitcam.model.classifier import Classifier
from vitcam.model.record import model_info, model_record
from vitcam.pictures.resize import InputSpec
from vitcam_training.export.flatbuffer import only
from vitcam_training.export.network import positions

pytestmark = pytest.mark.slow("vitcam/model", "training/export")


@pytest.fixture(scope="module")
def network() -> Exported:
    return Exported.of(SMALL)


def write(path: Path, tflite: bytes) -> Path:
    card = ModelCard(
        name=path.stem,
        description="random weights",
        input=InputSpec(*SMALL.image_size),
        outputs=positions(tflite)[1],
        patch_size=SMALL.patch_size,
        grid=SMALL.grid,
        heads=SMALL.heads,
        layers=SMALL.depth,
        width=SMALL.width,
        parameters=1,
    )
    bundle.write(path, tflite, card, [f"thing {i}" for i in range(SMALL.classes)], [])
    return path


@pytest.fixture(scope="module")
def silent(network: Exported, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same network, exported as before there was a second signature."""
    return write(tmp_path_factory.mktemp("silent") / "silent.tflite", only("classify", network.int8))


def test_the_classifier_gives_the_rollout_and_rows_that_numpy_works_out(network: Exported, tmp_path: Path) -> None:
    classifier = Classifier(write(tmp_path / "small.tflite", network.floats), threads=1)
    for image in photos(3, SMALL, seed=5):
        expected = expected_outputs(SMALL, network.weights, image)
        found = classifier.classify_image(image, explain=True)

        assert found.rollout is not None
        assert found.rows is not None
        np.testing.assert_allclose(found.rollout, expected["rollout"].reshape(SMALL.grid), atol=1e-5)
        np.testing.assert_allclose(
            found.rows, expected["rows"].reshape(SMALL.depth, SMALL.heads, *SMALL.grid), atol=1e-4
        )


def test_to_explain_changes_nothing_that_the_classifier_says_besides(network: Exported, tmp_path: Path) -> None:
    classifier = Classifier(write(tmp_path / "small.tflite", network.int8), threads=1)
    image = photos(1)[0]
    before, explained, after = (classifier.classify_image(image, explain=explain) for explain in (False, True, False))

    assert before.rollout is before.rows is after.rollout is None
    assert before.attention is not None
    assert before.embedding is not None
    assert explained.attention is not None
    assert explained.embedding is not None
    assert [guess.label for guess in before.top] == [guess.label for guess in explained.top]
    np.testing.assert_allclose(explained.attention, before.attention, atol=1e-4)
    np.testing.assert_allclose(explained.embedding, before.embedding, atol=1e-3)
    assert after.top == before.top


def test_a_model_without_the_second_signature_says_so_and_goes_on(silent: Path) -> None:
    classifier = Classifier(silent, threads=1)
    prediction = classifier.classify_image(photos(1)[0], explain=True)

    assert not classifier.explains
    assert model_record(model_info(classifier))["rollout"] is False
    assert prediction.rollout is prediction.rows is None
    assert prediction.attention is not None


def test_the_daemon_refuses_to_draw_what_its_model_cannot_give(silent: Path) -> None:
    result = vitcam("run", "--source", "demo", "--model", str(silent), "--overlay", "rollout", "--port", "0")

    assert result.code == 2
    assert f"the overlay is rollout, but {silent} does not give it" in result.err
    assert "--overlay auto" in result.err
    assert "Traceback" not in result.err
