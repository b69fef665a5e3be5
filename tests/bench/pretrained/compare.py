"""What vitcam makes of a saved network, beside what the network answered in its own library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from keras import ops
from numpy.typing import NDArray

from tests.bench.pretrained.catalogue import GOOGLE, TIMM, Subject
from tests.bench.pretrained.saved import Answers
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.network import check_partitions, to_tflite
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into, read_weights
from vitcam_training.weights.published.clip import read_clip
from vitcam_training.weights.published.google import read_google
from vitcam_training.weights.published.network import CONFIG, UNNAMED, PublishedNetwork, read_settings
from vitcam_training.weights.published.timm import read_timm
from vitcam_training.weights.published.transformers import read_transformers


@dataclass(frozen=True)
class Errors:
    """The largest differences, and what the int8 file keeps."""

    answer: float
    """Of logits, or of what the head would read."""
    attention: float
    """Of any weight in any block."""
    cosine: float | None
    """Of what the head reads, int8 beside float, the least of the images; None: no int8 file was made."""


def read(subject: Subject, place: Path) -> PublishedNetwork:
    """Import it."""
    if subject.library == GOOGLE:
        return read_google(place, read_weights(place))
    if subject.library == TIMM:
        return read_timm(place)
    return (read_clip if read_settings(place / CONFIG)["model_type"] == "clip" else read_transformers)(place)


def compare(subject: Subject, network: PublishedNetwork, images: NDArray[np.uint8], there: Answers) -> Errors:
    """Ask our network in float32 and, where wanted, in int8 about the images (B, H, W, 3).

    raises  UsageError if XNNPACK does not run the int8 file as one piece
    """
    vit = ViT(network.config)
    leftovers = load_into(vit, network.weights)
    assert leftovers == [], leftovers
    logits, taps = vit(images)
    embedding = ops.convert_to_numpy(taps["embedding"])
    is_body = network.labels == (UNNAMED,) or bool(network.config.shared_width)
    answer = embedding if is_body else ops.convert_to_numpy(logits)
    own = [ops.convert_to_numpy(taps[f"block{i:02}/attention"]) for i in range(network.config.depth)]
    return Errors(
        float(np.abs(answer - there.answer).max()),
        max(float(np.abs(ours - theirs).max()) for ours, theirs in zip(own, there.attentions, strict=True)),
        _cosine(network, images, embedding) if subject.to_int8 else None,
    )


def _cosine(network: PublishedNetwork, images: NDArray[np.uint8], expected: NDArray[np.float32]) -> float:
    tflite = to_tflite(network.config, network.weights, 1.0, Rewrites())
    check_partitions(tflite)
    run = Interpreter(model_content=tflite, num_threads=2).get_signature_runner("classify")
    found = np.stack([run(image=image[None])["embedding"][0] for image in images])
    lengths = np.linalg.norm(found, axis=-1) * np.linalg.norm(expected, axis=-1)
    return float(((found * expected).sum(axis=-1) / lengths).min())
