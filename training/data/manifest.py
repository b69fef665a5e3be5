"""A list of photos in a CSV file: `path,label` or `path,label,split`, paths relative to the file's own folder."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.storage.reading import read_text
from vitcam_training.data.user_photos import USUAL, ListedPhoto, clean_label, parts_of

_MOST_BYTES = 256 * 2**20  # millions of photos


def list_manifest(path: Path) -> list[ListedPhoto]:
    """Every row of a list of photos, in order; whether the photos are there is seen when they are read.

    raises  UsageError if it is missing or no such list, names a photo twice, or gives some rows a split and some none
    """
    if not path.is_file():
        raise UsageError(f"no list of photos at {path}; give a CSV file with the columns path and label")
    try:
        reader = csv.DictReader(io.StringIO(read_text(path, _MOST_BYTES), newline=""), strict=True)
        columns = [(name or "").strip() for name in reader.fieldnames or ()]
        if not {"path", "label"} <= set(columns):
            found = ", ".join(columns) or "none"
            raise UsageError(f"{path} needs the columns path and label in its first row, and has: {found}")
        reader.fieldnames = columns
        rows = [(f"{path}, line {reader.line_num}", row) for row in reader]
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read as a CSV file in UTF-8: {error}") from error
    _refuse_twice(path.parent, rows)
    parts = parts_of({_split(row) for _, row in rows})
    photos = [_listed(path.parent, row, where, parts) for where, row in rows]
    bare = [where for (where, _), photo in zip(rows, photos, strict=True) if not photo.part]
    if bare and len(bare) < len(rows):
        raise UsageError(f"{bare[0]}: no split is given, and other rows have one; fill in all of them, or none")
    return photos


def _split(row: Mapping[str, str | None]) -> str:
    return (row.get("split") or "").strip()


def _listed(folder: Path, row: Mapping[str, str | None], where: str, parts: Mapping[str, str]) -> ListedPhoto:
    name, label, split = (row["path"] or "").strip(), row["label"] or "", _split(row)
    if not name:
        raise UsageError(f"{where}: the path is empty; name a photo, or remove the line")
    if split and split not in parts:
        raise UsageError(f"{where}: the split {split!r} is unknown; allowed: {', '.join(USUAL)}")
    return ListedPhoto(clean_label(label, where), folder / name, parts.get(split, ""), label)


def _refuse_twice(folder: Path, rows: list[tuple[str, dict[str, str | None]]]) -> None:
    """Raise UsageError if two rows name one photo: it could be on both sides of a split."""
    seen: dict[Path, str] = {}
    for where, row in rows:
        path = (folder / (row["path"] or "").strip()).resolve()
        if path in seen:
            raise UsageError(f"{where}: {path.name} is listed before, on {seen[path].rpartition(', ')[2]}; keep one")
        seen[path] = where
