"""What a person's answers are taught to: the model in use, with its own data set."""

from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.model.card import ModelCard
from vitcam.model.files import DEFAULT
from vitcam.model.taught import digest_of
from vitcam.parts.teach.datasets.store import LARGEST, MINE, DataSets
from vitcam.storage.reading import read_file

ENOUGH = 10
"""Photos of a label: with fewer, it is advised to take more."""
_PREFIX = "inbox-"


@dataclass(frozen=True, slots=True)
class Lesson:
    """How the model in use is taught."""

    dataset: str
    base: str
    """Name or file of the model that is taught."""
    add_to: bool
    """Whether it knows the labels of its base, too."""


def lesson_of(card: ModelCard, name_or_file: str, data_sets: DataSets) -> Lesson:
    """A model that was taught here is taught again; any other one gets labels beside its own.

    card          of the model in use
    name_or_file  what finds it
    """
    base, dataset = base_of_model(card, name_or_file), str(card.provenance.get("dataset", ""))
    if not card.taught:
        return Lesson(MINE, base, add_to=True)
    try:
        data_sets.path(dataset)
    except UsageError:  # it was taught from another folder
        return Lesson(MINE, base, add_to=True)
    return Lesson(dataset, base, card.taught == "added")


def base_of_model(card: ModelCard, name_or_file: str) -> str:
    """What is taught where a model is in use: that, or what it was taught from; the default one where it has no room.

    Arguments as of `lesson_of`.
    """
    if card.taught:
        return str(card.provenance.get("taught_from", DEFAULT))
    return name_or_file if card.row_capacity else DEFAULT


class Corrections:
    """Counts the pictures that came from the inbox into a data set, and that a model was not taught with.

    Any thread may call it.
    """

    def __init__(self, data_sets: DataSets) -> None:
        self._data_sets = data_sets
        self._digests: dict[Path, tuple[tuple[int, int], bytes]] = {}

    def count(self, dataset: str, taught: frozenset[bytes]) -> int:
        """taught: what `digest_of` says of the pictures that the model was taught with."""
        try:
            root = self._data_sets.path(dataset)
        except UsageError:
            return 0
        found = {}
        for path in root.glob(f"*/{_PREFIX}*.jpg"):
            try:
                if path.is_symlink() or path.parent.name.startswith("."):
                    continue
                stamp = (path.stat().st_mtime_ns, path.stat().st_size)
                known = self._digests.get(path)
                found[path] = known if known and known[0] == stamp else (stamp, digest_of(read_file(path, LARGEST)))
            except OSError:  # it is gone
                continue
        self._digests = found
        return sum(digest not in taught for _, digest in found.values())
