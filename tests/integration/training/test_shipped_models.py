"""The models that ship, or could, measured on real photos."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from keras import ops

from tests.integration.training.command import call
from tests.parts import need_data
from tests.unit.training.nets import reference_vit
from vitcam.model.classifier import Classifier
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import config_of, load_into, read_weights
from vitcam_training.weights.normalisation import IMAGENET

MODELS = Path(__file__).parents[3] / "models"


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The held-out photos of `everyday` as a folder tree, as a user would lay them out."""
    for name in ("caltech101", "flowers", "imagenet_samples", "ordinary"):
        need_data(name)
    tree = tmp_path_factory.mktemp("data") / "heldout"
    call("split", "everyday", tree)
    return tree


@pytest.mark.long
@pytest.mark.timeout(600)
def test_everyday_is_right_as_often_in_evaluate_as_in_the_daemon(held_out: Path) -> None:
    measured = json.loads(call("evaluate", "everyday", "--data", "everyday", "--json"))
    command = [sys.executable, "-m", "vitcam", "run", "--source", str(held_out), "--no-realtime", "--once"]
    ran = subprocess.run(
        [*command, "--log", "json", "--no-web"], capture_output=True, text=True, check=True, timeout=500
    )
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    predictions = [line for line in lines if line["type"] == "prediction"]
    dataset = open_dataset("everyday")
    accepted = {
        sample.path: {dataset.labels[label] for label in (sample.label, *sample.accepted)}
        for sample in dataset.parts["heldout"]
    }
    right = sum(line["top"][0]["label"] in accepted[Path(line["path"]).resolve()] for line in predictions)

    assert len(predictions) == measured["n"] == len(accepted)
    assert right / len(accepted) == measured["top1"]


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("model", "data"),
    [("everyday", "everyday"), ("cifar10", "cifar10"), ("cifar10-scratch", "cifar10"), ("mnist", "mnist")],
)
def test_the_published_figures_of_a_model_are_what_it_shows_to_the_last_digit(model: str, data: str) -> None:
    card = (MODELS / f"{model}.md").read_text(encoding="utf-8")
    measured = json.loads(call("evaluate", model, "--data", data, "--json"))

    assert f"| top-1 | {measured['top1']:.2%} |" in card
    assert f"| top-5 | {measured['top5']:.2%} |" in card
    assert f"| expected calibration error | {measured['ece']:.2%} |" in card
    assert f"On the {measured['n']:,} photos" in card


def test_the_figures_in_the_card_of_everyday_are_those_in_its_file() -> None:
    classifier = Classifier("everyday")
    card = classifier.path.with_suffix(".md").read_text(encoding="utf-8")
    found = classifier.card.accuracy

    for name in ("top1", "top5", "ece", "float_top1", "agreement"):
        assert f"| {found[name]:.2%} |" in card
    assert f"| {found['attention_cosine_mean']:.4f} |" in card


def test_the_float16_weights_that_ship_are_those_of_the_model() -> None:
    classifier = Classifier("everyday")
    weights = read_weights(classifier.path.with_suffix(".safetensors"))
    vit = ViT(config_of(weights, IMAGENET))
    load_into(vit, weights)
    images = np.stack([golden.image for golden in classifier.golden])
    guesses = ops.convert_to_numpy(vit(images)[0]).argmax(-1)

    assert [classifier.labels[i] for i in guesses] == [golden.top[0].label for golden in classifier.golden]
    assert sum(array.size for array in weights.values()) == classifier.card.parameters


def test_everyday_knows_its_golden_images_on_this_machine() -> None:
    results = Classifier("everyday").verify()

    assert len(results) >= 4
    assert [result for result in results if not result.ok] == []


@pytest.mark.long
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


def test_the_imported_deit_tiny_computes_what_a_second_implementation_does() -> None:
    weights = read_weights(need_data("deit_tiny") / "deit_tiny_patch16_224.npz")
    vit = ViT(config_of(weights, IMAGENET))
    load_into(vit, weights)
    images = np.stack([golden.image for golden in Classifier("everyday").golden[:2]])
    logits, taps = vit(images)
    expected, attention, _ = reference_vit(weights, images, heads=3)

    np.testing.assert_allclose(ops.convert_to_numpy(logits), expected, atol=2e-4)
    np.testing.assert_allclose(ops.convert_to_numpy(taps["block11/attention"]), attention, atol=1e-4)
