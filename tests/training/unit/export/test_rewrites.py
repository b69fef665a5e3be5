from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.refusals import naming
from tests.training.unit.nets import SMALL, small_vit
from vitcam_training.export.folded import Affine, Rewrites
from vitcam_training.export.rewrites import (
    ResidualStream,
    fold,
    fold_norm,
    turn_values,
)
from vitcam_training.study import reference
from vitcam_training.weights.checkpoints import to_timm

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

RNG = np.random.default_rng(5)


def affine(inputs: int, outputs: int) -> Affine:
    return Affine(RNG.normal(size=(inputs, outputs)).astype(np.float32), RNG.normal(size=outputs).astype(np.float32))


def apply(projection: Affine, x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(x @ projection.kernel + projection.bias)


def test_scale_and_shift_of_a_norm_disappear_in_the_next_projection() -> None:
    x, scale, shift, after = RNG.normal(size=(7, 16)), RNG.normal(size=16), RNG.normal(size=16), affine(16, 8)
    folded = fold_norm(after, scale, shift)

    np.testing.assert_allclose(
        x @ folded.kernel + folded.bias, (x * scale + shift) @ after.kernel + after.bias, atol=1e-5
    )


def test_turned_values_leave_each_head_as_the_output_projection_wants_them() -> None:
    x, value, output, heads = RNG.normal(size=(5, 16)), affine(16, 16), affine(16, 24), 4
    looks = RNG.random((heads, 5, 5))  # a head's attention mixes tokens, never channels

    def mixed(value: Affine, output: Affine) -> NDArray[Any]:
        parts = np.split(apply(value, x), heads, axis=1)
        return apply(output, np.concatenate([a @ part for a, part in zip(looks, parts, strict=True)], axis=1))

    turned = turn_values(value, output, heads)

    np.testing.assert_allclose(mixed(*turned), mixed(value, output), atol=1e-4)
    assert not np.allclose(turned[0].kernel, value.kernel)


def test_the_streams_axes_keep_what_a_norm_sees_and_drop_only_the_mean() -> None:
    stream, x, before = ResidualStream.random(16), RNG.normal(size=(5, 24)), affine(24, 16)
    plain, moved = apply(before, x), apply(stream.written(before), x)

    np.testing.assert_allclose(moved @ stream.read, plain - plain.mean(-1, keepdims=True), atol=1e-5)
    np.testing.assert_allclose((moved**2).mean(-1), plain.var(-1), rtol=1e-5)


def test_the_temperature_divides_the_head_and_nothing_else() -> None:
    weights = to_timm(small_vit())
    plain, warm = fold(SMALL, weights), fold(SMALL, weights, temperature=2.0)

    np.testing.assert_allclose(warm.head.kernel, plain.head.kernel / 2, atol=1e-7)
    np.testing.assert_allclose(warm.head.bias, plain.head.bias / 2, atol=1e-7)
    np.testing.assert_array_equal(warm.patches.kernel, plain.patches.kernel)


@pytest.mark.parametrize(
    ("choice", "left_out"),
    [
        ({}, set()),
        ({"pooling": "first", "layer_scale": 0.1, "position": "none"}, set()),
        ({"pooling": "mean"}, {"last_row"}),
        ({"final_norm": False}, {"stream"}),
        ({"norm": "post"}, {"norms", "stream"}),
        ({"norm": "post", "pooling": "mean", "final_norm": False}, {"norms", "stream", "last_row"}),
        ({"norm": "none"}, {"norms", "stream", "float16"}),
        ({"residual": False, "qkv_bias": False, "head_width": 16, "head_hidden": 8, "position": "random"}, set()),
    ],
)
def test_only_rewrites_that_change_the_function_are_left_out(choice: dict[str, Any], left_out: set[str]) -> None:
    made = Rewrites().exact_for(replace(SMALL, **choice))

    assert {field.name for field in fields(made) if not getattr(made, field.name)} == left_out
    assert made.exact_for(replace(SMALL, **choice)) == made


def test_grey_weights_take_the_luma_of_normalised_bytes() -> None:
    grey = replace(SMALL, channels=1)
    weights, pixels = to_timm(small_vit(grey)), RNG.integers(0, 256, (1, 32, 32, 3))
    folded = fold(grey, weights, rewrites=Rewrites.without("stream"))
    seen = reference.patches(reference.normalise(pixels, grey), 8)  # (1, N, 64)
    expected = seen @ reference.patch_matrix(weights["patch_embed.proj.weight"]) + weights["patch_embed.proj.bias"]

    assert folded.patches.kernel.shape == (8 * 8 * 3, 128)
    np.testing.assert_allclose(apply(folded.patches, reference.patches((pixels - 128) / 64, 8)), expected, atol=1e-4)


def test_layer_scale_multiplies_what_each_branch_writes_and_disappears() -> None:
    scaled = replace(SMALL, layer_scale=0.1)
    weights = to_timm(small_vit(scaled))
    plain = {name: array for name, array in weights.items() if ".ls" not in name}
    with_scale, without = (
        fold(scaled, weights, rewrites=Rewrites.without("stream")),
        fold(SMALL, plain, rewrites=Rewrites.without("stream")),
    )

    for branch, scale in (("output", "ls1"), ("down", "ls2")):
        found, before = getattr(with_scale.blocks[1], branch), getattr(without.blocks[1], branch)
        np.testing.assert_allclose(found.kernel, before.kernel * weights[f"blocks.1.{scale}.gamma"], atol=1e-6)
        np.testing.assert_allclose(found.bias, before.bias * weights[f"blocks.1.{scale}.gamma"], atol=1e-6)


def test_a_rewrite_that_is_left_out_takes_those_along_that_need_it_and_no_other() -> None:
    every = {field.name for field in fields(Rewrites)}

    def left_out(*names: str) -> set[str]:
        rewrites = Rewrites.without(*names)
        return {name for name in every if not getattr(rewrites, name)}

    assert left_out() == set()
    assert left_out("pixels") == {"pixels"}
    assert left_out("norms") == {"norms", "stream"}


def test_a_rewrite_that_does_not_exist_is_refused_with_the_names_of_all() -> None:
    with pytest.raises(ValueError, match=naming("'pixel'", "last_row", "joined", "norms", "float16")):
        Rewrites.without("pixel")


def test_a_turned_stream_needs_folded_norms() -> None:
    with pytest.raises(ValueError, match=r"^the rewrite `stream` needs the rewrite `norms`"):
        Rewrites(norms=False)
