"""Smaller inputs of a small network, made and asked as the study does."""

from pathlib import Path

import numpy as np
import pytest

from tests.training.unit.nets import small_about, small_vit
from tests.videos import write_video
from vitcam.errors import UsageError
from vitcam.model.classifier import Classifier
from vitcam.replay.video import predictions_of
from vitcam_training.export.export import export_model
from vitcam_training.study.input_sizes.looks import ask_clip, make_file
from vitcam_training.weights.checkpoints import save_weights, to_timm

pytestmark = pytest.mark.slow("training/study/input_sizes", "training/export")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of 32 px with its weights beside it."""
    root = tmp_path_factory.mktemp("model")
    save_weights(root / "trained.safetensors", to_timm(small_vit()), small_about(), "float32")
    export_model(root / "trained.safetensors", root / "small.tflite", spare_rows=4)
    return root / "small.tflite"


def test_a_smaller_input_is_the_same_network_in_one_piece_and_its_answers_are_kept(model: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    plain = [np.full((48, 64, 3), 90, np.uint8)]
    film = write_video(tmp_path / "film.mp4", [*rng.integers(0, 256, (6, 48, 64, 3)).astype(np.uint8), *plain])
    size = make_file(model, 24, tmp_path)
    small = Classifier(size.path, threads=1)

    assert (small.input.height, small.labels, small.card.grid) == (24, Classifier(model).labels, (3, 3))
    assert (small.runtime.partitions, small.runtime.outside) == (1, 0)

    asked = ask_clip(size, film, tmp_path)
    said = list(predictions_of(film, small))
    own = size.predictions(asked)

    assert len(own) == len(said) > 0
    assert np.allclose(asked.probabilities.sum(1), 1, atol=1e-5)
    for ours, theirs in zip(own, said, strict=True):
        assert ours.captured_ns == theirs.captured_ns
        assert ours.blank == theirs.blank
        assert [guess.label for guess in ours.top] == [guess.label for guess in theirs.top]
        assert [guess.p for guess in ours.top] == pytest.approx([guess.p for guess in theirs.top], abs=1e-6)

    size.path.unlink()  # nothing is asked again
    assert np.array_equal(ask_clip(size, film, tmp_path).probabilities, asked.probabilities)


def test_a_size_that_patches_do_not_fill_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="30 px"):
        make_file(model, 30, tmp_path)
