"""From a CLIP that was trained here to a model file, by the commands that users have."""

from collections.abc import Sequence
from pathlib import Path

from tests.training.integration.command import call
from tests.training.integration.words.tiny_clip import save, train

STEPS = 3000
PROMPTS = ("--template", "a photo of {}.", "--none", "a photo of a thing.")
"""What the captions of its training look like."""


def trained_checkpoint(folder: Path, steps: int = STEPS) -> Path:
    """Train, save as transformers does, import."""
    save(train(steps)[0], folder / "clip")
    checkpoint = folder / "shapes.safetensors"
    call("import", folder / "clip", "-o", checkpoint)
    return checkpoint


def export(checkpoint: Path, words: Sequence[str], out: Path, *options: object) -> None:
    """By `vitcam-train words`."""
    call("words", checkpoint, *words, "-o", out, *PROMPTS, *options)
