"""Networks of every choice, written to a checkpoint and read back."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import cv2
import keras
import numpy as np
import pytest
from keras import ops
from numpy.typing import NDArray

from tests.refusals import naming
from tests.training.unit.nets import SMALL, photos, small_about, small_vit
from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import (
    config_of,
    load_into,
    read_network,
    resize_position,
    save_weights,
    to_timm,
)
from vitcam_training.weights.metadata import Metadata
from vitcam_training.weights.normalisation import IMAGENET

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

CHOICES: list[dict[str, Any]] = [
    {"pooling": "first"},
    {"pooling": "mean", "position": "sincos"},
    {"position": "none", "norm": "post"},
    {"final_norm": False, "activation": "relu"},
    {"layer_scale": 0.1, "mlp_width": 40},
    {"channels": 1, "heads": 4, "dropout": 0.1, "drop_path": 0.1},
    {"image_size": (24, 40), "pooling": "mean"},
    {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.25, 1.0)},
]
TINY = ViTConfig(classes=4, image_size=(32, 32), patch_size=8, width=16, depth=2, heads=2)


def about_of(config: ViTConfig) -> Metadata:
    return replace(small_about(), network=asdict(config))


@pytest.mark.parametrize("choice", CHOICES)
def test_a_checkpoint_brings_back_the_very_network_that_was_saved(choice: dict[str, Any], tmp_path: Path) -> None:
    config = replace(TINY, **choice)
    vit, images = small_vit(config), photos(2, config)
    save_weights(tmp_path / "net.safetensors", to_timm(vit), about_of(config))
    found, weights = read_network(tmp_path / "net.safetensors")
    again = ViT(found)
    leftovers = load_into(again, weights)

    assert found == config
    assert leftovers == []
    np.testing.assert_array_equal(ops.convert_to_numpy(again(images)[0]), ops.convert_to_numpy(vit(images)[0]))


def test_a_checkpoint_from_before_networks_were_named_is_read_as_it_was(tmp_path: Path) -> None:
    path, weights = tmp_path / "old.safetensors", to_timm(small_vit())
    about = json.loads(small_about().to_json())
    del about["network"]
    save_weights(path, weights, OldAbout(json.dumps(about)))  # type: ignore[arg-type]
    config, found = read_network(path)

    assert config == SMALL
    for name, array in weights.items():
        np.testing.assert_array_equal(found[name], array)


class OldAbout:
    """What `Metadata` wrote before it had a field `network`."""

    def __init__(self, text: str) -> None:
        self.text = text

    def to_json(self) -> str:
        return self.text


def test_another_input_size_stretches_the_positions_and_nothing_else(tmp_path: Path) -> None:
    config = replace(TINY, image_size=(16, 32), pooling="first")
    weights = to_timm(small_vit(config))
    save_weights(tmp_path / "net.safetensors", weights, about_of(config))
    found, stretched = read_network(tmp_path / "net.safetensors", (32, 24))

    assert found == replace(config, image_size=(32, 24))
    assert stretched["pos_embed"].shape == (1, 4 * 3, 16)
    assert [name for name in weights if not np.array_equal(weights[name], stretched[name])] == ["pos_embed"]


def test_the_same_number_of_patches_in_another_grid_is_stretched_too(tmp_path: Path) -> None:
    weights = to_timm(small_vit(TINY))  # 4 x 4 patches
    save_weights(tmp_path / "net.safetensors", weights, about_of(TINY))
    _, stretched = read_network(tmp_path / "net.safetensors", (16, 64))  # 2 x 8 patches

    assert stretched["pos_embed"].shape == weights["pos_embed"].shape
    assert not np.array_equal(stretched["pos_embed"], weights["pos_embed"])


def test_names_of_what_is_optional_are_those_of_timm() -> None:
    plain = set(to_timm(ViT(TINY)))
    scaled = set(to_timm(ViT(replace(TINY, layer_scale=0.1)))) - plain
    bare = plain - set(to_timm(ViT(replace(TINY, pooling="mean", final_norm=False, position="none"))))

    assert scaled == {f"blocks.{block}.ls{i}.gamma" for block in (0, 1) for i in (1, 2)}
    assert bare == {"cls_token", "pos_embed", "norm.weight", "norm.bias"}
    assert to_timm(ViT(replace(TINY, channels=1)))["patch_embed.proj.weight"].shape == (16, 1, 8, 8)


def test_foreign_weights_tell_what_they_can_of_their_network() -> None:
    foreign = replace(TINY, width=64, heads=1, pooling="mean", mlp_width=80, final_norm=False, channels=1)

    assert config_of(to_timm(small_vit(foreign)), IMAGENET) == foreign


def test_a_network_of_a_newer_vitcam_is_refused_in_one_sentence(tmp_path: Path) -> None:
    about = replace(small_about(), network={**asdict(TINY), "rotary": True})
    save_weights(tmp_path / "new.safetensors", to_timm(small_vit(TINY)), about)

    with pytest.raises(UsageError, match=r"holds no network that this version of vitcam knows: .*'rotary'"):
        read_network(tmp_path / "new.safetensors")


def test_positions_of_a_wide_network_are_stretched_whole_by_as_many_channels_as_opencv_5_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resize, widths = cv2.resize, []

    def noted(planes: NDArray[np.float32], *given: Any, **named: Any) -> Any:
        widths.append(1 if planes.ndim == 2 else planes.shape[2])
        return resize(planes, *given, **named)

    monkeypatch.setattr(cv2, "resize", noted)
    position = np.random.default_rng(0).normal(size=(1, 1 + 9, 1025)).astype(np.float32)
    finer = resize_position(position, (4, 4))
    alone = np.concatenate([resize_position(position[..., [i]], (4, 4)) for i in (0, 511, 512, 1024)], axis=-1)

    assert finer.shape == (1, 17, 1025)
    np.testing.assert_allclose(finer[..., [0, 511, 512, 1024]], alone, atol=1e-6)
    assert max(widths) <= 128


def test_positions_that_fill_no_grid_are_refused_with_their_number() -> None:
    with pytest.raises(UsageError, match=naming("7 patches", "4 x 4")):
        resize_position(np.zeros((1, 8, 16), np.float32), (4, 4))


@pytest.mark.slow("training/export", "training/vit.py")
def test_every_choice_runs_in_half_precision_with_a_float32_head() -> None:
    policy = keras.dtype_policies.DTypePolicy("mixed_bfloat16")
    for choice in CHOICES:
        vit = ViT(replace(TINY, **choice), dtype=policy)
        logits, taps = vit(photos(2, vit.config), training=True)

        assert keras.backend.standardize_dtype(taps["block01/output"].dtype) == "bfloat16"
        assert keras.backend.standardize_dtype(logits.dtype) == "float32"
