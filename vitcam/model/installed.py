"""What is said of a model in a list, and which of them can be deleted: those that a device was taught."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.model import bundle
from vitcam.model.bundle import Bundle
from vitcam.model.card import ModelCard
from vitcam.model.files import list_models, shipped_folders

Origin = Literal["shipped", "taught", "file"]


@dataclass(frozen=True, slots=True)
class ListedModel:
    """One model of the list."""

    name: str
    description: str = ""
    labels: int = 0
    right: float | None = None
    """The share of right answers among `photos`; None: not measured."""
    photos: int = 0
    measured: str = ""
    """How these photos were chosen: `heldout` or `cross-validated`."""
    origin: Origin = "file"
    """Whether it came with vitcam, was taught on a device, or is another file in the user's folders."""
    base: str = ""
    """The model that was taught; empty for one that was not."""
    taught: str = ""
    """`alone` or `added`, as in its card."""
    error: str = ""
    """Why it cannot be used; empty if it can."""


class InstalledModels:
    """All model files that have a name. One thread calls it; a file is read again once it has changed."""

    def __init__(self) -> None:
        self._read: dict[tuple[Path, int, int], ListedModel] = {}

    def all(self) -> list[ListedModel]:
        """What is said of each, by name."""
        found: dict[tuple[Path, int, int], ListedModel] = {}
        for name, path in list_models().items():
            key = _stamp(path)
            found[key] = self._read.get(key) or _listed(name, path)
        self._read = found
        return sorted(found.values(), key=lambda each: each.name.casefold())


def base_of(card: ModelCard) -> str:
    """The model that a device taught; empty for one that was not taught."""
    return str(card.provenance.get("taught_from", "")) if card.taught else ""


def is_older_than_base(taught: Bundle) -> bool:
    """Whether the model that a device taught lies here with another graph today: a taught file has a copy of its own.

    raises  ModelError or OSError if that model cannot be read
    """
    base = list_models().get(base_of(taught.card))
    described = bundle.read(base) if base is not None else None
    return described is not None and described.card.graph_sha256 != taught.card.graph_sha256


def was_taught(path: Path) -> bool:
    """Whether a device taught it. False for a file that cannot be read."""
    try:
        described = bundle.read(path)
    except (ModelError, OSError):
        return False
    return described is not None and bool(described.card.taught)


def delete_taught(path: Path, needed: str) -> None:
    """Delete the file of a model that a device was taught, for good.

    needed  what uses it, as it follows "is"; empty: nothing does
    raises  UsageError for any other model, and for one that is in use; VitcamError if it cannot be deleted
    """
    if not was_taught(path):
        raise UsageError(f"{path.stem} was not taught on a device, so it is not deleted here; its file is {path}")
    if needed:
        raise UsageError(f"{path.stem} is {needed}; use another model first")
    try:
        path.unlink()
    except OSError as error:
        raise VitcamError(f"{path} cannot be deleted: {error.strerror}") from error


def _stamp(path: Path) -> tuple[Path, int, int]:
    try:
        found = path.stat()
    except OSError:
        return path, 0, 0
    return path, found.st_mtime_ns, found.st_size


def _listed(name: str, path: Path) -> ListedModel:
    try:
        described = bundle.read(path)
    except (ModelError, OSError) as error:
        return ListedModel(name, error=str(error))
    if described is None:
        return ListedModel(name)
    card, figures = described.card, described.card.headline
    known = ListedModel(name, card.description, len(described.labels), origin=_origin(path, described))
    known = replace(known, taught=card.taught, base=base_of(card))
    right, photos = figures.get("top1"), figures.get("n")
    if not isinstance(right, int | float) or not isinstance(photos, int):
        return known
    return replace(known, right=float(right), photos=photos, measured=str(figures.get("split", "")))


def _origin(path: Path, described: Bundle) -> Origin:
    if described.card.taught:
        return "taught"
    return "shipped" if path.parent in shipped_folders() else "file"
