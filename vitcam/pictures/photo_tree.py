"""Which label each photo of a tree of folders has: the one reader of trees, for folders on a disk and in a zip.

`LABEL/photo.jpg` may lie in folders that hold everything, such as `photos/`, and in `train/` and `valid/`. Below a
label, folders that are called by a date or by a camera belong to it. Any other folder there may be a label or not, so
its photos get none, with a sentence: a wrong label would be learned.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from vitcam.pictures.decode import FOREIGN_SUFFIXES, IMAGE_SUFFIXES
from vitcam.text import printable, shortened

TAUGHT, HELD = ("train", "training"), ("val", "valid", "validation", "test", "testing", "heldout", "calibration")
_DATE = re.compile(
    r"(19|20)\d\d([-_. ]?\d\d){0,2}([ _-].*)?"  # 2024, 2024-05, 2024_05_31, 20240531 in the garden
    r"|\d{1,2}[-_. ](\d{1,2}[-_. ])?(19|20)\d\d"  # 31.05.2024
    r"|\d{3}[A-Z_]{5}|\d{6}__"  # 100CANON and 202405__, as cameras and phones call them
)
_IN_A_YEAR = re.compile(r"\d{1,2}")
_NO_LABEL = "it lies in no folder, so it has no label; put it into a folder of its label's name"


@dataclass(frozen=True, slots=True)
class PlacedPhoto:
    """Where a photo lies, as a label."""

    label: str
    """As its folder is called; empty: it has none."""
    held: bool = False
    """Whether it is in a folder such as `valid`: it is to be measured with, and not taught."""
    why: str = ""
    """Why it has no label, as one sentence."""


_OUTSIDE = PlacedPhoto(
    "", why="its name leads out of its folder; make the zip again, with the photo in a label's folder"
)


def is_hidden(parts: Iterable[str]) -> bool:
    """Whether a path leads through what systems write beside people's files."""
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in parts)


def placed(paths: Sequence[tuple[str, ...]]) -> list[PlacedPhoto]:
    """The label of each file, in their order.

    paths  of all files of a tree, each as its folders and its name; what is hidden is left out
    """
    paths = [path if ".." not in path else () for path in paths]
    photos = [path for path in paths if path and PurePath(path[-1]).suffix.lower() in IMAGE_SUFFIXES | FOREIGN_SUFFIXES]
    around = _around(photos)
    inner = [path[around:] for path in photos if len(path) > around]
    splits = {name for name in _with_labels(inner) if name.casefold() in (*TAUGHT, *HELD)}
    if not any(name.casefold() in TAUGHT for name in splits):
        splits = set()
    wrapper = photos[0][:around] if photos else ()
    return [_placed(path, wrapper, splits) if path else _OUTSIDE for path in paths]


def _placed(path: tuple[str, ...], wrapper: tuple[str, ...], splits: Collection[str]) -> PlacedPhoto:
    folders, held = path[:-1], False
    if not folders:
        return PlacedPhoto("", why=_NO_LABEL)
    if folders[: len(wrapper)] != wrapper:
        return PlacedPhoto("", why=f"it does not lie in {_named('/'.join(wrapper))} as all others do; put it there")
    folders = folders[len(wrapper) :]
    if splits and folders:
        if folders[0] not in splits:
            beside = " and ".join(map(_named, sorted(splits)))
            return PlacedPhoto(
                "", why=f"it lies beside the folders {beside}; put it into a label's folder in one of them"
            )
        held, folders = folders[0].casefold() not in TAUGHT, folders[1:]
    if not folders:
        return PlacedPhoto("", why=_NO_LABEL)
    if unknown := next((name for name in folders if _is_undecoded(name)), None):
        return PlacedPhoto(
            "",
            why=f"nobody knows how the name of its folder {_named(unknown)} is written; rename the folder with the "
            "letters a to z, or make the zip with a program that writes names in UTF-8",
        )
    label, deeper = folders[0], undated(folders[1:])
    if deeper:
        return PlacedPhoto(
            "",
            why=f"it lies in the folder {_named(deeper[0])} within {_named(label)}, and either of them may be "
            "its label; put it into a folder of its label",
        )
    return PlacedPhoto(label, held)


def _around(photos: Sequence[tuple[str, ...]]) -> int:
    """How many folders lie around all labels: each is the only one of its level and holds folders of labels."""
    around = 0
    while len({path[around] for path in photos if len(path) > around + 1}) == 1:
        within = [path[around + 1 :] for path in photos if len(path) > around + 1]
        labels = {path[0] for path in within if len(path) > 1 and undated(path[:1])}
        beside = any(len(path) == 1 for path in within)
        if not labels or (beside and len(labels) == 1):  # it is a label itself
            break
        around += 1
    return around


def _with_labels(photos: Sequence[tuple[str, ...]]) -> set[str]:
    """The outermost folders in which photos lie in folders, not counting dates."""
    return {path[0] for path in photos if len(path) > 2 and undated(path[1:-1])}


def undated(folders: Sequence[str]) -> list[str]:
    """Without those that are called by a date, or by a day or a month within one."""
    left, in_date = list[str](), False
    for name in folders:
        in_date = bool(_DATE.fullmatch(name)) or (in_date and bool(_IN_A_YEAR.fullmatch(name)))
        if not in_date:
            left.append(name)
    return left


def shown(name: str) -> str:
    """A name on one line. Of one whose letters nobody knows, the bytes are shown."""
    if not _is_undecoded(name):
        return printable(name)
    return printable(name.encode("utf-8", "surrogateescape").decode("ascii", "backslashreplace"))


def _is_undecoded(name: str) -> bool:
    """Whether it has bytes that are no UTF-8, as Python keeps them."""
    return any("\udc80" <= letter <= "\udcff" for letter in name)


def _named(name: str) -> str:
    return f"'{shortened(shown(name))}'"
