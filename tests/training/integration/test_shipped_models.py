"""The models that ship, or could, measured on real photos."""

import json
import math
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from keras import ops

from tests.needs import need_data
from tests.training.integration.command import call
from tests.training.unit.nets import reference_vit
from vitcam.model.classifier import Classifier
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.evaluation.answers import figures
from vitcam_training.evaluation.model_file import ask_model, open_model
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import config_of, load_into, read_network, read_weights
from vitcam_training.weights.metadata import read_metadata
from vitcam_training.weights.normalisation import IMAGENET

SLOW = pytest.mark.slow(
    "models", "training/evaluation", "training/export", "training/weights", "vitcam/model", "vitcam/pictures"
)

MODELS = Path(__file__).parents[3] / "models"


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The held-out photos of `everyday` as a folder tree, as a user would lay them out."""
    for name in ("caltech101", "flowers", "imagenet_samples", "ordinary"):
        need_data(name)
    tree = tmp_path_factory.mktemp("data") / "heldout"
    call("split", "everyday", tree)
    return tree


@SLOW
@pytest.mark.timeout(1500)
def test_everyday_is_right_as_often_in_evaluate_as_in_the_daemon(held_out: Path) -> None:
    measured = json.loads(call("evaluate", "everyday", "--data", "everyday", "--json"))
    command = [sys.executable, "-m", "vitcam", "run", "--source", str(held_out), "--no-realtime", "--once"]
    ran = subprocess.run(
        [*command, "--log", "json", "--no-web"], capture_output=True, text=True, check=True, timeout=1200
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    predictions = [line for line in lines if line["type"] == "prediction"]
    dataset = open_dataset("everyday")
    accepted = {sample.path: {dataset.labels[label] for label in sample.right} for sample in dataset.parts["heldout"]}
    right = sum(line["top"][0]["label"] in accepted[Path(line["path"]).resolve()] for line in predictions)

    assert len(predictions) == measured["n"] == len(accepted)
    assert right / len(accepted) == measured["top1"]


@SLOW
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("model", "data", "every"),
    [
        ("everyday", "everyday", 1),
        ("cifar10", "cifar10", 10),
        ("cifar10-scratch", "cifar10", 10),
        ("mnist", "mnist", 10),
    ],
)
def test_the_published_figures_of_a_model_are_what_it_shows(model: str, data: str, every: int) -> None:
    dataset = open_dataset(data)
    held_out = dataset.part("heldout")
    classifier = open_model(model, dataset)
    published = classifier.card.accuracy
    card = (MODELS / f"{model}.md").read_text(encoding="utf-8")
    some = held_out[::every]
    measured = figures(ask_model(classifier, replace(dataset, parts={"heldout": some}), "heldout"))

    assert f"On the {published['n']:,} photos" in card
    assert published["n"] == len(held_out)
    for name, words in (("top1", "top-1"), ("top5", "top-5"), ("ece", "expected calibration error")):
        assert f"| {words} | {published[name]:.2%} |" in card
    for name in ("top1", "top5"):
        difference = abs(measured[name] - published[name])
        assert difference <= allowed(published[name], len(some), every)


def allowed(share: float, n: int, every: int) -> float:
    """By how much a share measured here may differ from the published one.

    Of all photos: one in 200, since processors round differently. Of some: four standard errors more.
    """
    return 0.005 + (4 * math.sqrt(share * (1 - share) / n) if every > 1 else 0)


def test_the_figures_in_the_card_of_everyday_are_those_in_its_file() -> None:
    classifier = Classifier("everyday")
    card = classifier.path.with_suffix(".md").read_text(encoding="utf-8")
    found = classifier.card.accuracy

    for name in ("top1", "top5", "ece", "float_top1", "agreement"):
        assert f"| {found[name]:.2%} |" in card
    assert f"| {found['attention_cosine_mean']:.4f} |" in card


def test_the_float16_weights_that_ship_are_those_of_the_model() -> None:
    classifier = Classifier("everyday")
    checkpoint = classifier.path.with_suffix(".safetensors")
    config, weights = read_network(checkpoint)
    vit = ViT(config)
    load_into(vit, weights)
    images = np.stack([golden.image for golden in classifier.golden])
    rows = ops.convert_to_numpy(vit(images)[0]).argmax(-1)
    guesses = [read_metadata(checkpoint).row_labels[row] for row in rows]

    assert [classifier.labels[i] for i in guesses] == [golden.top[0].label for golden in classifier.golden]
    assert sum(array.size for array in weights.values()) == classifier.card.parameters


def test_everyday_knows_its_golden_images_on_this_machine() -> None:
    results = Classifier("everyday").verify()

    assert len(results) >= 4
    assert [result for result in results if not result.ok] == []


@SLOW
@pytest.mark.timeout(900)
def test_deit_tiny_keeps_its_answers_and_its_attention_in_int8(tmp_path: Path) -> None:
    folder = need_data("deit_tiny")
    need_data("imagenet_samples")
    checkpoint, model = tmp_path / "deit.safetensors", tmp_path / "deit.tflite"
    call("import", folder / "deit_tiny_patch16_224.npz", "--labels", folder / "synset_words.txt", "-o", checkpoint)
    found = json.loads(call("export", checkpoint, "-o", model, "--data", "imagenet", "--json"))
    runtime = Classifier(model).runtime

    assert found["n"] == 1000
    assert found["float_top1"] >= 0.785
    assert found["top1"] >= 0.785
    assert found["agreement"] >= 0.985
    assert found["attention_cosine_mean"] >= 0.984
    assert (runtime.partitions, runtime.outside) == (1, 0)


@SLOW
def test_the_imported_deit_tiny_computes_what_a_second_implementation_does() -> None:
    weights = read_weights(need_data("deit_tiny") / "deit_tiny_patch16_224.npz")
    vit = ViT(config_of(weights, IMAGENET))
    load_into(vit, weights)
    images = np.stack([golden.image for golden in Classifier("everyday").golden[:2]])
    logits, taps = vit(images)
    expected, attention, _ = reference_vit(weights, images, heads=3)

    np.testing.assert_allclose(ops.convert_to_numpy(logits), expected, atol=2e-4)
    np.testing.assert_allclose(ops.convert_to_numpy(taps["block11/attention"]), attention, atol=1e-4)
