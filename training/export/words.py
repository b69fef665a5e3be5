"""From a network that knows words to a model file whose labels are words, and the file that changes them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.card import ModelCard
from vitcam.model.text.relabel import description_of
from vitcam.model.text.text_file import SUFFIX, AboutTower, TextFile, fingerprint, write_text_file
from vitcam.model.text.vectors import checked_words, vectors_of
from vitcam_training.export.golden import golden_images
from vitcam_training.export.network import TrainedNetwork, check_partitions

CAPACITY = 256
"""Room for so many words, and for none of them. It costs a thousandth of the time of the smallest image tower."""
KNOWN = 0.5
"""From here on a word is more likely than none of them."""


@dataclass(frozen=True)
class Prompts:
    """What is put around each word, and what stands for none of them; None: as the text tower's file says."""

    templates: tuple[str, ...] | None = None
    none: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Raises UsageError for a template without a place for the word."""
        for template in self.templates or ():
            if "{}" not in template:
                raise UsageError(f"the template {template!r} has no {{}}, where the word goes; add it")

    def applied(self, about: AboutTower) -> AboutTower:
        """What the text tower's file is to say."""
        return replace(about, templates=self.templates or about.templates, none=self.none or about.none)


def export_words(
    checkpoint: Path, words: Sequence[str], out: Path, prompts: Prompts, golden: Path | None = None
) -> ModelCard:
    """Write a model file whose labels are words, and beside it the text tower, which can change them.

    checkpoint  `.safetensors` of `vitcam-train import`, its text tower beside it
    out         `NAME.tflite`
    golden      a folder of a few photos that may be given away: they go into the file, to check it wherever it runs
    raises      UsageError if the network knows no words, or the words are not as they must be; ModelError if there is
                no text tower beside it; UsageError if the finished graph is not one XNNPACK partition
    """
    network = replace(TrainedNetwork.read(checkpoint), word_capacity=CAPACITY, threshold=KNOWN)
    if not network.config.shared_width:
        raise UsageError(
            f"{checkpoint} holds a network that knows no words; import one that does, such as "
            "hf:openai/clip-vit-base-patch16"
        )
    labels = checked_words(words)
    text_file = _text_file(checkpoint.with_suffix(SUFFIX), out.with_suffix(SUFFIX), prompts)
    vectors = vectors_of(TextFile(text_file), labels, CAPACITY)
    tflite = network.tflite()
    check_partitions(tflite)
    card = replace(
        network.card(tflite),
        description=description_of(labels),
        text_tower=fingerprint(text_file),
        least_contrast=0.0,  # a plain picture may be what a word means: "an empty table"
    )
    bundle.write(out, tflite, card, list(labels), [], words=vectors)
    return bundle.write(out, tflite, card, list(labels), golden_images(out, golden), words=vectors)


def _text_file(source: Path, out: Path, prompts: Prompts) -> Path:
    """Put the text tower beside the model."""
    file = TextFile(source)
    about = prompts.applied(file.about)
    if about == file.about:
        if source.resolve() != out.resolve():
            shutil.copyfile(source, out)
    else:
        write_text_file(out, about, dict(file.weights), file.tokenizer)
    return out
