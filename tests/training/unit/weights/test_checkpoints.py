import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from tests.refusals import naming
from tests.training.unit.nets import SMALL, small_about, small_vit
from vitcam.errors import UsageError
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import (
    config_of,
    load_into,
    read_network,
    read_weights,
    resize_position,
    save_weights,
    to_timm,
)
from vitcam_training.weights.metadata import read_metadata
from vitcam_training.weights.normalisation import IMAGENET


def test_weights_survive_the_way_into_a_network_and_out() -> None:
    weights = to_timm(small_vit())
    other = ViT(SMALL)
    leftovers = load_into(other, weights)

    assert leftovers == []
    for name, array in to_timm(other).items():
        np.testing.assert_array_equal(array, weights[name], err_msg=name)


def test_names_and_layouts_are_those_of_timm() -> None:
    shapes = {name: array.shape for name, array in to_timm(small_vit()).items()}

    assert shapes["patch_embed.proj.weight"] == (128, 3, 8, 8)
    assert shapes["blocks.2.attn.qkv.weight"] == (384, 128)
    assert shapes["blocks.0.mlp.fc1.weight"] == (512, 128)
    assert shapes["head.weight"] == (5, 128)
    assert len(shapes) == 4 + 3 * 12 + 2 + 2


@pytest.mark.parametrize(
    "choice",
    [{"qkv_bias": False}, {"head_hidden": 24}, {"heads": 3, "head_width": 64}],
    ids=str,
)
def test_choices_that_published_networks_have_are_read_from_the_weights(choice: dict[str, Any]) -> None:
    config = replace(SMALL, **choice)

    assert config_of(to_timm(small_vit(config)), IMAGENET) == config


def test_a_network_of_the_rarer_choices_comes_back_from_its_file_as_it_was(tmp_path: Path) -> None:
    config = replace(
        SMALL, position="random", norm="none", residual=False, qkv_bias=False, head_hidden=24, head_width=16
    )
    weights = to_timm(small_vit(config))
    save_weights(tmp_path / "net.safetensors", weights, replace(small_about(), network=asdict(config)))
    found, given = read_network(tmp_path / "net.safetensors")
    other = ViT(found)

    assert found == config
    assert load_into(other, given) == []
    assert not any("norm1" in name or name.endswith("qkv.bias") for name in weights)
    for name, array in to_timm(other).items():
        np.testing.assert_array_equal(array, weights[name], err_msg=name)


def test_beit_is_refused_and_not_taken_for_a_network_without_biases() -> None:
    weights = to_timm(small_vit())
    weights["blocks.0.attn.q_bias"] = weights.pop("blocks.0.attn.qkv.bias")[:128]
    config = config_of(weights, IMAGENET)

    assert config.qkv_bias
    with pytest.raises(UsageError, match=r"the weights lack 'blocks\.0\.attn\.qkv\.bias'"):
        load_into(ViT(config), weights)


def test_a_checkpoint_keeps_weights_and_description(tmp_path: Path) -> None:
    weights, about = to_timm(small_vit()), small_about()
    save_weights(tmp_path / "deep" / "small.safetensors", weights, about, "float16")
    found = read_weights(tmp_path / "deep" / "small.safetensors")

    assert read_metadata(tmp_path / "deep" / "small.safetensors") == about
    assert all(array.dtype == np.float32 for array in found.values())
    assert max(np.abs(found[name] - weights[name]).max() for name in weights) < 2e-3


def test_what_the_network_has_no_place_for_is_named() -> None:
    weights = to_timm(small_vit()) | {"head_dist.weight": np.zeros((5, 128), np.float32)}

    assert load_into(ViT(SMALL), weights) == ["head_dist.weight"]


def test_a_tensor_that_is_missing_or_of_another_shape_is_refused_with_its_shapes() -> None:
    weights = to_timm(small_vit()) | {"norm.weight": np.zeros(64, np.float32)}

    with pytest.raises(UsageError, match=naming("'norm.weight'", "(64,)", "(128,)")):
        load_into(ViT(SMALL), weights)
    del weights["norm.weight"]
    with pytest.raises(UsageError, match=r"lack 'norm\.weight' of shape \(128,\)"):
        load_into(ViT(SMALL), weights)


