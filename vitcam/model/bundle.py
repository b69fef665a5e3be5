"""One file carries everything: a zip with labels, preprocessing, calibration and golden images behind the flatbuffer.

TensorFlow Lite reads the front of the file and `zipfile` its end, so neither disturbs the other. Layout of the zip:
`vitcam.json` (a `ModelCard`), `labels.txt` (one a line), `golden/N.png` and `golden.json` (a few images with known
answers), since 0.2 `groups.json`, which groups labels,
`blank/NAME.png`: images that show nothing, for which no answer may be known, and `words.npy`: the vectors of labels
that are words.

The zip protects its own parts by CRC-32. A SHA-256 in the description protects the flatbuffer in front of it, since a
damaged graph can crash the native runtime.
"""

import hashlib
import io
import json
import lzma
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from vitcam.errors import ModelError, UsageError
from vitcam.frames import Guess, Image
from vitcam.model import groups
from vitcam.model.field_types import check_field_types
from vitcam.model.files import content_of
from vitcam.model.groups import Groups
from vitcam.model.out_of_distribution import LEAST_CONTRAST
from vitcam.model.words import Words, read_words
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_png
from vitcam.pictures.resize import InputSpec
from vitcam.storage.files import atomic_write

SCHEMA = 1
DAMAGES = (  # what zipfile, json and NumPy raise for damaged or forged files
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError, NotImplementedError, RuntimeError, SyntaxError,
    EOFError, OSError, MemoryError, LookupError, ArithmeticError, ValueError, TypeError, AttributeError, UsageError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What vitcam needs to know about a model to use it, and what was measured of it."""

    name: str
    description: str
    input: InputSpec
    outputs: dict[str, int]
    """`probabilities`, `attention`, `embedding`, `evidence`, `margin` -> position among the interpreter's outputs."""
    patch_size: int
    grid: tuple[int, int]
    heads: int
    layers: int
    width: int
    parameters: int
    pooling: str = "cls_token"
    """What the head reads, and whose attention is drawn: `cls_token`, `distilled` (the class token and a distillation
    token), `first` (the first patch's token) or `mean`; empty if that is not known."""
    registers: int = 0
    """Tokens that stand before the patches and that the head does not read."""
    temperature: float = 1.0
    """Already applied in the graph; kept for the record."""
    threshold: float = 0.0
    """From this probability on the best guess counts as known. Used only if `least_familiarity` is None."""
    least_familiarity: float | None = None
    """From this familiarity on, in nats, a guess counts as known. None in files of foreign or older models."""
    familiarity_temperature: float = 1.0
    """The temperature that the familiarity takes back from the logits; 1 in older files, whose threshold goes by the
    probabilities as they are."""
    embedding_width: int = 0
    """Numbers of the output `embedding`; 0: as many as `width`."""
    inputs: dict[str, int] = field(default_factory=lambda: {"image": 0})
    """`image`, and in files whose labels are words `words` and `offsets` -> position among the interpreter's inputs."""
    word_capacity: int = 0
    """For how many words the graph has room; 0: its labels cannot be changed."""
    text_tower: str = ""
    """SHA-256 of the file that turns other words into vectors for this one, in hexadecimal."""
    least_contrast: float = LEAST_CONTRAST
    """Pictures of less contrast are blank: never known. Used for files that do not say it, too."""
    trained_on: tuple[dict[str, str], ...] = ()
    licence: str = ""
    accuracy: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    graph_sha256: str = ""
    """Of the flatbuffer, in hexadecimal; empty in files of versions that wrote no checksum."""
    schema: int = SCHEMA


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """An image at the model's size, and the answer that the model must give."""

    name: str
    image: Image
    """(h, w, 3) uint8, RGB."""
    top: tuple[Guess, ...]
    """Empty for a blank image: it must be called unknown."""


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """A model file, read and checked."""

    path: Path
    card: ModelCard
    labels: tuple[str, ...]
    golden: tuple[Golden, ...]
    groups: Groups | None = None
    blank: tuple[Golden, ...] = ()
    """Images that show nothing; none in older files."""
    words: Words | None = None
    """In files whose labels are words."""


def write(
    path: Path,
    tflite: bytes,
    card: ModelCard,
    labels: list[str],
    golden: list[Golden],
    grouped: Groups | None = None,
    blank: Sequence[Golden] = (),
    words: Words | None = None,
) -> ModelCard:
    """Write a model file.

    tflite   the finished flatbuffer
    returns  the card as it was written: with the flatbuffer's checksum
    """
    answers = [{"name": g.name, "top": [asdict(guess) for guess in g.top]} for g in golden]
    card = replace(card, graph_sha256=_sha256(tflite))
    parts: dict[str, str | bytes] = {
        "vitcam.json": _json(asdict(card)),
        "labels.txt": "\n".join(labels) + "\n",
        "golden.json": json.dumps(answers, indent=1),
    }
    parts |= {f"golden/{i}.png": encode_png(g.image) for i, g in enumerate(golden)}
    parts |= {f"blank/{g.name}.png": encode_png(g.image) for g in blank}
    parts |= grouped.parts() if grouped else {}
    parts |= words.parts() if words else {}
    _replace(path, tflite, parts)
    return card


def amend(path: Path, **fields: Any) -> None:
    """Change fields of the card in a model file. The graph and everything else stay the same to the byte.

    A file without a checksum gets one.

    path    a file with a card
    raises  ModelError if the graph is damaged
    """
    with zipfile.ZipFile(path) as archive:
        parts: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    graph, card = flatbuffer(path), json.loads(parts["vitcam.json"])
    _check_graph(path, graph, card.get("graph_sha256", ""))
    card |= fields | {"graph_sha256": _sha256(graph)}
    _replace(path, graph, parts | {"vitcam.json": _json(card)})


def flatbuffer(path: Path) -> bytes:
    """The graph alone, without the zip behind it."""
    content = path.read_bytes()
    if not zipfile.is_zipfile(path):
        return content
    with zipfile.ZipFile(path) as archive:
        return content[: _start(archive, content)]


def read(path: Path, content: bytes | None = None) -> Bundle | None:
    """Read the description in a model file; None for a plain TFLite file without one.

    content  of the file, if it was read already
    raises   ModelError if the file is missing, is not a TFLite model, has an invalid description, or its graph is not
             the one that was written
    """
    content = content_of(path) if content is None else content
    file = io.BytesIO(content)  # it copies nothing
    if not zipfile.is_zipfile(file):
        return None
    try:
        with zipfile.ZipFile(file) as archive:
            if "vitcam.json" not in archive.namelist():
                return None
            card = _card(json.loads(archive.read("vitcam.json")))
            _check_graph(path, memoryview(content)[: _start(archive, content)], card.graph_sha256)
            labels = tuple(archive.read("labels.txt").decode().splitlines())
            grouped, blank = groups.read(archive, len(labels)), tuple(_blank(archive))
            words = read_words(archive, len(labels), card.word_capacity)
            return Bundle(path, card, labels, tuple(_golden(archive, labels)), grouped, blank, words)
    except DAMAGES as error:
        raise ModelError(
            f"{path} carries a description that cannot be read ({error}); export the model again"
        ) from error


def _start(archive: zipfile.ZipFile, content: bytes) -> int:
    """Where the flatbuffer ends and the zip begins."""
    return min((part.header_offset for part in archive.infolist()), default=len(content))


def _check_graph(path: Path, graph: bytes | memoryview, written: str) -> None:
    """Raise ModelError if a flatbuffer does not have the checksum that was written with it, if there was one."""
    if written and (found := _sha256(graph)) != written:
        raise ModelError(
            f"{path} is damaged: the SHA-256 of its graph is {found[:12]}…, and its description says {written[:12]}…; "
            "copy the file again, or export the model again"
        )


def _sha256(graph: bytes | memoryview) -> str:
    return hashlib.sha256(graph).hexdigest()


def _replace(path: Path, tflite: bytes, parts: dict[str, str | bytes]) -> None:
    """Replace the file in one step, so that a reader finds either all of the old model or all of the new one."""
    with atomic_write(path) as partial:
        partial.write_bytes(tflite)
        with zipfile.ZipFile(partial, "a") as archive:
            for name, content in parts.items():  # ZipInfo dates each 1980, so the same model makes the same file
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def _json(card: dict[str, Any]) -> str:
    return json.dumps(card, indent=1, ensure_ascii=False)


def _card(raw: dict[str, Any]) -> ModelCard:
    if raw.get("schema") != SCHEMA:
        raise ModelError(
            f"the model's description has schema {raw.get('schema')!r}, this vitcam reads {SCHEMA}; "
            "export the model again or update vitcam"
        )
    known = {f.name for f in fields(ModelCard)}
    values = {key: value for key, value in raw.items() if key in known}
    values["input"] = InputSpec(**values["input"])
    values["grid"] = tuple(values["grid"])
    values["trained_on"] = tuple(values.get("trained_on", ()))
    card = ModelCard(**values)
    check_field_types(card)
    if "probabilities" not in card.outputs:
        raise ValueError("its outputs name no probabilities")
    return card


def _golden(archive: zipfile.ZipFile, labels: tuple[str, ...]) -> list[Golden]:
    found = []
    for i, answer in enumerate(json.loads(archive.read("golden.json"))):
        top = tuple(Guess(guess["label"], guess["p"]) for guess in answer["top"])
        golden = Golden(str(answer["name"]), decode_image(archive.read(f"golden/{i}.png")), top)
        if not top or top[0].label not in labels or not isinstance(top[0].p, float | int):
            raise ValueError(f"golden image {i} has no answer among the labels")
        found.append(golden)
    return found


def _blank(archive: zipfile.ZipFile) -> Iterator[Golden]:
    for name in archive.namelist():
        if name.startswith("blank/") and name.endswith(".png"):
            yield Golden(name.removeprefix("blank/").removesuffix(".png"), decode_image(archive.read(name)), ())
