"""One file that carries an event to somebody else: what a user attaches to a bug report.

A zip: `event.json` as the API gives the event, `frame.jpg` (of a box, what is in it), `replay.json` with what a replay
needs in full precision, `settings.json` without secrets, and `versions.json`. Nothing in one that comes from elsewhere
is trusted.
"""

import io
import json
import platform
import stat
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam._version import __version__
from vitcam.config.load import EffectiveSettings
from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Guess
from vitcam.model.classifier import Classifier
from vitcam.parts.replay.stored_picture import StoredPicture
from vitcam.pictures.decode import MAX_BYTES
from vitcam.rects import Rect
from vitcam.redaction import redacted
from vitcam.storage.files import given_file

BUNDLE = ".zip"
"""What the name of a bundle ends in."""
_FORMAT = 1
_MOST_JSON = 1_000_000
_MOST_PATCHES = 10_000
_MOST_GUESSES = 1_000
_MOST_FILE = MAX_BYTES + 2 * _MOST_JSON
_LONGEST = 200  # letters of a text
_WIDEST = 65_535  # px, as JPEG has them
_GARBAGE = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, RuntimeError, NotImplementedError)
"""What zipfile raises for a damaged archive."""
_DAMAGES = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, RecursionError)
"""What damaged JSON comes to."""
_HIDDEN = "***"
_OPEN_RULE_KEYS = frozenset({"label", "zone", "above", "for_s", "between", "cooldown_s"})
"""Of `[[on]]`; addresses and commands of a rule may hold a password anywhere."""


def write_bundle(path: Path, stored: StoredPicture, documents: Mapping[str, Mapping[str, object]]) -> None:
    """Write a bundle, in one step.

    documents  name -> value of further JSON files
    raises  VitcamError if it cannot be written
    """
    try:
        with given_file(path) as half, zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("frame.jpg", stored.jpeg)
            for name, document in {**documents, "replay": _replay(stored)}.items():
                archive.writestr(f"{name}.json", json.dumps(document, ensure_ascii=False, indent=1))
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}") from error


def read_bundle(path: Path) -> StoredPicture:
    """The event of a bundle. Raises UsageError for a file that is none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_FILE:
            raise ValueError("not a plain file, or too large")
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            described = json.loads(_member(archive, "replay.json", _MOST_JSON))
            return _stored(described, _member(archive, "frame.jpg", MAX_BYTES))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except (*_GARBAGE, *_DAMAGES) as error:
        raise UsageError(f"{path} is not a bundle of `vitcam replay --bundle`, or it is damaged") from error


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    entry = archive.getinfo(name)
    if entry.file_size > most or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(name)
    with archive.open(entry) as member:
        return member.read(most)


def _replay(stored: StoredPicture) -> dict[str, Any]:
    crop = stored.crop
    return {
        "format": _FORMAT,
        "id": stored.id,
        "label": stored.label,
        "start": stored.start,
        "model": stored.model,
        "fingerprint": stored.fingerprint,
        "top": [[guess.label, guess.p] for guess in stored.top],
        "crop": [crop.x, crop.y, crop.width, crop.height],
        "evidence": None if stored.evidence is None else stored.evidence.tolist(),
        "frame_of": stored.frame_of,
        "box": stored.box,
    }


def _stored(described: Any, jpeg: bytes) -> StoredPicture:
    """Raises KeyError, TypeError, OverflowError or ValueError for what no bundle says."""
    if not isinstance(described, dict) or described["format"] != _FORMAT:
        raise ValueError("replay.json")
    return StoredPicture(
        **{name: _text(described[name]) for name in ("id", "label", "start", "model", "fingerprint")},
        top=_guesses(described["top"]),
        crop=_crop(described["crop"]),
        evidence=_weights(described["evidence"]),
        jpeg=jpeg,
        frame_of=_text(described.get("frame_of", "")),  # bundles of older versions do not say
        box=_text(described.get("box", "")),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable() or len(value) > _LONGEST:
        raise ValueError("text")
    return value


def _guesses(rows: Any) -> tuple[Guess, ...]:
    top = tuple(Guess(_text(label), float(p)) for label, p in rows)
    if not 0 < len(top) <= _MOST_GUESSES or not all(0 <= guess.p <= 1 for guess in top):
        raise ValueError("top")
    return top


def _crop(sides: Any) -> Rect:
    x, y, width, height = sides
    if not all(type(side) is int and 0 <= side <= _WIDEST for side in sides):
        raise ValueError("crop")
    return Rect(x, y, width, height)


def _weights(rows: Any) -> NDArray[np.float32] | None:
    if rows is None:
        return None
    weights = np.asarray(rows, np.float64)
    fits = weights.ndim == 2 and 0 < weights.size <= _MOST_PATCHES
    if not fits or not (np.abs(weights) <= np.finfo(np.float16).max).all():  # as the history keeps them
        raise ValueError("evidence")
    return weights.astype(np.float32)


def public_settings(effective: EffectiveSettings) -> dict[str, Any]:
    """Every setting by its name; `***` for what is a secret or may hold one."""
    return {name: _public(name, value) for name, value, _ in effective.rows()}


def versions(classifier: Classifier) -> dict[str, Any]:
    """Of everything that an answer depends on."""
    runtime = classifier.runtime
    return {
        "vitcam": __version__,
        "model": classifier.card.name,
        "fingerprint": classifier.card.graph_sha256,
        "runtime": f"{runtime.name} {runtime.version}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "machine": platform.machine(),
        "system": platform.platform(),
    }


def _public(name: str, value: Any) -> Any:
    section, _, key = name.rpartition(".")
    if section.partition(".")[0] == "on" and key not in _OPEN_RULE_KEYS:
        return _HIDDEN if value else value
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, tuple):
        return [redacted(str(each)) for each in value]
    return value
