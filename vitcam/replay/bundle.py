"""One file that carries an event to somebody else: what a user attaches to a bug report.

A zip: `event.json` as the API gives the event, `frame.jpg`, `replay.json` with what a replay needs in full precision,
`settings.json` without secrets, and `versions.json`. Nothing in one that comes from elsewhere is trusted.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Guess, Rect
from vitcam.pictures.decode import MAX_BYTES
from vitcam.replay.stored_picture import StoredPicture
from vitcam.storage.whole import written_whole

BUNDLE = ".zip"
"""What the name of a bundle ends in."""
_FORMAT = 1
_MOST_JSON = 1_000_000
_MOST_PATCHES = 10_000


def write_bundle(path: Path, stored: StoredPicture, documents: Mapping[str, Mapping[str, object]]) -> None:
    """Write a bundle, in one step.

    documents  name -> value of further JSON files
    raises  VitcamError if it cannot be written
    """
    try:
        with written_whole(path) as half, zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("frame.jpg", stored.jpeg)
            for name, document in {**documents, "replay": _replay(stored)}.items():
                archive.writestr(f"{name}.json", json.dumps(document, ensure_ascii=False, indent=1))
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}") from error


def read_bundle(path: Path) -> StoredPicture:
    """The event of a bundle. Raises UsageError for a file that is none."""
    try:
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
            described = json.loads(_member(archive, "replay.json", _MOST_JSON))
            return _stored(described, _member(archive, "frame.jpg", MAX_BYTES))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, RuntimeError, NotImplementedError) as error:
        raise UsageError(f"{path} is not a bundle of `vitcam replay --bundle`, or it is damaged") from error


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    if archive.getinfo(name).file_size > most:
        raise ValueError(name)
    with archive.open(name) as member:
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
    }


def _stored(described: Mapping[str, Any], jpeg: bytes) -> StoredPicture:
    """Raises KeyError, TypeError or ValueError for what no bundle says."""
    top = tuple(Guess(str(label), float(p)) for label, p in described["top"])
    x, y, width, height = (int(side) for side in described["crop"])
    if described["format"] != _FORMAT or not top:
        raise ValueError("replay.json")
    return StoredPicture(
        **{name: str(described[name]) for name in ("id", "label", "start", "model", "fingerprint")},
        top=top,
        crop=Rect(x, y, width, height),
        evidence=_weights(described["evidence"]),
        jpeg=jpeg,
        frame_of=str(described.get("frame_of", "")),  # bundles of older versions do not say
    )


def _weights(rows: list[list[float]] | None) -> NDArray[np.float32] | None:
    if rows is None:
        return None
    weights = np.asarray(rows, np.float32)
    if weights.ndim != 2 or not 0 < weights.size <= _MOST_PATCHES or not np.isfinite(weights).all():
        raise ValueError("evidence")
    return weights
