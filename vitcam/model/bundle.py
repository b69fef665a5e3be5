"""One file carries everything: a zip with labels, preprocessing, calibration and golden images behind the flatbuffer.

TensorFlow Lite reads the front of the file and `zipfile` its end, so neither disturbs the other. Layout of the zip:
`vitcam.json` (a `ModelCard`), `labels.txt` (one a line), `golden/N.png` and `golden.json` (a few images, the answers
that the model gave, and what they show), since 0.2 `groups.json`, which groups labels,
`blank/NAME.png`: images that show nothing, for which no answer may be known, `words.npy`: the vectors of labels that
are words, `bank/`: what the model made of some photos, for a device that learns a label of its own, and `taught/`: the
rows of labels that a device has learned.

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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from vitcam.errors import ModelError, UsageError
from vitcam.frames import Guess, Image
from vitcam.model import bank, groups
from vitcam.model.bank import Bank
from vitcam.model.card import ModelCard, read_card
from vitcam.model.files import content_of
from vitcam.model.groups import Groups
from vitcam.model.taught import Taught, read_taught
from vitcam.model.words import Words, read_words
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_png
from vitcam.storage.files import atomic_write

DAMAGES = (  # what zipfile, json and NumPy raise for damaged or forged files
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, tokenize.TokenError, NotImplementedError, RuntimeError, SyntaxError,
    EOFError, OSError, MemoryError, LookupError, ArithmeticError, ValueError, TypeError, AttributeError, UsageError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """An image at the model's size, and the answer that the model must give."""

    name: str
    image: Image
    """(h, w, 3) uint8, RGB."""
    top: tuple[Guess, ...]
    """Empty for a blank image: it must be called unknown."""
    true: str = ""
    """What it shows, by the name of a label or of a group; empty where nobody has said."""


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
    taught: Taught | None = None
    """In files that were taught labels on a device."""
    graph_bytes: int = 0
    """Of the flatbuffer, at the front of the file."""

    @property
    def fingerprint(self) -> str:
        """Differs from that of a model that may answer otherwise, in hexadecimal; empty where there is no checksum.

        Models that were taught share the graph of their base.
        """
        graph = self.card.graph_sha256
        return _sha256(graph.encode() + self.taught.content) if self.taught and graph else graph


def write(
    path: Path,
    tflite: bytes,
    card: ModelCard,
    labels: list[str],
    golden: list[Golden],
    grouped: Groups | None = None,
    blank: Sequence[Golden] = (),
    words: Words | None = None,
    banked: Bank | None = None,
    taught: Taught | None = None,
) -> ModelCard:
    """Write a model file.

    tflite   the finished flatbuffer
    returns  the card as it was written: with the flatbuffer's checksum, and how many photos are in the bank
    """
    card = replace(card, graph_sha256=_sha256(tflite), bank=len(banked) if banked else 0)
    parts: dict[str, str | bytes] = {
        "vitcam.json": _json(card.record),
        "labels.txt": "\n".join(labels) + "\n",
        **_golden_parts(golden),
    }
    parts |= {f"blank/{g.name}.png": encode_png(g.image) for g in blank}
    parts |= grouped.parts() if grouped else {}
    parts |= words.parts() if words else {}
    parts |= banked.parts() if banked else {}
    parts |= taught.parts() if taught else {}
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


def replace_golden(path: Path, golden: Sequence[Golden]) -> None:
    """Put other golden images into a model file. The graph and everything else stay the same to the byte.

    path    a file with a card
    raises  ModelError if the graph is damaged
    """
    with zipfile.ZipFile(path) as archive:
        parts: dict[str, str | bytes] = {
            name: archive.read(name) for name in archive.namelist() if not name.startswith("golden/")
        }
    graph = flatbuffer(path)
    _check_graph(path, graph, json.loads(parts["vitcam.json"]).get("graph_sha256", ""))
    _replace(path, graph, parts | _golden_parts(golden))


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
            card = read_card(json.loads(archive.read("vitcam.json")))
            size = _start(archive, content)
            _check_graph(path, memoryview(content)[:size], card.graph_sha256)
            labels = tuple(archive.read("labels.txt").decode().splitlines())
            grouped, blank = groups.read(archive, len(labels)), tuple(_blank(archive))
            words = read_words(archive, len(labels), card.word_capacity)
            taught = read_taught(archive, card, labels)
            golden = tuple(_golden(archive, labels, grouped))
            return Bundle(path, card, labels, golden, grouped, blank, words, taught, size)
    except DAMAGES as error:
        raise ModelError(
            f"{path} carries a description that cannot be read ({error}); export the model again"
        ) from error


def bank_bytes(path: Path) -> int:
    """How much of a model file is its bank, which a daemon does not load; 0 for any other file."""
    if not zipfile.is_zipfile(path):
        return 0
    with zipfile.ZipFile(path) as archive:
        return sum(part.compress_size for part in archive.infolist() if part.filename.startswith(bank.FOLDER))


def read_bank(path: Path, card: ModelCard) -> Bank | None:
    """Read the bank of a model file; None if it has none.

    card    of the model that runs; the file may have been replaced since it was loaded
    raises  ModelError if the file holds another model now, or the bank cannot be read
    """
    if not card.bank:
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            there = read_card(json.loads(archive.read("vitcam.json")))
            found = bank.read(archive, there, len(archive.read("labels.txt").decode().splitlines()))
    except DAMAGES as error:
        raise ModelError(
            f"the bank of {path} cannot be read ({error}); copy the file again, or export the model again"
        ) from error
    if there.graph_sha256 != card.graph_sha256:
        raise ModelError(f"{path} holds another model than the one that runs; restart to use it")
    return found


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


def _golden_parts(golden: Sequence[Golden]) -> dict[str, str | bytes]:
    answers = [{"name": g.name, "true": g.true, "top": [asdict(guess) for guess in g.top]} for g in golden]
    images = {f"golden/{i}.png": encode_png(g.image) for i, g in enumerate(golden)}
    return {"golden.json": json.dumps(answers, indent=1, ensure_ascii=False), **images}


def _golden(archive: zipfile.ZipFile, labels: tuple[str, ...], grouped: Groups | None) -> list[Golden]:
    found, names = [], {"", *labels, *(grouped.members if grouped else ())}
    for i, answer in enumerate(json.loads(archive.read("golden.json"))):
        top = tuple(Guess(guess["label"], guess["p"]) for guess in answer["top"])
        true = answer.get("true", "")
        golden = Golden(str(answer["name"]), decode_image(archive.read(f"golden/{i}.png")), top, true)
        if not top or top[0].label not in labels or not isinstance(top[0].p, float | int):
            raise ValueError(f"golden image {i} has no answer among the labels")
        if true not in names:
            raise ValueError(f"golden image {i} shows {true!a:.60}, which is neither a label nor a group")
        found.append(golden)
    return found


def _blank(archive: zipfile.ZipFile) -> Iterator[Golden]:
    for name in archive.namelist():
        if name.startswith("blank/") and name.endswith(".png"):
            yield Golden(name.removeprefix("blank/").removesuffix(".png"), decode_image(archive.read(name)), ())
