"""The networks that are compared: the library, how it makes them, and at which size. Their weights are random.

The libraries are imported by the functions that use them; the rest of the tests needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

SIZES = {"Ti": (192, 3), "S": (384, 6), "B": (768, 12)}
"""Width and heads."""


@dataclass(frozen=True)
class Subject:
    """A network that another library makes."""

    library: str
    name: str
    patch: int
    side: int
    """px of the input."""
    make: Callable[[], Any]
    """The network, a module of PyTorch with random weights."""
    to_int8: bool = False
    """Whether its int8 file is made and compared, which takes a minute for the larger ones."""


def _sizes(size: str, patch: int, side: int) -> dict[str, Any]:
    width, heads = SIZES[size]
    return {
        "hidden_size": width, "num_attention_heads": heads, "image_size": side, "patch_size": patch,
        "attn_implementation": "eager",
    }  # fmt: skip


def hf_vit(size: str, patch: int, side: int, classes: int = 1000) -> Callable[[], Any]:
    """Makes a ViT of transformers; without a head if `classes` is 0."""

    def make() -> Any:
        import transformers

        mlp = 4 * SIZES[size][0]
        config = transformers.ViTConfig(**_sizes(size, patch, side), intermediate_size=mlp, num_labels=classes)
        return transformers.ViTForImageClassification(config) if classes else transformers.ViTModel(config)

    return make


def _hf_deit(size: str, side: int) -> Callable[[], Any]:
    def make() -> Any:
        import transformers

        config = transformers.DeiTConfig(
            **_sizes(size, 16, side), intermediate_size=4 * SIZES[size][0], num_labels=1000
        )
        return transformers.DeiTForImageClassificationWithTeacher(config)

    return make


def _hf_dino(size: str, registers: int) -> Callable[[], Any]:
    def make() -> Any:
        import transformers

        sizes = _sizes(size, 14, 224)
        if not registers:
            return transformers.Dinov2Model(transformers.Dinov2Config(**sizes))
        config = transformers.Dinov2WithRegistersConfig(**sizes, num_register_tokens=registers)
        return transformers.Dinov2WithRegistersModel(config)

    return make


def _hf_clip(size: str, patch: int) -> Callable[[], Any]:
    def make() -> Any:
        import transformers

        vision = _sizes(size, patch, 224) | {"intermediate_size": 4 * SIZES[size][0]}
        vision.pop("attn_implementation")
        text = {"vocab_size": 100, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1,
                "num_attention_heads": 2, "max_position_embeddings": 16, "eos_token_id": 2}  # fmt: skip
        model = transformers.CLIPModel(transformers.CLIPConfig(vision_config=vision, text_config=text))
        model.set_attn_implementation("eager")
        return model

    return make


def _timm(name: str, **options: Any) -> Callable[[], Any]:
    def make() -> Any:
        import timm
        from timm.layers import set_fused_attn

        set_fused_attn(False)  # the attention is to be seen
        return timm.create_model(name, **options)

    return make


HF, TIMM, GOOGLE = "transformers", "timm", "Google's archive, read by timm"
SUBJECTS = (
    Subject(HF, "ViT-Ti/16, in21k without a head", 16, 224, hf_vit("Ti", 16, 224, 0), to_int8=True),
    Subject(HF, "ViT-S/16", 16, 224, hf_vit("S", 16, 224)),
    Subject(HF, "ViT-B/16, 1,000 labels", 16, 224, hf_vit("B", 16, 224), to_int8=True),
    Subject(HF, "ViT-B/16", 16, 384, hf_vit("B", 16, 384)),
    Subject(HF, "ViT-B/32", 32, 384, hf_vit("B", 32, 384)),
    Subject(HF, "DeiT-Ti/16, distilled, two heads", 16, 224, _hf_deit("Ti", 224), to_int8=True),
    Subject(HF, "DeiT-B/16, distilled, two heads", 16, 384, _hf_deit("B", 384)),
    Subject(HF, "DINOv2-S/14", 14, 224, _hf_dino("S", 0), to_int8=True),
    Subject(HF, "DINOv2-B/14, 4 registers", 14, 224, _hf_dino("B", 4)),
    Subject(HF, "CLIP-S/32, image tower", 32, 224, _hf_clip("S", 32), to_int8=True),
    Subject(HF, "CLIP-B/16, image tower", 16, 224, _hf_clip("B", 16)),
    Subject(TIMM, "vit_tiny_patch16_224", 16, 224, _timm("vit_tiny_patch16_224"), to_int8=True),
    Subject(TIMM, "vit_small_patch16_384", 16, 384, _timm("vit_small_patch16_384")),
    Subject(TIMM, "vit_small_patch8_224", 8, 224, _timm("vit_small_patch8_224")),
    Subject(TIMM, "vit_base_patch32_384", 32, 384, _timm("vit_base_patch32_384")),
    Subject(TIMM, "vit_base_patch16_224", 16, 224, _timm("vit_base_patch16_224")),
    Subject(TIMM, "deit_small_distilled_patch16_224", 16, 224, _timm("deit_small_distilled_patch16_224")),
    Subject(TIMM, "deit3_small_patch16_224", 16, 224, _timm("deit3_small_patch16_224"), to_int8=True),
    Subject(TIMM, "deit3_base_patch16_384", 16, 384, _timm("deit3_base_patch16_384")),
    Subject(
        TIMM, "vit_small_patch14_reg4_dinov2, 4 registers", 14, 224,
        _timm("vit_small_patch14_reg4_dinov2", img_size=224), to_int8=True,
    ),
    Subject(
        TIMM, "vit_small_patch16_224, norms of queries and keys", 16, 224,
        _timm("vit_small_patch16_224", qk_norm=True), to_int8=True,
    ),
    Subject(GOOGLE, "ViT-Ti/16", 16, 224, _timm("vit_tiny_patch16_224")),
    Subject(GOOGLE, "ViT-B/16", 16, 384, _timm("vit_base_patch16_384")),
)  # fmt: skip
