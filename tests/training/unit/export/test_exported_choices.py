"""Every choice of ViTConfig, down to the int8 file."""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.training.unit.choices import CONFIGS
from tests.training.unit.exported import Exported, expected_outputs, pieces
from tests.training.unit.nets import photos, small_vit
from vitcam.model.classifier import Classifier
from vitcam.model.record import model_info, model_record
from vitcam.pictures.resize import InputSpec
from vitcam_training.config import CHOICES, ViTConfig
from vitcam_training.evaluation.float_network import FloatNetwork
from vitcam_training.export.export import export_model
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into, read_network, save_weights, to_timm
from vitcam_training.weights.metadata import Metadata, read_metadata

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

PLAIN = ViTConfig(classes=5, image_size=(16, 24), patch_size=8, width=32, depth=2, heads=4)
WHOLE = {"classify": (1, 0), "explain": (1, 0)}
ONE_AT_A_TIME: list[dict[str, Any]] = [
    {"channels": 1},
    {"position": "sincos"},
    {"position": "none"},
    {"pooling": "first"},
    {"pooling": "mean"},
    {"norm": "post"},
    {"activation": "relu"},
    {"activation": "quick_gelu"},
    {"first_norm": True},
    {"qk_norm": True},
    {"registers": 3},
    {"pooling": "distilled"},
    {"shared_width": 12},
    {"final_norm": False},
    {"layer_scale": 0.1},
    {"mlp_width": 40},
    {"heads": 1, "depth": 1},
    {"position": "random"},
    {"norm": "none"},
    {"residual": False},
    {"qkv_bias": False},
    {"head_hidden": 24},
    {"head_width": 12},
]
TOGETHER: list[dict[str, Any]] = [
    {"pooling": "mean", "final_norm": False, "position": "sincos"},
    {"pooling": "mean", "norm": "post", "final_norm": False},
    {"pooling": "first", "norm": "post", "layer_scale": 0.1, "position": "none"},
    {"pooling": "distilled", "registers": 2, "qk_norm": True, "layer_scale": 0.1},
    {"pooling": "distilled", "final_norm": False, "position": "none"},
    {"first_norm": True, "shared_width": 12, "activation": "quick_gelu"},
    {"first_norm": True, "shared_width": 12, "final_norm": False, "pooling": "mean"},
    {"pooling": "first", "channels": 1, "activation": "relu", "mlp_width": 128, "depth": 3},
    {"pooling": "distilled", "head_hidden": 24, "qkv_bias": False, "head_width": 64},
    {"pooling": "mean", "norm": "none", "final_norm": False, "residual": False, "head_hidden": 24},
    {"pooling": "first", "norm": "post", "residual": False, "position": "random", "first_norm": True},
    {"heads": 1, "depth": 1, "mlp_width": 40},
]
only_in_long = partial(pytest.param, marks=pytest.mark.slow("training/export", "training/vit.py"))


@pytest.mark.parametrize("choices", [ONE_AT_A_TIME, TOGETHER], ids=["one at a time", "together"])
def test_no_choice_is_left_out_of_the_lists(choices: list[dict[str, Any]]) -> None:
    named = {name: {getattr(PLAIN, name)} | {each.get(name, "") for each in choices} for name in CHOICES}
    fields_of_all = {name for each in ONE_AT_A_TIME for name in each}

    for name, allowed in CHOICES.items():
        assert set(allowed) <= named[name], name
    assert {name for each in choices for name in each} >= fields_of_all


@pytest.mark.parametrize("choice", [*TOGETHER, *map(only_in_long, ONE_AT_A_TIME)], ids=str)
def test_a_choice_is_exported_to_a_ten_thousandth_and_in_one_piece(choice: dict[str, Any]) -> None:
    exported = Exported.of(replace(PLAIN, **choice))

    assert max(exported.errors().values()) <= 1e-4, exported.errors()
    assert pieces(exported.int8) == WHOLE


@pytest.mark.slow("training/export", "training/study/reference.py", "training/config.py")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(config=CONFIGS, seed=st.integers(0, 2**32 - 1))
def test_ten_random_networks_are_exported_as_the_reference_has_them(config: ViTConfig, seed: int) -> None:
    exported = Exported.of(config, seed)

    assert max(exported.errors(seed).values()) <= 1e-4, exported.errors(seed)
    assert pieces(exported.int8) == WHOLE


