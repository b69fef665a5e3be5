from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
import pytest

from tests.refusals import naming
from tests.training.unit.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam_training.data.augment import Augment
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.cross_entropy import CrossEntropy
from vitcam_training.fit.distil import DistilLoss, Teacher, accuracy, read_teacher
from vitcam_training.fit.prepare import prepare
from vitcam_training.recipes.recipe import AboutRecipe, DistilRecipe, ModelRecipe, Recipe, TrainRecipe
from vitcam_training.weights.checkpoints import read_weights, save_weights
from vitcam_training.weights.metadata import read_metadata

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")

LABELS = ("blue", "green", "red")


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    root = tmp_path_factory.mktemp("distil")
    return Recipe(
        name="pupil",
        data=str(write_pictures(root / "photos", each=12, side=32)),
        model=ModelRecipe(image_size=(32, 32), patch_size=16, width=32, depth=1, heads=1),
        augment=Augment(mix=0.5),
        train=TrainRecipe(epochs=1, batch_size=6, per_label=4, learning_rate=2e-3),
        about=AboutRecipe(trained_on=({"data": "drawn pictures"},)),
    )


@pytest.fixture(scope="module")
def checkpoint(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher of twice the pupil's picture size."""
    folder = tmp_path_factory.mktemp("teacher")
    about = AboutRecipe(trained_on=({"data": "pictures that only the teacher saw"},))
    model = replace(recipe.model, image_size=(64, 64))
    prepare(replace(recipe, name="master", model=model, about=about), None, folder).train()
    return folder / "weights.safetensors"


def test_the_loss_is_hintons_with_the_temperature_squared() -> None:
    rng = np.random.default_rng(0)
    logits, hard = rng.normal(size=(5, 3)), np.eye(3)[[0, 1, 2, 0, 1]]
    soft = rng.dirichlet(np.ones(3), 5)
    loss = DistilLoss(DistilRecipe(weight=0.7, temperature=3.0), CrossEntropy())
    found = float(loss(np.hstack([hard, soft]).astype("float32"), logits.astype("float32")))

    def cross_entropy(targets: np.ndarray[tuple[int, ...], np.dtype[np.float64]], scale: float) -> float:
        scaled = logits / scale
        log = scaled - np.log(np.exp(scaled).sum(-1, keepdims=True))
        return float(-(targets * log).sum(-1).mean())

    assert found == pytest.approx(0.3 * cross_entropy(hard, 1.0) + 0.7 * 9.0 * cross_entropy(soft, 3.0), rel=1e-5)


def test_a_teacher_that_is_copied_exactly_leaves_no_gradient() -> None:
    logits = keras.ops.convert_to_tensor(np.random.default_rng(0).normal(size=(4, 3)).astype("float32"))
    soft = keras.ops.softmax(logits / 2.0)
    loss = DistilLoss(DistilRecipe(weight=1.0, temperature=2.0), CrossEntropy(label_smoothing=0.1))
    targets = keras.ops.concatenate([keras.ops.zeros((4, 3)), soft], axis=1)
    least = float(loss(targets, logits))
    nudges = [keras.ops.convert_to_tensor(0.1 * row) for row in np.eye(3, dtype="float32")]
    others = [float(loss(targets, logits + nudge)) for nudge in nudges]

    assert min(others) > least


def test_right_answers_are_counted_by_the_true_labels_alone() -> None:
    true, soft = np.eye(3)[[0, 1]], np.eye(3)[[2, 2]]
    answers = np.array([[5.0, 0, 0], [0, 0, 5.0]])

    assert np.asarray(accuracy(np.hstack([true, soft]), answers)).tolist() == [1.0, 0.0]


def test_the_rows_of_one_label_teach_together(checkpoint: Path, tmp_path: Path) -> None:
    rows = (1, 0, *[1] * (len(LABELS) - 2))
    about = replace(read_metadata(checkpoint), labels=LABELS[:2], rows=rows)
    save_weights(tmp_path / "twins.safetensors", read_weights(checkpoint), about)
    picture = np.random.default_rng(0).integers(0, 256, (1, 32, 32, 3), np.uint8)
    alone = read_teacher(checkpoint, Dataset("photos", LABELS, {}), "float32").soft_labels(picture, 1.0)[0]
    together = read_teacher(tmp_path / "twins.safetensors", Dataset("photos", LABELS[:2], {}), "float32")

    np.testing.assert_allclose(together.soft_labels(picture, 1.0)[0], np.bincount(rows, alone), atol=1e-6)


def test_soft_labels_come_from_the_same_pictures_at_the_teachers_size(checkpoint: Path) -> None:
    teacher = read_teacher(checkpoint, Dataset("photos", LABELS, {}), "float32")
    picture = np.random.default_rng(0).integers(0, 256, (1, 2, 2, 3), np.uint8).repeat(16, 1).repeat(16, 2)
    small, large = teacher.soft_labels(picture, 1.0), teacher.soft_labels(picture.repeat(2, 1).repeat(2, 2), 1.0)
    hot = teacher.soft_labels(picture, 50.0)

    np.testing.assert_allclose(small, large, atol=0.02)
    np.testing.assert_allclose(small.sum(-1), 1.0, rtol=1e-5)
    assert np.ptp(hot) < np.ptp(small)


@pytest.mark.slow("training/fit")
def test_a_pupil_trains_on_what_its_teacher_says_and_its_card_names_both(
    recipe: Recipe, checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, ...]] = []
    real = Teacher.soft_labels

    def noted(self: Teacher, images: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], t: float) -> object:
        asked.append(images.shape)
        return real(self, images, t)

    monkeypatch.setattr(Teacher, "soft_labels", noted)
    prepare(replace(recipe, distil=DistilRecipe(0.9, 4.0)), None, tmp_path / "run", teacher=checkpoint).train()
    about = read_metadata(tmp_path / "run" / "weights.safetensors")

    assert asked == [(6, 32, 32, 3)] * 2
    assert about.provenance["teacher"] == "weights.safetensors"
    assert about.provenance["taught_by"] == "master, weight 0.9, temperature 4"
    assert [photos["data"] for photos in about.trained_on] == ["drawn pictures", "pictures that only the teacher saw"]


def test_a_teacher_of_other_labels_is_refused_by_the_first_that_it_lacks(checkpoint: Path) -> None:
    with pytest.raises(UsageError, match=naming("3 labels", "2 of the photos", "(cup)")):
        read_teacher(checkpoint, Dataset("photos", ("blue", "cup"), {}), "float32")
    with pytest.raises(UsageError, match=r"\(in another order\)"):
        read_teacher(checkpoint, Dataset("photos", ("red", "green", "blue"), {}), "float32")


def test_a_recipe_with_a_teachers_table_wants_a_teacher(recipe: Recipe, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=naming("recipe pupil", "--teacher")):
        prepare(replace(recipe, distil=DistilRecipe()), None, tmp_path / "run")
