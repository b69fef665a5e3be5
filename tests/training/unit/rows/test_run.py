"""Rows that are added to a small network, from a recipe to a checkpoint and to a model file."""

from dataclasses import asdict, replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.refusals import naming
from tests.training.unit.nets import SMALL, small_vit
from tests.training.unit.pictures import COLOURS, write_pictures
from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.dataset import (
    ABSENT,
    ALTERED,
    BASE,
    CHOOSE,
    DARK,
    DEPICTED,
    SHOWN,
    UNLABELLED,
    USUAL,
    Dataset,
    Sample,
)
from vitcam_training.export.export import calibrate, export_model
from vitcam_training.recipes.recipe import ModelRecipe, OneLabelRecipe, Recipe, RowsRecipe
from vitcam_training.rows import features
from vitcam_training.rows.run import WEIGHTS, add_rows
from vitcam_training.weights.checkpoints import read_weights, save_weights, to_timm
from vitcam_training.weights.metadata import Metadata, read_metadata

pytestmark = pytest.mark.slow("training/rows")

LABELS = ("blue", "green", "red", "grey", "white")
SYNSETS = {"n1": 3, "n2": 3, "n3": 4, "n4": 0, "n5": 4}
"""The network knows twins of grey and of white, and blue; green and red are added."""
RECIPE = Recipe(name="rows", data="colours", model=ModelRecipe(image_size=(32, 32)), rows=RowsRecipe(l2=0.1))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("network") / "base.safetensors"
    about = Metadata(
        "base", "", tuple(f"thing {i}" for i in range(5)), InputSpec(32, 32), network=asdict(SMALL),
        synsets=tuple(SYNSETS),
    )  # fmt: skip
    save_weights(path, to_timm(small_vit()), about)
    return path


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    root = write_pictures(tmp_path_factory.mktemp("photos"), each=16)
    noise = np.random.default_rng(5)
    for i in range(16):
        (root / "grey").mkdir(exist_ok=True)
        cv2.imwrite(str(root / "grey" / f"{i:02}.png"), noise.integers(0, 255, (48, 48, 3), dtype=np.uint8))
    photos = {label: [Sample(path, LABELS.index(label)) for path in sorted((root / label).glob("*"))] for label in
              (*COLOURS, "grey")}  # fmt: skip
    parts = {
        "train": (*photos["green"][:8], *photos["red"][:8], *photos["blue"][:4]),
        BASE: tuple(photos["grey"][:10]),
        CHOOSE: (*photos["green"][8:12], *photos["red"][8:12], *photos["grey"][10:13]),
        USUAL: tuple(photos["grey"][10:13]),
        "calibration": (*photos["green"][8:12], *photos["grey"][10:13]),
        "heldout": (*photos["green"][12:], *photos["red"][12:]),
    }
    return Dataset("colours", LABELS, parts, SYNSETS, {"colour": (0, 1, 2)})


