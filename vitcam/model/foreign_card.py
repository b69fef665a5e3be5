"""A card for a classifier that came without one: made of its graph, of what its user says, and of photos."""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vitcam.errors import ModelError, UsageError
from vitcam.frames import LIKELY, Image
from vitcam.interval import wilson
from vitcam.model import bundle
from vitcam.model.card import ModelCard
from vitcam.model.classifier import Classifier
from vitcam.model.files import content_of
from vitcam.model.foreign_outputs import outputs_of
from vitcam.model.labels import read_labels
from vitcam.model.runtime import TensorInfo, open_interpreter
from vitcam.model.trial import check_by_trial
from vitcam.names.species import Species
from vitcam.pictures.resize import InputSpec

RIGHT = 0.9
"""Of the names that are displayed, at least this share is to be right."""
_MOST_NAMED = 3
_TYPES = (np.uint8, np.int8, np.float32)


@dataclass(frozen=True, slots=True)
class Given:
    """What a graph does not say of itself."""

    name: str
    labels: tuple[str, ...] = ()
    """Empty: those that lie in the file, as TensorFlow Lite's metadata has them."""
    mean: tuple[float, ...] = ()
    """As `input_values` takes them."""
    std: tuple[float, ...] = ()
    threshold: float = 0.0
    """Probability from which on a name is displayed; 0: chosen by photos, else 0.5."""
    description: str = ""
    licence: str = ""
    trained_on: str = ""


def write_described(path: Path, given: Given, photos: Iterable[tuple[str, Image]], out: Path) -> ModelCard:
    """Write a model file with a card for one without. Its graph stays the same to the byte.

    photos   label and picture, (H, W, 3) uint8, RGB: photos that chose nothing of the model so far
    out      may be `path`
    raises   ModelError for a file that holds another graph, UsageError for labels that do not fit
    """
    content = content_of(path)
    if bundle.read(path, content) is not None:
        raise UsageError(f"{path} has a card already; `vitcam models show {path}` prints it")
    check_by_trial(path, content)
    graph = bundle.flatbuffer(path)
    labels = given.labels or _labels_inside(path)
    card = _card(path, content, given)
    card = replace(card, provenance={"sha256": hashlib.sha256(content).hexdigest()})
    draft = out.with_name(f".{out.stem}.draft.tflite")
    try:
        bundle.write(draft, graph, card, list(labels), [])
        classifier = Classifier(draft)
        answers = _answers(classifier, photos)
    finally:
        draft.unlink(missing_ok=True)
    threshold = given.threshold or (threshold_of(answers) if answers else LIKELY)
    figures = _figures(answers, given.threshold) if answers else {}
    return bundle.write(out, graph, replace(card, threshold=threshold, accuracy=figures), list(labels), [])


def threshold_of(answers: Sequence[tuple[float, bool]]) -> float:
    """The lowest probability from which on at least `RIGHT` of the names are right; 1 where there is none.

    Where that holds for all photos, nothing speaks against a name of the usual probability.

    answers  probability of the best label of each photo, and whether it is right
    """
    ranked, wrong, found = sorted(answers, reverse=True), 0, 1.0
    for count, (p, is_right) in enumerate(ranked, 1):
        wrong += not is_right
        is_last = count == len(ranked) or ranked[count][0] < p
        if is_last and round(count - wrong - RIGHT * count, 9) >= 0:
            found = p
    return min(found, LIKELY) if ranked and found == ranked[-1][0] else found


