"""One file carries everything: a zip with labels, preprocessing, calibration and golden images behind the flatbuffer.

TensorFlow Lite reads the front of the file and `zipfile` its end, so neither disturbs the other. Layout of the zip:
`vitcam.json` (a `Card`), `labels.txt` (one a line), `golden/N.png` and `golden.json` (a few images with known answers),
and since 0.2 `familiarity/*.npy`, by which a guess counts as known.
"""

import io
import json
import lzma
import tokenize
import zipfile
import zlib
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import cv2

from vitcam.decode import decode_image
from vitcam.errors import ModelError, UsageError
from vitcam.frames import Guess, Image
from vitcam.model import familiarity
from vitcam.model.content import content_of
from vitcam.model.familiarity import Familiarity
from vitcam.model.sound import check_kinds
from vitcam.resize import InputSpec

SCHEMA = 1
_DAMAGES = (  # what zipfile, json and NumPy raise for files that somebody damaged or made up
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError, NotImplementedError, RuntimeError, SyntaxError,
    EOFError, OSError, MemoryError, LookupError, ArithmeticError, ValueError, TypeError, AttributeError, UsageError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card:
    """What must be known of a model to use it rightly, and what was measured of it."""

    name: str
    description: str
    input: InputSpec
    outputs: dict[str, int]
    """`probabilities`, `attention`, `embedding`, `evidence` -> position among the interpreter's outputs."""
    patch_size: int
    grid: tuple[int, int]
    heads: int
    layers: int
    width: int
    parameters: int
    pooling: str = "cls_token"
    """What the head reads, and whose attention is shown: `cls_token`, `first` (the first patch's token) or `mean`;
    empty where that is not known."""
    temperature: float = 1.0
    """Already applied in the graph; kept for the record."""
    threshold: float = 0.0
    """Below this probability the best guess does not count as known, where the file carries no familiarity."""
    familiarity: dict[str, float] = field(default_factory=dict)
    """The numbers of `Familiarity`; empty where the file carries none."""
    trained_on: tuple[dict[str, str], ...] = ()
    licence: str = ""
    accuracy: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    schema: int = SCHEMA


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """An image at the model's size and what the model must say of it."""

    name: str
    image: Image
    """(h, w, 3) uint8, RGB."""
    top: tuple[Guess, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """A model file, read and checked."""

    path: Path
    card: Card
    labels: tuple[str, ...]
    golden: tuple[Golden, ...]
    familiarity: Familiarity | None = None


def write(
    path: Path,
    tflite: bytes,
    card: Card,
    labels: list[str],
    golden: list[Golden],
    familiar: Familiarity | None = None,
) -> None:
    """Write a model file; `tflite` is the finished flatbuffer."""
    answers = [{"name": g.name, "top": [asdict(guess) for guess in g.top]} for g in golden]
    card = replace(card, familiarity=familiar.numbers() if familiar else {})
    parts: dict[str, str | bytes] = {
        "vitcam.json": _json(asdict(card)),
        "labels.txt": "\n".join(labels) + "\n",
        "golden.json": json.dumps(answers, indent=1),
    }
    parts |= {f"golden/{i}.png": _png(g) for i, g in enumerate(golden)}
    parts |= familiar.parts() if familiar else {}
    _replace(path, tflite, parts)


def amend(path: Path, **fields: Any) -> None:
    """Change fields of the card in a model file; every byte of the graph and all else that it carries stay.

    path  a file that `read` found a card in
    """
    with zipfile.ZipFile(path) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    card = json.loads(parts["vitcam.json"]) | fields
    _replace(path, flatbuffer(path), parts | {"vitcam.json": _json(card)})


def flatbuffer(path: Path) -> bytes:
    """The graph alone, without what lies behind it."""
    content = path.read_bytes()
    if not zipfile.is_zipfile(path):
        return content
    with zipfile.ZipFile(path) as archive:
        return content[: min((part.header_offset for part in archive.infolist()), default=len(content))]


def read(path: Path, content: bytes | None = None) -> Bundle | None:
    """Read what a model file carries; None for a plain TFLite file that carries nothing.

    content  of the file, where it was read already
    raises   ModelError if the file is missing, is no TFLite model, or carries something that cannot be meant
    """
    file = io.BytesIO(content_of(path) if content is None else content)  # shares the bytes
    if not zipfile.is_zipfile(file):
        return None
    try:
        with zipfile.ZipFile(file) as archive:
            if "vitcam.json" not in archive.namelist():
                return None
            card = _card(json.loads(archive.read("vitcam.json")))
            labels = tuple(archive.read("labels.txt").decode().splitlines())
            familiar = familiarity.read(archive, card.familiarity)
            return Bundle(path, card, labels, tuple(_golden(archive, labels)), familiar)
    except _DAMAGES as error:
        raise ModelError(
            f"{path} carries a description that cannot be read ({error}); export the model again"
        ) from error


def _replace(path: Path, tflite: bytes, parts: dict[str, str | bytes]) -> None:
    """An old file is replaced as a whole: whoever reads it meanwhile finds all of one model."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(tflite)
    with zipfile.ZipFile(partial, "a") as archive:
        for name, content in parts.items():  # ZipInfo dates each 1980: the same model makes the same file
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    partial.replace(path)


def _json(card: dict[str, Any]) -> str:
    return json.dumps(card, indent=1, ensure_ascii=False)


def _card(raw: dict[str, Any]) -> Card:
    if raw.get("schema") != SCHEMA:
        raise ModelError(
            f"the model's description has schema {raw.get('schema')!r}, this vitcam reads {SCHEMA}; "
            "export the model again or update vitcam"
        )
    known = {f.name for f in fields(Card)}
    values = {key: value for key, value in raw.items() if key in known}
    values["input"] = InputSpec(**values["input"])
    values["grid"] = tuple(values["grid"])
    values["trained_on"] = tuple(values.get("trained_on", ()))
    card = Card(**values)
    check_kinds(card)
    if "probabilities" not in card.outputs:
        raise ValueError("its outputs name no probabilities")
    return card


def _png(golden: Golden) -> bytes:
    done, png = cv2.imencode(".png", golden.image[..., ::-1])
    if not done:
        raise ModelError(f"the golden image {golden.name!r} could not be written as PNG")
    return png.tobytes()


def _golden(archive: zipfile.ZipFile, labels: tuple[str, ...]) -> list[Golden]:
    found = []
    for i, answer in enumerate(json.loads(archive.read("golden.json"))):
        top = tuple(Guess(guess["label"], guess["p"]) for guess in answer["top"])
        golden = Golden(str(answer["name"]), decode_image(archive.read(f"golden/{i}.png")), top)
        if not top or top[0].label not in labels or not isinstance(top[0].p, float | int):
            raise ValueError(f"golden image {i} has no answer among the labels")
        found.append(golden)
    return found
