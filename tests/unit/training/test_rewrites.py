import numpy as np
from vitcam_training.checkpoints import to_timm
from vitcam_training.rewrites import Affine, fold, fold_factor, fold_norm, fold_pixels, split_qkv

from tests.unit.training.nets import SMALL, small_vit

RNG = np.random.default_rng(5)


def affine(inputs: int, outputs: int) -> Affine:
    return Affine(RNG.normal(size=(inputs, outputs)).astype(np.float32), RNG.normal(size=outputs).astype(np.float32))


def test_scale_and_shift_of_a_norm_disappear_in_the_next_projection() -> None:
    x, scale, shift, after = RNG.normal(size=(7, 16)), RNG.normal(size=16), RNG.normal(size=16), affine(16, 8)
    folded = fold_norm(after, scale, shift)

    np.testing.assert_allclose(
        x @ folded.kernel + folded.bias, (x * scale + shift) @ after.kernel + after.bias, atol=1e-5
    )


def test_camera_bytes_give_what_normalised_pixels_gave() -> None:
    pixels, after = RNG.integers(0, 256, (4, 48)), affine(48, 8)
    mean, std = np.tile([0.485, 0.456, 0.406], 16), np.tile([0.229, 0.224, 0.225], 16)
    folded = fold_pixels(after)

    np.testing.assert_allclose(
        pixels @ folded.kernel + folded.bias, (pixels / 255 - mean) / std @ after.kernel + after.bias, atol=1e-4
    )


def test_a_factor_moves_into_kernel_and_bias() -> None:
    x, before = RNG.normal(size=(3, 16)), affine(16, 8)
    folded = fold_factor(before, 0.125)

    np.testing.assert_allclose(x @ folded.kernel + folded.bias, (x @ before.kernel + before.bias) / 8, atol=1e-6)


def test_the_fused_projection_splits_into_query_key_and_value() -> None:
    x, fused = RNG.normal(size=(3, 16)), affine(16, 48)
    parts = split_qkv(fused)

    expected = np.split(x @ fused.kernel + fused.bias, 3, axis=-1)
    for part, wanted in zip(parts, expected, strict=True):
        np.testing.assert_allclose(x @ part.kernel + part.bias, wanted, atol=1e-6)


def test_the_temperature_divides_the_head_and_nothing_else() -> None:
    weights = to_timm(small_vit())
    plain, warm = fold(SMALL, weights), fold(SMALL, weights, temperature=2.0)

    np.testing.assert_allclose(warm.head.kernel, plain.head.kernel / 2, atol=1e-7)
    np.testing.assert_allclose(warm.head.bias, plain.head.bias / 2, atol=1e-7)
    np.testing.assert_array_equal(warm.scale, plain.scale)
