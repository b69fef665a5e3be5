"""The table of taxa is sound, and a name finds its taxon by the way that fits it."""

from pathlib import Path

import pytest

from tests.histories import stored
from tests.parts.records.made import BIRD, GOLDFINCH
from vitcam.errors import UsageError
from vitcam.frames import Group, SecondAnswer
from vitcam.history.query_text import as_written
from vitcam.model.bundle import read
from vitcam.model.files import find_model
from vitcam.parts.records import taxa as module
from vitcam.parts.records.taxa import Taxa, read_taxa

RANKS = {"kingdom", "phylum", "class", "order", "family", "genus", "species"}


def test_the_table_has_valid_ranks_and_each_name_once() -> None:
    table = module._table()
    names = Path(module.__file__).with_name("taxa.csv").read_text().count(";")
    lines = len(Path(module.__file__).with_name("taxa.csv").read_text().splitlines()) - 1

    assert len(table) == names + lines
    for taxon in table.values():
        assert taxon.kind in ("animal", "human", "vehicle", "")
        assert (taxon.rank in RANKS) == bool(taxon.scientific)
        assert taxon.is_species == (" " in taxon.scientific)


def test_every_animal_of_the_model_that_ships_is_one_and_nothing_else_is() -> None:
    bundle = read(find_model("everyday"))
    assert bundle is not None
    assert bundle.groups is not None
    animals = {bundle.labels[index] for index in bundle.groups.members["animal"]}
    animals -= {"triceratops", "dinosaur"}  # a toy, or a mistake
    animals |= {bundle.labels[index] for index in bundle.groups.members["person"]}
    taxa = Taxa({}, as_written)
    found = {
        label: taxon
        for label in bundle.labels
        if (taxon := taxa.of(stored("01JM", label, model="everyday"))) is not None
    }
    living = {label for label, taxon in found.items() if taxon.kind in ("animal", "human")}

    assert living - animals == set()
    assert animals - living == set()
    birds = {label for label, taxon in found.items() if taxon.class_ == "Aves"}
    assert birds == {bundle.labels[index] for index in bundle.groups.members["bird"]}


@pytest.mark.parametrize(
    ("fields", "scientific"),
    [
        ({"label": "tabby cat", "model": "everyday"}, "Felis catus"),
        ({"label": "tabby cat", "model": "not installed"}, "Felis catus"),
        ({"label": "chihuahua", "group": Group("dog", 0.8), "model": "everyday"}, "Canis familiaris"),
        ({"label": "crane (bird)", "model": "everyday"}, "Gruidae"),
        ({"label": "jay", "group": BIRD, "second": GOLDFINCH}, "Carduelis carduelis"),
        ({"label": "jay", "group": BIRD, "second": GOLDFINCH, "corrected": "pigeon"}, "Columbidae"),
        ({"label": "rose", "group": Group("plant", 0.9), "second": GOLDFINCH}, None),
        ({"label": "jay", "group": BIRD, "second": SecondAnswer(None, 0.1, "birds")}, "Aves"),
        ({"label": "Great Dane", "model": "everyday"}, "Canis familiaris"),
        ({"label": "cup", "model": "everyday"}, None),
        ({"label": "cat", "p": 0.2}, None),
        ({"label": "cat", "kind": "unknown"}, None),
    ],
)
def test_a_name_finds_its_taxon(fields: dict[str, object], scientific: str | None) -> None:
    taxon = Taxa({}, as_written).of(stored("01JM", **fields))  # type: ignore[arg-type]
    assert (taxon.scientific if taxon else None) == scientific


def test_a_file_gives_scientific_names_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "taxa.txt"
    path.write_text("# mine\nMimi = Felis catus\n\nDie Spitzmäuse=Soricidae\n")
    assert read_taxa(path) == {"mimi": "Felis catus", "die spitzmäuse": "Soricidae"}
    for line in ("Mimi", "= Felis catus", "Mimi = =1+1", "Mimi = my cat"):
        path.write_text(line)
        with pytest.raises(UsageError, match=r"gives no scientific name; write one as Mimi = Felis catus"):
            read_taxa(path)
    with pytest.raises(UsageError, match="cannot be read"):
        read_taxa(tmp_path / "none")
