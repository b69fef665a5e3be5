"""What photos and clips were seen to show, by eye: `people.csv` and `clips.csv` beside this file.

All photos of `ordinary/` and of `imagenet_samples/` were looked at on sheets of thumbnails, and those in doubt once
more, larger; the column `looked_at` has the day. A photo is listed if it shows a person as its main thing, or as one of
them: somebody's head or most of a body is seen, and takes as much of the picture as the thing that the file's name
tells, as a cello and its player, or a dog on an arm. A hand, legs behind a dog, a crowd far away, a painting and a doll
are not enough. Nobody is named.

Of two clips of fixed cameras, the frame in the middle of each second was looked at, before any model was asked, and the
main thing written down: a name of a label or a group of `things.csv`, or `nothing`; several where any may be said, as
while somebody leaves the picture.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from pathlib import Path

from vitcam_training.data.published.things import Things

PERSON = "person"
NOTHING = "nothing"
"""In a clip: there is nothing that must be named."""


def person_in(path: Path, things: Things) -> frozenset[int]:
    """The label `person` as an index, if a photo of `ordinary/` or `imagenet_samples/` shows one; else nothing."""
    return frozenset({things.labels.index(PERSON)}) if path.name in _people() else frozenset()


@cache
def _people() -> frozenset[str]:
    """The names of the listed files: no two photos have the same."""
    return frozenset(Path(row["path"]).name for row in _table("people"))


def clips() -> dict[str, tuple[frozenset[str], ...]]:
    """File name of each clip -> what may be said of each of its seconds."""
    found: dict[str, tuple[frozenset[str], ...]] = {}
    for row in _table("clips"):
        before = found.get(row["clip"], ())
        count = int(row["last_s"]) + 1 - len(before)
        found[row["clip"]] = before + (frozenset(row["things"].split(";")),) * count
    return found


def _table(name: str) -> list[dict[str, str]]:
    text = files(__package__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
