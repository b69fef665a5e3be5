"""Published networks with random weights: timm's names and shapes of each, in every form in which they are saved.

Names and shapes are those that timm 1.0.31 and transformers 5.23 write; `tests/fixtures` holds small ones that they
saved themselves.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

Arrays = dict[str, NDArray[Any]]
IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
HALVES = ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])


@dataclass(frozen=True)
class Published:
    """A network as it was published, but for its depth, which a test may choose."""

    architecture: str
    tag: str
    width: int
    patch: int = 16
    side: int = 224
    outputs: int = 1000
    crop: float = 0.9
    pixels: tuple[list[float], list[float]] = HALVES
    is_distilled: bool = False
    is_scaled: bool = False
    """Layer scale."""
    has_class_position: bool = True
    depth: int = 1

    @property
    def name(self) -> str:
        return f"{self.architecture}.{self.tag}"

    def weights(self, seed: int = 0) -> Arrays:
        """Under timm's names, in PyTorch's layouts."""
        rng, d = np.random.default_rng(seed), self.width

        def drawn(*shape: int) -> NDArray[Any]:
            return np.asarray(rng.normal(size=shape) * shape[-1] ** -0.5, np.float32)

        def layer(name: str, out: int, into: int) -> Arrays:
            return {f"{name}.weight": drawn(out, into), f"{name}.bias": 0.1 * drawn(out)}

        def norm(name: str) -> Arrays:
            return {f"{name}.weight": 1 + 0.1 * drawn(d), f"{name}.bias": 0.1 * drawn(d)}

        tokens = (1 + self.is_distilled) * self.has_class_position
        found = {
            "cls_token": drawn(1, 1, d), "pos_embed": drawn(1, (self.side // self.patch) ** 2 + tokens, d),
            "patch_embed.proj.weight": 0.05 * drawn(d, 3, self.patch, self.patch), "patch_embed.proj.bias": drawn(d),
            **norm("norm"),
        }  # fmt: skip
        for i in range(self.depth):
            block = f"blocks.{i}"
            found |= layer(f"{block}.attn.qkv", 3 * d, d) | layer(f"{block}.attn.proj", d, d)
            found |= layer(f"{block}.mlp.fc1", 4 * d, d) | layer(f"{block}.mlp.fc2", d, 4 * d)
            found |= norm(f"{block}.norm1") | norm(f"{block}.norm2")
            found |= {f"{block}.ls{j}.gamma": 0.5 + drawn(d) for j in (1, 2)} if self.is_scaled else {}
        found |= {"dist_token": drawn(1, 1, d)} if self.is_distilled else {}
        for head in ["head", *(["head_dist"] if self.is_distilled else [])] if self.outputs else []:
            found |= layer(head, self.outputs, d)
        return found

    def settings(self) -> dict[str, Any]:
        """`config.json`, as timm writes it for the hub."""
        mean, std = self.pixels
        prepared = {
            "tag": self.tag, "input_size": [3, self.side, self.side], "interpolation": "bicubic", "crop_pct": self.crop,
            "crop_mode": "center", "mean": mean, "std": std, "num_classes": self.outputs, "classifier": "head",
        }  # fmt: skip
        return {
            "architecture": self.architecture, "num_classes": self.outputs, "num_features": self.width,
            "global_pool": "token", "pretrained_cfg": prepared,
        }  # fmt: skip


NETWORKS = (
    Published("vit_tiny_patch16_224", "augreg_in21k_ft_in1k", 192),
    Published("vit_small_patch32_224", "augreg_in21k_ft_in1k", 384, patch=32),
    Published("vit_small_patch16_224", "augreg_in21k_ft_in1k", 384),
    Published("deit3_small_patch16_224", "fb_in1k", 384, pixels=IMAGENET, is_scaled=True, has_class_position=False),
    Published(
        "deit3_small_patch16_224", "fb_in22k_ft_in1k", 384, crop=1.0, pixels=IMAGENET, is_scaled=True,
        has_class_position=False,
    ),
    Published("deit_tiny_distilled_patch16_224", "fb_in1k", 192, pixels=IMAGENET, is_distilled=True),
    Published("deit_small_distilled_patch16_224", "fb_in1k", 384, pixels=IMAGENET, is_distilled=True),
    Published(
        "vit_small_patch14_dinov2", "lvd142m", 384, patch=14, side=518, outputs=0, crop=1.0, pixels=IMAGENET,
        is_scaled=True,
    ),
)  # fmt: skip
WITH_21K = Published("vit_tiny_patch16_224", "augreg_in21k", 192, outputs=21_843)


def saved(network: Published, folder: Path, form: str) -> Path:
    """What `import` is given: a `folder` of timm's, or a file that ends in `.safetensors` or `.npz`."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = network.weights()
    if form == "folder":
        save_file(weights, folder / "model.safetensors")
        (folder / "config.json").write_text(json.dumps(network.settings()))
        return folder
    path = folder / f"{network.name.replace('.', '_')}.{form}"
    if form == "safetensors":
        save_file(weights, path)
    else:
        np.savez(path, **weights)  # type: ignore[arg-type]
    return path


