"""The scientific name of what was seen: of a second model, of a file of the user's, or of vitcam's own table.

A name that is not in the table is what the smallest group is that holds it and is there: a tabby cat is a cat.
"""

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from vitcam.errors import UsageError, VitcamError
from vitcam.history.stored import StoredEvent
from vitcam.model.bundle import read
from vitcam.model.files import find_model, list_models
from vitcam.names.everyday import everyday_word
from vitcam.names.species import Species
from vitcam.names.wanted import key_of
from vitcam.storage.reading import read_given, text_of

BIRDS = "Aves"
_SPECIES = re.compile(r"[A-Z][a-z-]+ [a-z][a-z-]+")
_SCIENTIFIC = re.compile(r"[A-Z][a-z-]+( [a-z][a-z-]+){0,2}")
_MOST_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class Taxon:
    """What something is to a biologist."""

    kind: str
    """`animal`, `human` or `vehicle`, as `observationType` has them."""
    scientific: str = ""
    """Empty: it has none."""
    rank: str = ""
    """Empty: not known."""
    class_: str = ""
    """The class in biology, such as Aves. Empty: not known, or it is larger than a class."""
    common: str = ""
    """The English name; empty: not known."""

    @property
    def is_species(self) -> bool:
        return self.rank == "species"


class Taxa:
    """Finds taxa of events.

    own       key of a name -> its scientific name, from a file of the user's
    names_of  gives every name that this user's runs have for one
    """

    def __init__(self, own: Mapping[str, str], names_of: Callable[[str], tuple[str, ...]]) -> None:
        self._own = own
        self._names_of = names_of
        self._groups = cache(_groups_of)
        self._species = cache(_species_of_models)
        self._named = cache(self._of_name)

    def of(self, event: StoredEvent) -> Taxon | None:
        """What holds of an event: a person's word, else a second model's, else the first one's. None: no living thing
        and no vehicle, or nobody knows.
        """
        seen = self._seen(event)
        if event.corrected:
            found = self._named(event.corrected, event.model) or self._species().get(key_of(event.corrected))
            if found is not None and not found.class_ and seen is not None:
                return replace(found, class_=seen.class_)
            return found
        second = event.shown.detail
        if seen is None or second is None or not second.scientific:
            return seen
        return replace(_of_scientific(second.scientific, second.label or ""), kind=seen.kind, class_=seen.class_)

    def may_show_person(self, event: StoredEvent) -> bool:
        """Whether somebody's correction or the model says "person", also as a best guess that is not displayed."""
        said = (self.of(event), self._seen(event), self._named(event.label, event.model))
        return any(taxon is not None and taxon.kind == "human" for taxon in said)

    def _seen(self, event: StoredEvent) -> Taxon | None:
        """What the first model says."""
        shown = replace(event, corrected=None).shown
        return None if shown.label is None else self._named(shown.label, event.model)

    def _of_name(self, name: str, model: str) -> Taxon | None:
        names = dict.fromkeys((name, *self._names_of(name)))
        for each in names:
            if scientific := self._own.get(key_of(each)):
                return _of_scientific(scientific, "")
        for each in names:
            if (found := _table().get(key_of(each))) or (found := _written_out(each)):
                return found if found.kind else None
        held = [group for each in names for group in self._groups(model).get(key_of(each), ())]
        for each in (*held, *map(everyday_word, names)):
            if found := _table().get(key_of(each)):
                return found if found.kind else None
        return None


def read_taxa(path: Path) -> dict[str, str]:
    """Key of a name -> the scientific name that a file gives it, a line each: Mimi = Felis catus.

    raises  UsageError if it cannot be read, or a line does not give both
    """
    try:
        lines = text_of(read_given(path, _MOST_BYTES)).splitlines()
    except (OSError, ValueError) as error:
        raise UsageError(f"the scientific names {path} cannot be read: {_reason(error)}") from error
    found = {}
    for line in (line.strip() for line in lines if line.strip() and not line.strip().startswith("#")):
        name, _, scientific = (part.strip() for part in line.partition("="))
        if not name or not _SCIENTIFIC.fullmatch(scientific):
            raise UsageError(
                f"the scientific names {path}: {line[:60]!r} gives no scientific name; write one as Mimi = Felis catus"
            )
        found[key_of(name)] = scientific
    return found


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@cache
def _table() -> Mapping[str, Taxon]:
    """By the key of a name."""
    found = {}
    with Path(__file__).with_name("taxa.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for name in row["names"].split(";"):
                found[key_of(name)] = Taxon(row["kind"], row["scientific"], row["rank"], row["class"], name)
    return MappingProxyType(found)


def _written_out(name: str) -> Taxon | None:
    """Of a name that gives both, such as "Carduelis carduelis (European Goldfinch)"; a crane (bird) does not."""
    species = Species.of(name)
    both = species.scientific is not None and species.common != species.scientific
    return _of_scientific(species.scientific, species.common) if both and _is_species(species.scientific) else None


def _of_scientific(name: str | None, common: str) -> Taxon:
    human = name == "Homo sapiens"
    return Taxon("human" if human else "animal", name or "", "species" if _is_species(name) else "", "", common)


def _is_species(name: str | None) -> bool:
    return name is not None and _SPECIES.fullmatch(name) is not None


def _groups_of(model: str) -> Mapping[str, tuple[str, ...]]:
    """Key of each label of an installed model -> the groups that hold it, the smallest first."""
    try:
        bundle = read(find_model(model))
    except (VitcamError, OSError):
        return {}
    found: dict[str, tuple[str, ...]] = {}
    if bundle is None or bundle.groups is None:
        return found
    for group, members in bundle.groups.members.items():
        for index in members:
            key = key_of(bundle.labels[index])
            found[key] = (*found.get(key, ()), group)
    return found


def _species_of_models() -> Mapping[str, Taxon]:
    """By the key of each name of each species that an installed model knows by both names."""
    found: dict[str, Taxon] = {}
    for path in list_models().values():
        try:
            bundle = read(path)
        except (VitcamError, OSError):
            continue
        for label in bundle.labels if bundle else ():
            if taxon := _written_out(label):
                for key in Species.of(label).keys:
                    found.setdefault(key, taxon)
    return found
