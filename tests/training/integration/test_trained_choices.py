"""Networks of other choices than DeiT's, from `vitcam-train fit` to the int8 file."""

import json
from pathlib import Path

import numpy as np
import pytest
from keras import ops
from numpy.typing import NDArray

from tests.training.integration.command import call
from tests.training.unit.pictures import COLOURS, write_pictures
from vitcam.model.classifier import Classifier
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into, read_network

pytestmark = pytest.mark.slow("training/vit.py", "training/config.py", "training/fit", "training/export")

RECIPE = """
name = "colours"
data = "{photos}"

[model]
image_size = [32, 32]
patch_size = 8
width = 32
depth = 2
heads = 4
{choices}

[augment]
colour = 0.0

[train]
epochs = 8
batch_size = 6
learning_rate = 2e-3
"""
CHOICES = {
    "mean": 'pooling = "mean"\nposition = "sincos"\nnorm = "post"\nactivation = "relu"\nchannels = 1',
    "rarer": 'position = "random"\nnorm = "none"\nresidual = false\nqkv_bias = false\n'
    "head_hidden = 24\nhead_width = 12\nattention_dropout = 0.1\ndropout = 0.1",
    "first": 'pooling = "first"\nposition = "none"\nfinal_norm = false\nlayer_scale = 0.1\nmlp_width = 48',
}


@pytest.fixture(scope="module", params=CHOICES)
def workshop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with photos and the model that was trained on them and exported, by the commands."""
    root = tmp_path_factory.mktemp(request.param)
    write_pictures(root / "photos", each=20, side=32)
    (root / "colours.toml").write_text(RECIPE.format(photos=root / "photos", choices=CHOICES[request.param]))
    call("fit", root / "colours.toml", "--out", root / "run")
    call("export", root / "run" / "weights.safetensors", "-o", root / "colours.tflite", "--data", root / "photos")
    return root


def blends(count: int) -> NDArray[np.uint8]:
    """Noisy mixtures of two colours each, (count, 32, 32, 3) RGB: many lie close to where the answer changes."""
    rng = np.random.default_rng(3)
    colours = np.array(list(COLOURS.values()))[:, ::-1]
    pairs = colours[[rng.choice(3, 2, replace=False) for _ in range(count)]]  # (count, 2, 3)
    share = rng.uniform(size=(count, 1))
    mixed = share * pairs[:, 0] + (1 - share) * pairs[:, 1]
    noise = rng.normal(0, 25, (count, 32, 32, 3))
    return np.asarray(np.clip(mixed[:, None, None] + noise, 0, 255), np.uint8)


def test_a_trained_network_of_such_choices_is_measured_by_evaluate(workshop: Path) -> None:
    common = ("evaluate", workshop / "colours.tflite", "--data", workshop / "photos", "--json")
    found = json.loads(call(*common, "--float", workshop / "colours.safetensors"))
    runtime = Classifier(workshop / "colours.tflite").runtime

    assert found["top1"] >= 0.9
    assert found["agreement"] == 1.0
    assert found["attention_cosine_min"] > 0.99
    assert (runtime.partitions, runtime.outside) == (1, 0)


def test_int8_says_what_the_trained_float_network_says_of_98_in_100_inputs(workshop: Path) -> None:
    classifier, images = Classifier(workshop / "colours.tflite"), blends(300)
    config, weights = read_network(workshop / "colours.safetensors")
    vit = ViT(config)
    load_into(vit, weights)
    exact = ops.convert_to_numpy(vit(images)[0]).argmax(-1)
    found = [classifier.labels.index(classifier.classify_image(image).top[0].label) for image in images]

    assert len(set(exact)) == 3, "every answer is given"
    assert (exact == found).mean() >= 0.98
