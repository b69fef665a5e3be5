import numpy as np
import pytest
from keras import ops

from tests.training.unit.nets import SMALL, photos, reference_vit, small_vit
from vitcam_training.vit import DropPath, ViT, ViTConfig
from vitcam_training.weights.checkpoints import to_timm


def test_the_network_computes_what_a_second_implementation_does() -> None:
    vit, images = small_vit(), photos(3)
    logits, taps = vit(images)
    expected, attention, embedding = reference_vit(to_timm(vit), images, SMALL.heads)

    np.testing.assert_allclose(ops.convert_to_numpy(logits), expected, atol=1e-4)
    np.testing.assert_allclose(ops.convert_to_numpy(taps["block02/attention"]), attention, atol=1e-5)
    np.testing.assert_allclose(ops.convert_to_numpy(taps["embedding"]), embedding, atol=1e-4)


def test_taps_name_every_block_with_the_shapes_that_the_docstring_gives() -> None:
    vit = ViT(SMALL)
    _, taps = vit(photos(2))
    shapes = {name: tuple(tap.shape) for name, tap in taps.items()}

    blocks: dict[str, tuple[int, ...]] = {f"block0{i}/output": (2, 17, 128) for i in range(3)}
    blocks |= {f"block0{i}/attention": (2, 2, 17, 17) for i in range(3)}
    assert shapes == {"embeddings": (2, 17, 128), "embedding": (2, 128), **blocks}


def test_a_rectangular_input_gives_a_rectangular_grid() -> None:
    config = ViTConfig(classes=2, image_size=(16, 32), patch_size=8, width=64, depth=1, heads=1)
    logits, taps = ViT(config)(photos(1, config))

    assert config.grid == (2, 4)
    assert tuple(taps["block00/attention"].shape) == (1, 1, 9, 9)
    assert tuple(logits.shape) == (1, 2)


@pytest.mark.parametrize(("sizes", "message"), [({"image_size": (30, 32)}, "patch_size 16"), ({"heads": 5}, "heads 5")])
def test_sizes_that_do_not_divide_are_refused(sizes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ViTConfig(classes=2, **sizes)  # type: ignore[arg-type]


def test_drop_path_drops_whole_images_and_keeps_the_mean() -> None:
    layer = DropPath(0.25)
    out = ops.convert_to_numpy(layer(np.ones((4000, 3, 2), np.float32), training=True))

    assert set(np.unique(out)) == {np.float32(0), np.float32(1 / 0.75)}
    assert (out == out[:, :1, :1]).all()
    assert out.mean() == pytest.approx(1.0, abs=0.03)


def test_drop_path_does_nothing_outside_training() -> None:
    vit = small_vit(ViTConfig(classes=5, image_size=(32, 32), patch_size=8, width=128, depth=3, heads=2, drop_path=0.9))
    first, second = (ops.convert_to_numpy(vit(photos(2))[0]) for _ in range(2))

    np.testing.assert_array_equal(first, second)


def test_attention_rows_of_every_block_sum_to_one() -> None:
    _, taps = small_vit()(photos(2))

    for name in (name for name in taps if name.endswith("attention")):
        np.testing.assert_allclose(ops.convert_to_numpy(taps[name]).sum(-1), 1.0, atol=1e-5)
