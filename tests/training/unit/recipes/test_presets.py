from dataclasses import replace

import pytest

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig
from vitcam_training.recipes.presets import PRESETS, count_parameters, preset
from vitcam_training.vit import ViT

pytestmark = pytest.mark.slow("training/recipes", "training/vit.py", "training/config.py")

PUBLISHED = {
    "vit-ti16": 5_717_416,  # timm, deit_tiny_patch16_224
    "vit-s16": 22_050_664,  # timm, deit_small_patch16_224
    "vit-b16": 86_567_656,  # torchvision, ViT_B_16_Weights.IMAGENET1K_V1
    "vit-b16-384": 86_859_496,  # torchvision, ViT_B_16_Weights.IMAGENET1K_SWAG_E2E_V1
    "vit-b32": 88_224_232,  # torchvision, ViT_B_32_Weights
    "vit-l16": 304_326_632,  # torchvision, ViT_L_16_Weights.IMAGENET1K_V1
    "vit-l32": 306_535_400,  # torchvision, ViT_L_32_Weights
    "vit-shallow": 24_390_922,
}


def test_every_published_network_has_the_published_number_of_parameters() -> None:
    assert {name: count_parameters(PRESETS[name].config) for name in PUBLISHED} == PUBLISHED


def test_the_table_states_for_each_row_what_its_sizes_add_up_to() -> None:
    assert {n: row.parameters for n, row in PRESETS.items()} == {
        n: count_parameters(row.config) for n, row in PRESETS.items()
    }


@pytest.mark.parametrize("name", ["vit-ti16", "vit-b16", "vit-shallow", "lite", "digits"])
def test_keras_counts_as_many_parameters_as_the_table_states(name: str) -> None:
    assert ViT(PRESETS[name].config).count_params() == PRESETS[name].parameters


@pytest.mark.parametrize("name", ["vit-s16", "vit-b32", "vit-l16", "vit-l32"])
def test_one_block_of_a_large_network_counts_the_same_in_keras(name: str) -> None:
    shallow = replace(PRESETS[name].config, depth=1)

    assert ViT(shallow).count_params() == count_parameters(shallow)


@pytest.mark.parametrize("side", [96, 128, 160, 192, 224, 256, 320, 384])
@pytest.mark.parametrize("name", ["vit-ti16", "vit-s16", "vit-b16", "vit-l16"])
def test_other_input_sizes_change_only_the_number_of_positions(name: str, side: int) -> None:
    config, published = preset(name, 1000, side), PRESETS[name]

    assert config.grid == (side // 16, side // 16)
    assert count_parameters(config) - published.parameters == (config.tokens - 197) * config.width


def test_heads_of_another_width_change_attention_and_nothing_else() -> None:
    wide = ViT(replace(PRESETS["digits"].config, head_width=64))
    block = wide.blocks[0].attention

    assert (wide.config.d_k, wide.config.attention_width) == (64, 256)
    assert block.query.kernel.shape == block.output_projection.kernel.shape[::-1] == (32, 256)
    assert count_parameters(wide.config) - PRESETS["digits"].parameters == 3 * (4 * 32 + 3) * (256 - 32)


def test_an_unknown_network_and_a_side_that_is_no_whole_number_of_patches_are_refused() -> None:
    with pytest.raises(UsageError, match=naming("'vit-huge'", "vit-ti16, vit-s16")):
        preset("vit-huge", 10)
    with pytest.raises(UsageError, match=naming("vit-ti16", "100 px", "patch_size 16")):
        preset("vit-ti16", 10, 100)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"position": "rotary"}, "position is 'rotary'; allowed: learned, sincos, random, none"),
        ({"pooling": "max"}, "pooling is 'max'; allowed: cls_token, distilled, first, mean"),
        ({"norm": "sandwich"}, "norm is 'sandwich'; allowed: pre, post, none"),
        ({"activation": "tanh"}, "activation is 'tanh'; allowed: gelu, quick_gelu, relu"),
        ({"channels": 4}, "channels is 4; allowed: 1, 3"),
        ({"position": "sincos", "width": 9}, "width 9 is odd"),
        ({"heads": 0}, "heads is 0; 1 or more is allowed"),
        ({"dropout": 1.0}, "dropout is 1.0; 0 or more and less than 1 is allowed"),
        ({"attention_dropout": 1.0}, "attention_dropout is 1.0; 0 or more and less than 1 is allowed"),
        ({"heads": 5}, "width 192 is not a multiple of heads 5; give head_width"),
        ({"head_width": -1}, "head_width is -1; 0 or more is allowed"),
        ({"head_hidden": -1}, "head_hidden is -1; 0 or more is allowed"),
        ({"head_hidden": 8, "shared_width": 8}, "head for words are their directions; head_hidden must be 0"),
        ({"residual": False, "drop_path": 0.1}, "drop_path skips a block by its residual connection"),
    ],
)
def test_a_choice_that_there_is_not_is_refused_with_those_there_are(choice: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ViTConfig(classes=2, **choice)  # type: ignore[arg-type]