def test_a_network_of_two_read_tokens_and_registers_becomes_a_model_that_explains_itself(tmp_path: Path) -> None:
    config = replace(PLAIN, pooling="distilled", registers=2, depth=3)
    about = Metadata("net", "", tuple("abcde"), InputSpec(*config.image_size), network=asdict(config))
    save_weights(tmp_path / "net.safetensors", to_timm(small_vit(config)), about)
    export_model(tmp_path / "net.safetensors", tmp_path / "small.tflite")
    classifier, image = Classifier(tmp_path / "small.tflite", threads=1), photos(1, config)[0]
    expected = expected_outputs(config, read_network(tmp_path / "small.safetensors")[1], image)
    found = classifier.classify_image(image, explain=True)

    for name in ("attention", "rollout", "rows"):
        values = getattr(found, name)
        np.testing.assert_allclose(values.reshape(expected[name].shape), expected[name], atol=0.05, err_msg=name)
    assert found.embedding is not None
    np.testing.assert_allclose(found.embedding, expected["embedding"], atol=0.2)  # (2 D,), of numbers up to 3
    assert found.evidence_share is not None
    assert model_record(model_info(classifier))["pooling"] == "distilled"


def test_a_head_with_several_rows_of_a_label_becomes_a_model_with_one_probability_a_label(tmp_path: Path) -> None:
    rows, labels = (2, 0, 1, 0, 2), ("cup", "crane", "dog")
    about = Metadata("net", "", labels, InputSpec(*PLAIN.image_size), network=asdict(PLAIN), rows=rows)
    save_weights(tmp_path / "net.safetensors", to_timm(small_vit(PLAIN)), about)
    export_model(tmp_path / "net.safetensors", tmp_path / "small.tflite")
    classifier, (image,) = Classifier(tmp_path / "small.tflite", threads=1), photos(1, PLAIN)
    weights = read_network(tmp_path / "small.safetensors")[1]
    summed = np.bincount(rows, expected_outputs(PLAIN, weights, image)["probabilities"])
    vit = ViT(PLAIN)
    load_into(vit, weights)
    made = read_metadata(tmp_path / "small.safetensors")
    floats, _ = FloatNetwork(vit, made.row_labels, len(labels))(image[None])

    assert {guess.label: guess.p for guess in classifier.classify_image(image).top} == pytest.approx(
        dict(zip(labels, summed, strict=True)), abs=0.02
    )
    np.testing.assert_allclose(np.asarray(floats)[0], summed, atol=1e-5)


@pytest.mark.parametrize("pooling", ["first", "mean"])
def test_without_a_class_token_the_int8_file_shows_where_the_reference_looked(pooling: Any, tmp_path: Path) -> None:
    config = replace(PLAIN, pooling=pooling, channels=1, depth=3)
    about = Metadata("net", "", tuple("abcde"), InputSpec(*config.image_size), network=asdict(config))
    save_weights(tmp_path / "net.safetensors", to_timm(small_vit(config)), about)
    export_model(tmp_path / "net.safetensors", tmp_path / "small.tflite")
    classifier, image = Classifier(tmp_path / "small.tflite", threads=1), photos(1, config)[0]
    expected = expected_outputs(config, read_network(tmp_path / "small.safetensors")[1], image)
    found, plain = classifier.classify_image(image, explain=True), classifier.classify_image(image)
    record = model_record(model_info(classifier))

    shapes = {"attention": (4, 2, 3), "rollout": (2, 3), "rows": (3, 4, 2, 3)}
    for name, shape in shapes.items():
        weights = getattr(found, name)
        assert weights.shape == shape, name
        np.testing.assert_allclose(weights.sum((-2, -1)), 1.0, atol=1e-5)
        np.testing.assert_allclose(weights.reshape(expected[name].shape), expected[name], atol=0.01, err_msg=name)
    assert np.ptp(expected["attention"], axis=-1).min() > 0.05, "it is not all the same"
    assert plain.attention is not None
    assert found.attention is not None
    np.testing.assert_allclose(plain.attention, found.attention, atol=1e-6)
    assert (record["pooling"], record["heads"], record["patches"]) == (pooling, 4, {"size": 8, "rows": 2, "columns": 3})
    assert (record["partitions"], record["outside"]) == (1, 0)
