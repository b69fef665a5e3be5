"""Fine-tuning on few labels that keeps what a network of many labels knew."""

from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.refusals import naming
from tests.training.unit.nets import small_vit
from tests.training.unit.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec
from vitcam_training.config import ViTConfig
from vitcam_training.data.batches import BatchPlan, plain_batches, with_others
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import NOTHING, REPLAY, UNLABELLED, Dataset, Sample
from vitcam_training.fit.cross_entropy import CrossEntropy, adjustment
from vitcam_training.fit.distil import DistilLoss, read_teacher
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.prepare import last_blocks, prepare, train
from vitcam_training.recipes.recipe import DistilRecipe, ModelRecipe, Recipe, TrainRecipe
from vitcam_training.weights.checkpoints import carried_head, read_weights, save_weights, to_timm
from vitcam_training.weights.metadata import Metadata

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")

KNOWN = ViTConfig(classes=4, image_size=(32, 32), patch_size=16, width=32, depth=2, heads=1)
SYNSETS = ("n00000001", "n00000002", "n00000003", "n00000004")
TRAIN = TrainRecipe(epochs=1, batch_size=6, per_label=4, learning_rate=2e-3, label_smoothing=0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forgetting")


@pytest.fixture(scope="module")
def known(folder: Path) -> Path:
    """A network of four labels that carry WordNet ids."""
    about = Metadata("known", "", ("scarlet", "crimson", "sea", "lawn"), InputSpec(32, 32), synsets=SYNSETS)
    save_weights(folder / "known.safetensors", to_timm(small_vit(KNOWN)), about)
    return folder / "known.safetensors"


@pytest.fixture(scope="module")
def dataset(folder: Path) -> Dataset:
    """Blue, green and red pictures: scarlet and crimson are red, the sea is blue, nobody knew green."""
    found = open_dataset(str(write_pictures(folder / "photos", each=12, side=32)))
    replay = tuple(replace(sample, label=UNLABELLED) for sample in found.parts["heldout"])
    named = {SYNSETS[0]: 2, SYNSETS[1]: 2, SYNSETS[2]: 0, SYNSETS[3]: 0}
    return replace(found, parts={**found.parts, REPLAY: replay}, synsets=named)


def recipe(**train: float) -> Recipe:
    return Recipe("mine", "photos", model=ModelRecipe(image_size=(32, 32)), train=replace(TRAIN, **train))  # type: ignore[arg-type]


def run(recipe: Recipe, known: Path, dataset: Dataset, out: Path, teacher: Path | None = None) -> FitRun:
    return prepare(recipe, known, out, dataset, teacher=teacher)


def test_a_head_begins_with_the_rows_that_the_old_one_had(dataset: Dataset) -> None:
    old = {
        "head.weight": np.arange(8, dtype=np.float32).reshape(4, 2),
        "head.bias": np.array([1, 3, 5, -2], np.float32),
    }
    head = carried_head(old, SYNSETS, dataset)

    assert head["head.weight"].tolist() == [[5, 6], [0, 0], [1, 2]]
    assert head["head.bias"].tolist() == [1.5, -2, 2]


def test_a_run_begins_with_the_carried_head(known: Path, dataset: Dataset, tmp_path: Path) -> None:
    begun, given = to_timm(run(recipe(), known, dataset, tmp_path).stage.vit), read_weights(known)

    np.testing.assert_array_equal(begun["head.weight"][2], given["head.weight"][:2].mean(axis=0))
    np.testing.assert_array_equal(begun["blocks.1.mlp.fc1.weight"], given["blocks.1.mlp.fc1.weight"])


def test_a_teacher_of_other_labels_answers_in_the_students(known: Path, dataset: Dataset) -> None:
    teacher = read_teacher(known, dataset, "float32")
    picture = np.full((1, 32, 32, 3), 90, np.uint8)
    own = keras.ops.convert_to_numpy(keras.ops.softmax(small_vit(KNOWN)(picture)[0]))[0]

    assert teacher.knows.tolist() == [True, False, True]
    np.testing.assert_allclose(teacher.soft_labels(picture, 1.0)[0], [own[2] + own[3], 0.0, own[0] + own[1]], atol=1e-5)


def test_a_teacher_shares_out_among_the_students_labels_what_it_gives_to_others(known: Path, dataset: Dataset) -> None:
    teacher = read_teacher(known, replace(dataset, synsets={SYNSETS[0]: 2, SYNSETS[2]: 0}), "float32")
    picture = np.full((1, 32, 32, 3), 90, np.uint8)
    own = keras.ops.convert_to_numpy(keras.ops.softmax(small_vit(KNOWN)(picture)[0]))[0]

    assert teacher.knows.tolist() == [True, False, True]
    np.testing.assert_allclose(
        teacher.soft_labels(picture, 1.0)[0], np.array([own[2], 0.0, own[0]]) / (own[0] + own[2]), atol=1e-5
    )


def test_a_teacher_without_any_label_of_the_photos_is_refused(known: Path, dataset: Dataset) -> None:
    with pytest.raises(UsageError, match="knows 4 labels, which are not the 3 of the photos"):
        read_teacher(known, replace(dataset, synsets={}), "float32")


def loss_of(targets: list[float], taught: list[float], logits: list[float], weight: float = 1.0) -> float:
    loss = DistilLoss(DistilRecipe(weight, 1.0), CrossEntropy(), np.array([True, False, True]))
    both = np.array([targets + taught], np.float32)
    return float(loss(both, np.array([logits], np.float32)))


def log_softmax(logits: list[float]) -> NDArray[np.float64]:
    return np.asarray(np.array(logits) - np.log(np.exp(logits).sum()))


def test_a_labelled_photo_is_compared_among_the_labels_that_the_teacher_knows() -> None:
    found = loss_of([0.0, 1.0, 0.0], [0.7, 0.0, 0.3], [0.2, 5.0, -0.4])

    assert found == pytest.approx(-(np.array([0.7, 0.3]) @ log_softmax([0.2, -0.4])), rel=1e-5)


def test_a_photo_without_a_label_shows_none_that_the_teacher_lacks() -> None:
    found = loss_of([0.0, 0.0, 0.0], [0.7, 0.0, 0.3], [0.2, 5.0, -0.4])

    assert found == pytest.approx(-(np.array([0.7, 0.0, 0.3]) @ log_softmax([0.2, 5.0, -0.4])), rel=1e-5)


def test_smoothing_shares_a_part_of_each_label_among_all() -> None:
    logits, targets = np.array([[0.2, 5.0, -0.4]], np.float32), np.array([[0.0, 1.0, 0.0]], np.float32)
    found = float(CrossEntropy(label_smoothing=0.3)(targets, logits))

    assert found == pytest.approx(-(np.array([0.1, 0.8, 0.1]) @ log_softmax([0.2, 5.0, -0.4])), rel=1e-5)


def test_frequent_labels_are_expected_while_training_and_not_afterwards() -> None:
    samples = tuple(Sample(Path("photo.jpg"), label) for label in (0, 0, 0, 1))
    few = Dataset("few", ("often", "once", "never"), {"train": samples})
    found = adjustment(few, replace(TRAIN, per_label=0, logit_adjustment=1.0))

    assert found is not None
    np.testing.assert_allclose(found, np.log(np.array([3, 1, 0.5]) / 4.5), rtol=1e-6)
    np.testing.assert_allclose(
        float(CrossEntropy(adjustment=found)(np.eye(3)[[0]].astype("float32"), np.zeros((1, 3), "float32"))),
        -np.log(3 / 4.5),
        rtol=1e-5,
    )
    assert adjustment(few, TRAIN) is None


def test_pictures_without_labels_have_their_share_of_every_epoch() -> None:
    photos = [Sample(Path(f"{i}.jpg"), 0) for i in range(30)]
    replay = [Sample(Path(f"replay{i}.jpg"), UNLABELLED) for i in range(4)]
    plain = [Sample(Path("plain.jpg"), NOTHING)]
    epoch = with_others(photos, [(replay, 0.2), (plain, 0.05)], np.random.default_rng(0))
    again = [sample.path.name for sample in epoch if sample.label == UNLABELLED]

    assert len(epoch) == 40
    assert [sample.label for sample in epoch].count(NOTHING) == 2
    assert [again.count(f"replay{i}.jpg") for i in range(4)] == [2, 2, 2, 2]
    assert with_others(photos, [((), 0.0)], np.random.default_rng(0)) == photos


def test_the_targets_of_what_has_no_label_are_none_or_all(dataset: Dataset) -> None:
    first = dataset.parts["train"][0]
    samples = [replace(first, label=label) for label in (1, UNLABELLED, NOTHING)]
    _, targets = next(plain_batches(samples, BatchPlan(InputSpec(32, 32), 3, 3)))

    np.testing.assert_allclose(targets, np.array([[0, 1, 0], [0, 0, 0], [1 / 3, 1 / 3, 1 / 3]]), rtol=1e-6)


def test_where_there_is_nothing_the_teacher_is_not_believed(
    known: Path, dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distilled = replace(recipe(), distil=DistilRecipe(0.5, 1.0))
    learner = run(distilled, known, dataset, tmp_path, teacher=known).learner
    seen: list[NDArray[np.float32]] = []

    def noted(images: NDArray[np.uint8], targets: NDArray[np.float32]) -> tuple[float, float]:
        seen.append(targets)
        return 1.0, 0.0

    monkeypatch.setattr(learner.model, "train_on_batch", noted)
    nothing = np.full(3, 1 / 3, np.float32)
    learner.step(np.zeros((2, 32, 32, 3), np.uint8), np.stack([nothing, np.eye(3, dtype=np.float32)[0]]), 1e-3)

    np.testing.assert_allclose(seen[0][0], np.concatenate([nothing, nothing]), rtol=1e-6)
    assert not np.allclose(seen[0][1, 3:], nothing)


def test_what_a_recipe_lacks_is_named(known: Path, dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=naming("part 'blank'", "blank = 0")):
        run(recipe(blank=0.1), known, dataset, tmp_path / "run").train()
    with pytest.raises(UsageError, match=naming("part 'replay'", "--teacher")):
        run(recipe(replay=0.5), known, dataset, tmp_path / "run").train()
    with pytest.raises(UsageError, match=naming("start_share", "--weights")):
        prepare(recipe(start_share=0.5), None, tmp_path, dataset).train()
    with pytest.raises(UsageError, match="has 2 blocks; --blocks takes 0 to 2, not 3"):
        last_blocks(recipe(), known, 3)


@pytest.mark.slow("training/fit")
def test_replay_keeps_to_the_teacher_and_continues_where_it_stopped(
    known: Path, dataset: Dataset, tmp_path: Path
) -> None:
    keeping = replace(recipe(replay=0.5), distil=DistilRecipe(0.5, 1.0))
    trained = run(keeping, known, dataset, tmp_path / "run", teacher=known)
    steps = list(trained.epoch_steps())

    assert len(steps) == trained.stage.work.steps == 24 // 6
    assert np.isfinite(steps).all()


def test_frozen_blocks_keep_their_weights_and_the_others_learn(known: Path, dataset: Dataset, tmp_path: Path) -> None:
    trained = run(recipe(frozen_blocks=1), known, dataset, tmp_path)
    before = to_timm(trained.stage.vit)
    trained.train()
    after = read_weights(tmp_path / "weights.safetensors")
    changed = {name for name in after if not np.allclose(after[name], before[name], atol=1e-7)}

    assert {"blocks.1.mlp.fc1.weight", "head.weight"} <= changed
    assert not {name for name in changed if name.startswith(("blocks.0", "patch", "cls", "pos"))}


def test_shipped_weights_keep_their_share_of_the_start_and_the_head_is_learned(
    known: Path, dataset: Dataset, tmp_path: Path
) -> None:
    plain, mixed = (run(recipe(start_share=share), known, dataset, tmp_path / str(share)) for share in (0.0, 0.75))
    start = to_timm(mixed.stage.vit)
    plain.train()
    mixed.train()
    moved, kept = (read_weights(tmp_path / share / "weights.safetensors") for share in ("0.0", "0.75"))

    for name, begun in start.items():
        learned = 1.0 if name.startswith("head.") else 0.25
        np.testing.assert_allclose(kept[name] - begun, learned * (moved[name] - begun), atol=1e-5, err_msg=name)


def test_the_share_is_of_what_the_whole_training_began_with(known: Path, dataset: Dataset, tmp_path: Path) -> None:
    staged = replace(recipe(start_share=1.0), before=(recipe(),))
    train(staged, known, tmp_path / "run", dataset)
    begun, between, kept = map(
        read_weights, (known, *(tmp_path / "run" / f"{x}weights.safetensors" for x in ("stage1/", "")))
    )

    assert np.abs(between["blocks.1.mlp.fc1.weight"] - begun["blocks.1.mlp.fc1.weight"]).max() > 1e-4
    for name in set(begun) - {"head.weight", "head.bias"}:
        np.testing.assert_allclose(kept[name], begun[name], atol=1e-6, err_msg=name)


@pytest.mark.parametrize(("blocks", "frozen"), [(0, 2), (1, 1), (2, 0)])
def test_the_last_blocks_are_counted_from_the_head(known: Path, blocks: int, frozen: int) -> None:
    staged = replace(recipe(), before=(recipe(),))
    chosen = last_blocks(staged, known, blocks)

    assert [stage.train.frozen_blocks for stage in (*chosen.before, chosen)] == [frozen, frozen]