def test_a_new_head_is_left_as_it_was_and_the_rest_comes_in() -> None:
    weights = to_timm(small_vit())
    other = ViT(replace(SMALL, classes=7))
    load_into(other, weights, new_head=True)
    found = to_timm(other)

    assert found["head.weight"].shape == (7, 128)
    assert not found["head.weight"].any()
    np.testing.assert_array_equal(found["norm.bias"], weights["norm.bias"])


def test_position_embeddings_of_a_finer_grid_follow_the_coarse_one() -> None:
    slope = np.arange(8)[:, None] + 0.5 * np.arange(8)[None]
    position = np.concatenate([[9.0], slope.reshape(-1)])[None, :, None].repeat(3, 2).astype(np.float32)
    finer = resize_position(position, (16, 12))
    at_row, at_column = (np.arange(16) + 0.5) * 8 / 16 - 0.5, (np.arange(12) + 0.5) * 8 / 12 - 0.5
    expected = at_row[:, None] + 0.5 * at_column[None]

    assert finer.shape == (1, 1 + 16 * 12, 3)
    np.testing.assert_array_equal(finer[:, 0], 9.0)
    inside = finer[0, 1:, 1].reshape(16, 12)[2:-2, 2:-2]  # at the border there is nothing to interpolate with
    np.testing.assert_allclose(inside, expected[2:-2, 2:-2], atol=0.15)


def test_weights_load_into_a_network_for_larger_pictures() -> None:
    larger = ViT(replace(SMALL, image_size=(64, 48)))
    load_into(larger, to_timm(small_vit()))

    assert to_timm(larger)["pos_embed"].shape == (1, 1 + 8 * 6, 128)


def test_a_file_that_holds_no_weights_is_refused(tmp_path: Path) -> None:
    for name in ("broken.npz", "broken.safetensors", "photo.jpg"):
        (tmp_path / name).write_bytes(b"not weights at all")
        with pytest.raises(UsageError, match=r"holds no weights|is no archive of NumPy") as refused:
            read_weights(tmp_path / name)
        assert "pickle" not in str(refused.value)
    with pytest.raises(UsageError, match="no weights at"):
        read_weights(tmp_path / "absent.npz")


def test_weights_of_something_else_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no 'patch_embed\.proj\.weight'"):
        config_of({"conv1.weight": np.zeros((3, 3), np.float32)}, IMAGENET)


def test_a_foreign_file_does_not_pass_for_a_checkpoint(tmp_path: Path) -> None:
    np.savez(tmp_path / "foreign.npz", head=np.zeros(3))

    with pytest.raises(UsageError, match="`vitcam-train import` makes one"):
        read_metadata(tmp_path / "foreign.npz")


def test_what_a_newer_vitcam_wrote_besides_is_passed_over(tmp_path: Path) -> None:
    raw = json.loads(small_about().to_json()) | {"weather": "fine"}
    (tmp_path / "new.safetensors").write_bytes(save({"x": np.zeros(1)}, metadata={"vitcam": json.dumps(raw)}))

    assert read_metadata(tmp_path / "new.safetensors") == small_about()


@pytest.mark.parametrize(
    ("rows", "network"),
    [((0, 1, 2, 3), {}), ((0, 1, 2, 3, 4, 5), {}), ((0, 1, 2, 3, 4, -1), {}), ((0, 1, 2, 3, 4, 4), asdict(SMALL))],
    ids=["a label without a row", "no such label", "negative", "more than the head has"],
)
def test_rows_of_a_head_that_are_not_those_of_its_labels_are_refused(
    rows: tuple[int, ...], network: dict[str, Any], tmp_path: Path
) -> None:
    save_weights(tmp_path / "net.safetensors", {}, replace(small_about(), rows=rows, network=network))

    with pytest.raises(UsageError, match=r"net\.safetensors is not a checkpoint"):
        read_metadata(tmp_path / "net.safetensors")
