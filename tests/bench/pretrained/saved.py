"""A network as its own library saves it, and what it answers there."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.bench.pretrained.catalogue import GOOGLE, HF, Subject

HALVES = np.full(3, 0.5)


@dataclass(frozen=True, eq=False)
class Answers:
    """Of the network in its own library, float32."""

    answer: NDArray[Any]
    """(B, K) logits, or (B, D) what its head would read."""
    attentions: list[NDArray[Any]]
    """(B, h, T, T) of each block."""
    parameters: int


def save(subject: Subject, images: NDArray[np.uint8], place: Path) -> Answers:
    """Make the network, save it at `place`, a folder or an archive, and ask it about images (B, H, W, 3)."""
    import torch

    torch.manual_seed(0)
    model = subject.make().eval()
    with torch.no_grad():  # libraries begin with weights so small that all patches look alike
        for values in model.parameters():
            if values.ndim in (2, 4):
                values.copy_(torch.randn(values.shape) * values[0].numel() ** -0.5)
            else:  # norms begin as ones, biases as zeros: a mistake would not show
                values.add_(0.2 * torch.randn(values.shape))
    if subject.library == HF:
        return _of_transformers(model, images, place)
    return _of_timm(model, images, place, subject.library == GOOGLE)


def _of_transformers(model: Any, images: NDArray[np.uint8], place: Path) -> Answers:
    import torch
    from transformers import ViTImageProcessor

    model.save_pretrained(place)
    side = images.shape[1]
    processor = ViTImageProcessor(size={"height": side, "width": side})
    processor.save_pretrained(place)
    pixels = _planes(images, np.array(processor.image_mean), np.array(processor.image_std))
    is_clip = hasattr(model, "vision_model")
    with torch.no_grad():
        if is_clip:
            tower = model.vision_model(pixel_values=pixels, output_attentions=True)
            unit = model.visual_projection(tower.pooler_output)
            answer, attentions = unit / unit.norm(dim=-1, keepdim=True), tower.attentions
        else:
            found = model(pixels, output_attentions=True)
            answer = found.logits if hasattr(found, "logits") else found.last_hidden_state[:, 0]
            attentions = found.attentions
    if is_clip:
        _save_tokenizer(place)
    count = sum(each.numel() for each in (model.vision_model if is_clip else model).parameters())
    return Answers(answer.numpy(), [each.numpy() for each in attentions], count)


def _of_timm(model: Any, images: NDArray[np.uint8], place: Path, is_archive: bool) -> Answers:
    import torch

    from tests.fixtures.timm.make import as_google

    if is_archive:
        arrays: dict[str, Any] = as_google(
            model.state_dict(), is_big_vision=False, heads=model.blocks[0].attn.num_heads
        )
        np.savez(place, **arrays)
        model.load_pretrained(str(place))  # timm's own reader of such archives
    else:
        from timm.models import save_for_hf

        save_for_hf(model, place, safe_serialization=True)
    seen: list[Any] = []
    for block in model.blocks:
        block.attn.attn_drop.register_forward_hook(lambda module, given, result: seen.append(given[0]))
    prepared = model.pretrained_cfg
    mean, std = (HALVES, HALVES) if is_archive else (np.array(prepared["mean"]), np.array(prepared["std"]))
    with torch.no_grad():
        answer = model(_planes(images, mean, std))
    count = sum(each.numel() for each in model.parameters())
    return Answers(answer.numpy(), [each.numpy() for each in seen], count)


def _planes(images: NDArray[np.uint8], mean: NDArray[np.float64], std: NDArray[np.float64]) -> Any:
    """(B, H, W, 3) -> a tensor (B, 3, H, W)."""
    import torch

    return torch.tensor((images / 255 - mean) / std, dtype=torch.float32).permute(0, 3, 1, 2)


def _save_tokenizer(place: Path) -> None:
    from tokenizers import Tokenizer, models

    Tokenizer(models.WordLevel({str(i): i for i in range(100)}, unk_token="0")).save(str(place / "tokenizer.json"))


def without_torchvision() -> None:
    """Let timm be imported where torchvision's binary does not fit PyTorch's. It is used for photos, of which there
    are none here."""
    try:
        import torchvision  # noqa: F401
    except (ImportError, RuntimeError):
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        sys.meta_path.insert(0, _EmptyModules())


class _EmptyModules:
    """Finds every module of torchvision, each with whatever is asked of it."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] == "torchvision" else None  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> types.ModuleType:
        return _EmptyModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


class _EmptyModule(types.ModuleType):
    __path__: list[str] = []  # noqa: RUF012 - what makes a package of a module
    __version__ = "0.0"

    def __getattr__(self, name: str) -> Any:
        import enum

        import torch

        if name.startswith("__"):
            raise AttributeError(name)
        if name == "InterpolationMode":
            return enum.Enum(name, "NEAREST NEAREST_EXACT BILINEAR BICUBIC BOX HAMMING LANCZOS")
        return type(name, (torch.nn.Module,), {})