def _card(path: Path, content: bytes, given: Given) -> ModelCard:
    graph = open_interpreter(path, 1, content)
    picture = _picture(path, graph.inputs)
    if picture.dtype == np.float32 and not given.mean:
        raise UsageError(
            f"{path} takes numbers and not a picture; say which by --mean 127.5 --std 127.5 (from -1 to 1), "
            "--mean 0 --std 255 (from 0 to 1), or those that it was trained with"
        )
    scores = [i for i, out in enumerate(graph.outputs) if len(out.shape) == 2 and out.shape[0] == 1]
    if len(scores) != 1:
        raise ModelError(
            f"{path} has {len(graph.outputs)} outputs, and {len(scores)} of them are one row of scores; a classifier "
            "has one"
        )
    _, height, width, _ = picture.shape
    card = ModelCard(
        name=given.name,
        description=given.description or "a TensorFlow Lite classifier",
        input=InputSpec(height, width),
        outputs={"probabilities": scores[0]},
        patch_size=0, grid=(0, 0), heads=0, layers=0, width=0, parameters=0, pooling="",
        mean=given.mean,
        std=given.std,
        licence=given.licence,
        trained_on=({"name": given.trained_on},) if given.trained_on else (),
    )  # fmt: skip
    return replace(card, scores=outputs_of(path, graph, card))


def _picture(path: Path, inputs: Sequence[TensorInfo]) -> TensorInfo:
    first = inputs[0]
    is_picture = len(first.shape) == 4 and first.shape[0] == 1 and first.shape[3] == 3 and min(first.shape) > 0
    if len(inputs) != 1 or not is_picture or first.dtype not in _TYPES:
        shape = "×".join(map(str, first.shape))
        raise ModelError(
            f"{path} takes {len(inputs)} inputs, the first {shape} {first.dtype}; allowed is one picture 1×H×W×3 in "
            "uint8, int8 or float32"
        )
    return first


def _labels_inside(path: Path) -> tuple[str, ...]:
    """Those of the text file that TensorFlow Lite's metadata puts behind a graph. Raises UsageError for none."""
    content = path.read_bytes()
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            texts = [name for name in archive.namelist() if name.endswith(".txt")]
            if len(texts) == 1:
                lines = archive.read(texts[0]).decode(errors="replace").splitlines()
                return tuple(line.strip() for line in lines if line.strip())
    raise UsageError(f"{path} carries no labels; give a text file with one label a line by --labels")


def labels_of(path: Path | None) -> tuple[str, ...]:
    """Those of a file; nothing for no file. Raises UsageError."""
    return read_labels(path) if path else ()


def _answers(classifier: Classifier, photos: Iterable[tuple[str, Image]]) -> list[tuple[float, bool]]:
    """Probability of the best label of each photo, and whether it is right. Raises UsageError for unknown labels."""
    keys = {label: Species.of(label).keys for label in classifier.labels}
    known = frozenset[str]().union(*keys.values())
    found, unknown = list[tuple[float, bool]](), dict[str, None]()
    for label, image in photos:
        meant = Species.of(label).keys
        if not meant & known:
            unknown[label] = None
            continue
        best = classifier.classify_image(image).top[0]
        found.append((best.p, bool(keys[best.label] & meant)))
    if unknown:
        more = f" and {len(unknown) - _MOST_NAMED} more" if len(unknown) > _MOST_NAMED else ""
        raise UsageError(
            f"the model has no label {', '.join([*unknown][:_MOST_NAMED])}{more}; name the folders of photos as its "
            "labels, or as their English or scientific names"
        )
    return found


def _figures(answers: Sequence[tuple[float, bool]], threshold: float) -> dict[str, Any]:
    """What was measured. What is displayed counts by a threshold that the other half of the photos has chosen."""
    halves = answers[::2], answers[1::2]
    shown = [
        is_right
        for half, other in (halves, halves[::-1])
        for p, is_right in half
        if p >= (threshold or threshold_of(other))
    ]
    right, n = sum(is_right for _, is_right in answers), len(answers)
    return {
        "data": "photos that chose nothing",
        "split": "heldout",
        "n": n,
        "top1": right / n,
        "top1_interval": list(wilson(right, n)),
        "displayed_right": sum(shown) / n,
        "displayed_wrong": (len(shown) - sum(shown)) / n,
    }