@pytest.fixture(scope="module")
def made(weights: Path, dataset: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    add_rows(RECIPE, weights, folder, dataset, "vitcam-train finetune rows")
    return folder / WEIGHTS


def test_what_the_network_made_of_photos_is_kept_where_no_run_has_been_yet_and_read_again(
    weights: Path, dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = weights, dataset.part(BASE), InputSpec(32, 32), tmp_path / "runs" / "base.npz"
    found = features.read_features(*asked)
    monkeypatch.delattr(features, "_read")  # nobody is asked again

    assert np.array_equal(features.read_features(*asked).embedding, found.embedding)


def test_the_rows_of_the_network_stay_untouched_and_those_of_the_added_labels_follow(weights: Path, made: Path) -> None:
    before, after, about = read_weights(weights), read_weights(made), read_metadata(made)

    assert about.labels == LABELS
    assert about.rows == (3, 3, 4, 0, 4, 1, 2)
    assert about.synsets == (*SYNSETS, "", "")
    assert about.network["classes"] == 7
    assert (after["head.weight"][:5] == before["head.weight"]).all()
    assert all((after[name] == before[name]).all() for name in before if not name.startswith("head."))
    assert about.provenance["rows_added"] == 2
    assert (made.parent / "curves.svg").read_text().startswith("<?xml")


def test_a_label_with_photos_of_its_own_has_a_second_row_for_the_dark(
    weights: Path, dataset: Dataset, tmp_path: Path
) -> None:
    train = dataset.part("train")
    red = tuple(sample for sample in train if LABELS[sample.label] == "red")
    others = tuple(replace(sample, label=UNLABELLED) for sample in train if sample not in red)
    parts = {SHOWN: red[:4], DARK: red[4:], ABSENT: others[:6], DEPICTED: others[6:9], ALTERED: others[9:]}
    recipe = replace(RECIPE, rows=RowsRecipe(l2=0.1, one=OneLabelRecipe(shown=8, dark=4)))
    add_rows(recipe, weights, tmp_path, replace(dataset, parts=dataset.parts | parts))
    card = export_model(tmp_path / WEIGHTS, tmp_path / "colours.tflite", dataset)

    assert read_metadata(tmp_path / WEIGHTS).rows == (3, 3, 4, 0, 4, 1, 2, 2, 2)
    assert card.accuracy["top1"] == 1.0


def test_the_added_labels_are_named_and_the_card_says_what_was_kept(
    made: Path, dataset: Dataset, tmp_path: Path
) -> None:
    card = export_model(made, tmp_path / "colours.tflite", dataset)
    found = bundle.read(tmp_path / "colours.tflite")

    assert card.accuracy["top1"] == 1.0
    assert card.score == 2
    assert card.least_familiarity == read_metadata(made).least_familiarity
    assert card.accuracy["kept"]["n"] == 3
    assert card.accuracy["displayed"] > 0
    assert 0 < card.accuracy["chosen"]["sure_from"] <= 1
    assert found is not None
    assert found.labels == LABELS


def test_the_temperature_is_fitted_to_usual_photos_and_the_base_and_an_export_keeps_it(
    made: Path, dataset: Dataset
) -> None:
    about = read_metadata(made)

    assert about.provenance["calibrated_on"] == 13
    assert about.temperature != 1
    assert calibrate(made, dataset)[0] == about.temperature
    assert calibrate(made, dataset)[0] != calibrate(_fitted_anew(made, about), dataset)[0]


def test_a_second_run_reads_what_the_first_one_kept_and_makes_the_same_rows(
    made: Path, weights: Path, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_weights(made)
    monkeypatch.setattr("vitcam_training.rows.features._read", None)
    add_rows(RECIPE, weights, made.parent, dataset)

    assert all((array == before[name]).all() for name, array in read_weights(made).items())


def _fitted_anew(made: Path, about: Metadata) -> Path:
    """The same network, which does not say that its temperature was fitted."""
    said = {name: value for name, value in about.provenance.items() if name != "calibrated_on"}
    save_weights(made.with_name("anew.safetensors"), read_weights(made), replace(about, provenance=said))
    return made.with_name("anew.safetensors")


@pytest.mark.parametrize("synsets", [(), ("n1", "n2", "n3", "n4", "n9")])
def test_labels_without_known_ids_are_refused(
    synsets: tuple[str, ...], weights: Path, dataset: Dataset, tmp_path: Path
) -> None:
    strange = tmp_path / "strange.safetensors"
    save_weights(strange, read_weights(weights), replace(read_metadata(weights), synsets=synsets))

    with pytest.raises(UsageError, match=naming(strange.name, "WordNet" if not synsets else "n9")):
        add_rows(RECIPE, strange, tmp_path / "run", dataset)


def test_an_added_label_without_photos_is_refused(weights: Path, dataset: Dataset, tmp_path: Path) -> None:
    without = dataset.parts | {"train": tuple(each for each in dataset.parts["train"] if LABELS[each.label] != "red")}

    with pytest.raises(UsageError, match="'red'"):
        add_rows(RECIPE, weights, tmp_path, replace(dataset, parts=without))