def saved_by_transformers(network: Published, folder: Path, words: list[str]) -> Path:
    """The same network in the folder that Hugging Face's `transformers` writes: a ViT, a distilled DeiT or a DINOv2."""
    given = network.weights()
    kind = "deit" if network.is_distilled else "vit" if network.outputs else "dinov2"
    start = f"{kind}." if network.outputs else ""
    names = {
        "cls_token": f"{start}embeddings.cls_token", "dist_token": f"{start}embeddings.distillation_token",
        "pos_embed": f"{start}embeddings.position_embeddings",
        "patch_embed.proj": f"{start}embeddings.patch_embeddings.projection", "norm": f"{start}layernorm",
        "head": "cls_classifier" if network.is_distilled else "classifier", "head_dist": "distillation_classifier",
    }  # fmt: skip
    layers = {"attn.proj": "attention.output.dense", "ls1.gamma": "layer_scale1.lambda1"}
    layers |= {"ls2.gamma": "layer_scale2.lambda1"}
    plain = {"mlp.fc1": "intermediate.dense", "mlp.fc2": "output.dense"}
    layers |= {"norm1": "layernorm_before", "norm2": "layernorm_after"} | plain if kind != "dinov2" else {}
    found: Arrays = {}
    for name, array in given.items():
        if name.startswith("blocks."):
            _, i, rest = name.split(".", 2)
            block, part = f"{start}encoder.layer.{i}", rest.rpartition(".")
            if part[0] == "attn.qkv":
                for third, values in zip(("query", "key", "value"), np.split(array, 3), strict=True):
                    found[f"{block}.attention.attention.{third}.{part[2]}"] = np.ascontiguousarray(values)
            elif rest in layers:
                found[f"{block}.{layers[rest]}"] = array
            else:
                found[f"{block}.{layers.get(part[0], part[0])}.{part[2]}"] = array
        elif name in names:
            found[names[name]] = array
        else:
            found[f"{names[name.rpartition('.')[0]]}.{name.rpartition('.')[2]}"] = array
    found |= {} if network.outputs else {"embeddings.mask_token": np.zeros((1, network.width), np.float32)}
    settings = {
        "model_type": kind, "hidden_size": network.width, "num_hidden_layers": network.depth, "hidden_act": "gelu",
        "num_attention_heads": network.width // 64, "image_size": network.side, "patch_size": network.patch,
        "intermediate_size": 4 * network.width, "layer_norm_eps": 1e-6, "num_channels": 3, "qkv_bias": True,
        "id2label": {str(i): word for i, word in enumerate(words)},
    }  # fmt: skip
    settings |= {"mlp_ratio": 4} if kind == "dinov2" else {}
    mean, std = network.pixels
    prepared = {"image_mean": mean, "image_std": std, "do_rescale": True, "rescale_factor": 1 / 255, "resample": 3}
    folder.mkdir(parents=True)
    save_file(found, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "preprocessor_config.json").write_text(
        json.dumps(prepared | {"size": {"height": network.side, "width": network.side}})
    )
    return folder
