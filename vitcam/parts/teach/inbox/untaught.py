"""How many corrected pictures of a data set a model was not taught with yet."""

from pathlib import Path

from vitcam.errors import UsageError
from vitcam.model.taught import digest_of
from vitcam.parts.teach.datasets.store import LARGEST, DataSets
from vitcam.storage.reading import read_file

_PREFIX = "inbox-"


class Untaught:
    """Counts the pictures that came from the inbox into a data set and that a model was not taught with yet.

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
