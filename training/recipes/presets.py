"""Networks by name: sizes as published, with the parameter counts that a test holds them to. Knows nothing of Keras.

Counts are with 1000 labels at the sizes of the table, 10 labels for the last three rows. Another number of labels or
another input is an argument of `preset`: every row with 16-px patches runs from 96 to 384 px and beyond.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig


@dataclass(frozen=True)
class Preset:
    """A row of the table."""

    config: ViTConfig
    parameters: int
    """Numbers that training changes."""
    source: str
    """Who published these sizes, or who counted them."""


def _vit(patch: int, width: int, depth: int, heads: int, side: int = 224) -> ViTConfig:
    return ViTConfig(1000, (side, side), patch, width=width, depth=depth, heads=heads)


SHALLOW = ViTConfig(10, (224, 224), 16, width=768, depth=6, heads=8, mlp_width=1024, final_norm=False)
LITE = ViTConfig(10, (32, 32), 4, width=256, depth=7, heads=4, mlp_width=512)
DIGITS = ViTConfig(10, (28, 28), 7, width=32, depth=3, heads=4, mlp_width=128, channels=1, pooling="first")

PRESETS: dict[str, Preset] = {
    #                          patch  D  L   h  px
    "vit-ti16":     Preset(_vit(16,  192, 12,  3),        5_717_416, "DeiT-Tiny, arXiv 2012.12877, table 1; timm"),
    "vit-s16":      Preset(_vit(16,  384, 12,  6),       22_050_664, "DeiT-Small, ibid.; timm"),
    "vit-b16":      Preset(_vit(16,  768, 12, 12),       86_567_656, "ViT, arXiv 2010.11929, table 1; torchvision"),
    "vit-b16-384":  Preset(_vit(16,  768, 12, 12, 384),  86_859_496, "the same at 384 px; torchvision, SWAG"),
    "vit-b32":      Preset(_vit(32,  768, 12, 12),       88_224_232, "ViT, ibid.; torchvision"),
    "vit-l16":      Preset(_vit(16, 1024, 24, 16),      304_326_632, "ViT, ibid.; torchvision"),
    "vit-l32":      Preset(_vit(32, 1024, 24, 16),      306_535_400, "ViT, ibid.; torchvision"),
    "vit-shallow":  Preset(SHALLOW,                      24_390_922, "half of ViT-B's blocks; a count that circulates"),
    "lite":         Preset(LITE,                          3_722_250, "ViT-Lite-7/4, arXiv 2104.05704, see below"),
    "digits":       Preset(DIGITS,                           40_618, "ours: 16 patches of 49 pixels, heads of 8"),
}  # fmt: skip
# ViT-Lite-7/4 is published with 3.717 M: ours has 7 * 3 * 256 biases of q, k, v and 256 of the patches besides


def preset(name: str, classes: int, side_px: int = 0) -> ViTConfig:
    """The configuration of a row for that many labels.

    side_px  height and width of the input, a multiple of the row's patch; 0: as in the table
    raises   UsageError for a name that is not in the table, or a side that does not divide into patches
    """
    if name not in PRESETS:
        raise UsageError(f"no network is called {name!r}; give one of: {', '.join(PRESETS)}")
    config = PRESETS[name].config
    try:
        return replace(config, classes=classes, image_size=(side_px, side_px) if side_px else config.image_size)
    except ValueError as error:
        raise UsageError(f"{name} cannot be made for {side_px} px: {error}") from error


def count_parameters(config: ViTConfig) -> int:
    """Numbers that training changes, from the sizes alone; a test compares it with what Keras counts.

    embedding  P²·C·D + D, D for each token before the patches, learned positions D for all but the registers
    block      q, k, v 3 D·A with A channels of all heads, their biases 3 A, output A·D + D, norms of queries and keys
               4 d, MLP D·M + M + M·D + D, two norms 4 D, two layer scales 2 D
    end        norms before the first and after the last block 2 D each, space shared with words D·S, a hidden layer
               E·H + H, head E·K + K with E channels of what it reads, or H·K + K
    """
    width, hidden = config.width, config.hidden_width
    embedding = (config.patch_size**2 * config.channels + 1) * width + config.prefix * width
    position = (config.tokens - config.registers) * width if config.position == "learned" else 0
    attention = 4 * width * config.attention_width + 3 * config.attention_width * config.qkv_bias + width
    block = attention + 2 * width * hidden + hidden + width
    block += 4 * width * (config.norm != "none") + 4 * config.d_k * config.qk_norm
    scales = 2 * width if config.layer_scale else 0
    norms = 2 * width * (config.first_norm + config.final_norm)
    read, bent = config.embedding_width, config.head_hidden
    end = norms + width * config.shared_width + (read + 1) * bent + ((bent or read) + 1) * config.classes
    return embedding + position + config.depth * (block + scales) + end
