"""Any folder of photos as a data set: `LABEL/photo.jpg`, or the same below folders for parts, such as `train/`."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.pictures.decode import IMAGE_SUFFIXES
from vitcam.pictures.encode import encode_by_ending
from vitcam.pictures.file_kind import FileKind, Use, kind_of, read_beginning
from vitcam.pictures.photo_tree import undated
from vitcam_training.data.dataset import Dataset, photo_of
from vitcam_training.data.user_photos import ListedPhoto, clean_label, parts_of

SYSTEM = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})  # what zip programs and file managers leave behind
NAMED = 10
"""Most names in a warning."""

log = logging.getLogger(__name__)


def list_folder(root: Path) -> list[ListedPhoto]:
    """Every photo of a folder, in order. Labels are the names of the folders in it; what is hidden is left out.

    A split is given by folders with the usual names of parts, in any case, that hold folders of labels: `train`, and
    what gives the figures, such as `test`. What validates (`val`, `valid`) calibrates where there is a `test`, and
    gives the figures where there is none. What is not used is named.

    raises  UsageError if the folder is missing, cannot be read, or holds no photo where photos should lie
    """
    if not root.is_dir():
        raise UsageError(f"no data set and no folder is called {str(root)!r}; give a folder of LABEL/photo.jpg")
    try:
        parts = _parts(root)
        photos = [photo for folder, part in parts.items() for photo in _photos(folder, part)]
        unused = [(folder, names) for folder, names in _unused(root, parts) if names]
        loose = unlabelled_photos(root)
    except OSError as error:
        raise UsageError(f"{error.filename or root} cannot be read: {error.strerror}; allow it, or move it") from error
    if not photos:
        found = f"photos beside one another, such as {loose[0].name}" if loose else "none"
        raise UsageError(
            f"{root} should hold photos as LABEL/photo.jpg, and holds {found}; give each label a folder, or a teacher "
            "that knows labels (--teacher)"
        )
    for folder, names in unused:
        log.warning("%s: not used: %s", folder, _shortened(names))
    return photos


def unlabelled_photos(root: Path) -> list[Path]:
    """The photos beside one another in a folder, in order. Raises OSError if the folder cannot be read."""
    return [path for path in _seen(root) if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file()]


def _parts(root: Path) -> dict[Path, str]:
    """Folder -> part; only `root`, of no part, where there is no split.

    A folder without folders in it is a label, whatever it is called. Of `train` alone a split is made.
    """
    folders = [path for path in _seen(root) if path.is_dir() and any(each.is_dir() for each in _seen(path))]
    parts = {root / name: part for name, part in parts_of(path.name for path in folders).items()}
    if not parts:
        return {root: ""}
    return dict.fromkeys(parts, "") if set(parts.values()) == {"train"} else parts


def _photos(root: Path, part: str) -> list[ListedPhoto]:
    return [
        ListedPhoto(clean_label(folder.name, str(root)), path, part, folder.name)
        for folder in _seen(root)
        if folder.is_dir()
        for path in _pictures(folder)
    ]


def _pictures(folder: Path) -> list[Path]:
    """Photos, by their names; where no name is that of a photo, pictures of any kind, by their first bytes.

    A kind that cannot be read is named when its photos are read, and so the label is refused, not left out.
    """
    files = _files(folder)
    photos = [path for path in files if path.suffix.lower() in IMAGE_SUFFIXES]
    return photos or [path for path in files if _kind(path).use in (Use.PICTURE, Use.FOREIGN)]


def _files(folder: Path, within: tuple[str, ...] = ()) -> list[Path]:
    """Those of a label, also in folders within it that are called by a date, as `vitcam teach` reads them."""
    found = []
    for path in _seen(folder):
        inner = (*within, path.name)
        if path.is_file():
            found.append(path)
        elif path.is_dir() and not undated(inner):
            found += _files(path, inner)
    return found


def _kind(path: Path) -> FileKind:
    return kind_of(read_beginning(path)) or FileKind("of an unknown kind", Use.OTHER)


def _unused(root: Path, parts: dict[Path, str]) -> Iterator[tuple[Path, list[str]]]:
    """A folder, and the names of all in it that is neither a part, nor a label, nor a photo."""
    if root not in parts:
        yield root, [_name(path) for path in _seen(root) if path not in parts]
    for part in parts:
        yield part, [_name(path) for path in _seen(part) if not (path.is_dir() and _pictures(path))]
        for label in _seen(part):
            if label.is_dir() and (pictures := set(_pictures(label))):
                used = pictures.union(*(picture.parents for picture in pictures))
                yield label, [_name(path) for path in _seen(label) if path not in used]


def _name(path: Path) -> str:
    if path.is_dir():
        return f"{path.name}/"
    kind = _kind(path) if path.is_file() else None  # a broken link is none
    return f"{path.name} ({kind.name})" if kind and kind.use is Use.FOREIGN else path.name


def _shortened(names: Sequence[str]) -> str:
    """Every folder, and as many files as there is room for."""
    folders = [name for name in names if name.endswith("/")]
    files = [name for name in names if not name.endswith("/")]
    kept = files[: max(1, NAMED - len(folders))]
    more = [f"and {len(files) - len(kept):,} more files"] if len(files) > len(kept) else []
    return ", ".join([*folders, *kept, *more])


def _seen(folder: Path) -> list[Path]:
    """What a folder holds, in order, without what is hidden."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and path.name not in SYSTEM)


def lay_out(dataset: Dataset, part: str, root: Path) -> int:
    """Links `root/LABEL/photo.jpg` to the photos of one part, or writes those that have no file; returns how many.

    raises  UsageError if `root` is there and not empty: a link that was left over would be counted as data
    """
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(f"{root} is not an empty folder; name a new one")
    samples = dataset.part(part)
    for sample in samples:
        label = dataset.labels[sample.label].replace("/", "-") if dataset.labels else dataset.name
        link = root / label / sample.path.name
        if link.is_symlink():  # two folders of the data set have a photo of this name
            link = link.with_name(f"{sample.path.parent.name}-{sample.path.name}")
        link.parent.mkdir(parents=True, exist_ok=True)
        if sample.pixels is None and sample.render is None:
            link.symlink_to(sample.path.resolve())
        else:
            link.write_bytes(encode_by_ending(photo_of(sample), link.name))
    return len(samples)
