"""Published networks get everyday words, groups and their own pixels by one command, without any photo."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.needs import need_data
from tests.refusals import naming
from tests.training.unit.weights.published.random_networks import (
    HALVES,
    NETWORKS,
    WITH_21K,
    Published,
    saved,
    saved_by_transformers,
)
from vitcam.errors import ModelError, UsageError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.published.imagenet_classes import class_list, words
from vitcam_training.data.published.ordinary import ordinary
from vitcam_training.data.published.things import read_things
from vitcam_training.evaluation.float_network import ask_float
from vitcam_training.export import rewrites
from vitcam_training.export.export import export_model
from vitcam_training.export.quantise import Quantisation
from vitcam_training.study import reference
from vitcam_training.weights.checkpoints import read_network
from vitcam_training.weights.foreign import Imported, ImportOptions, import_foreign
from vitcam_training.weights.metadata import Metadata, read_metadata
from vitcam_training.weights.published.network import UNNAMED

pytestmark = pytest.mark.slow(
    "training/weights", "training/data/published", "training/export", "training/vit.py", "training/config.py"
)
THOUSAND = class_list(1000)
AUGREG = NETWORKS[0]


def imported(source: Path, out: Path, labels: Path | None = None, **options: object) -> tuple[Metadata, Imported]:
    found = import_foreign(str(source), labels, out, ImportOptions("net", **options))  # type: ignore[arg-type]
    return read_metadata(out), found


def assert_speaks_as_people_do(about: Metadata) -> None:
    """The thousand with everyday words, twins in one label, and groups."""
    things = read_things()
    assert THOUSAND
    assert about.synsets == THOUSAND.ids
    assert [about.labels[row] for row in about.row_labels] == [
        things.labels[things.synsets[id_]] for id_ in about.synsets
    ]
    assert len(about.labels) < len(about.rows) == 1000
    assert {"dog", "bird", "vehicle"} <= set(about.groups)
    assert about.labels.index("tabby cat") in about.groups["cat"]


@pytest.mark.parametrize("form", ["folder", "safetensors", "npz"])
@pytest.mark.parametrize("network", NETWORKS, ids=lambda each: each.name)
def test_each_published_network_comes_with_its_words_and_pixels(network: Published, form: str, tmp_path: Path) -> None:
    about, found = imported(saved(network, tmp_path / "from", form), tmp_path / "net.safetensors")
    config, _ = read_network(tmp_path / "net.safetensors")

    assert (list(config.mean), list(config.std)) == network.pixels
    crop = 0.875 if network.is_distilled and form != "folder" else network.crop
    assert about.input == InputSpec(network.side, network.side, "crop", crop, "area")
    assert found.leftovers == ()
    if network.outputs:
        assert_speaks_as_people_do(about)
        assert "calibration" in about.provenance
    else:
        assert about.labels == (UNNAMED,)
        assert "finetune" in found.notes[0]


@pytest.mark.parametrize("network", [AUGREG, NETWORKS[2], *NETWORKS[5:]], ids=lambda each: each.name)
def test_the_names_of_transformers_lead_to_the_same_network(network: Published, tmp_path: Path) -> None:
    assert THOUSAND
    named = words(THOUSAND.ids, {})
    spoken = [f"{named[id_].partition(' (')[0]}, also so" for id_ in THOUSAND.ids] if network.outputs else []
    folder = saved_by_transformers(network, tmp_path / "from", spoken)
    about, _ = imported(folder, tmp_path / "net.safetensors")
    other, _ = imported(saved(network, tmp_path / "timm", "folder"), tmp_path / "other.safetensors")
    (config, weights), (same, own) = (read_network(tmp_path / f"{name}.safetensors") for name in ("net", "other"))

    assert (about.labels, about.rows, about.groups) == (other.labels, other.rows, other.groups)
    assert replace(config, mlp_width=same.mlp_width, layer_scale=same.layer_scale) == same
    assert weights.keys() == own.keys()
    assert all(np.array_equal(weights[name], own[name]) for name in own)


def test_ids_that_a_folder_names_count_whatever_their_order(tmp_path: Path) -> None:
    assert THOUSAND
    folder = saved(AUGREG, tmp_path / "from", "folder")
    turned = list(reversed(THOUSAND.ids))
    (folder / "config.json").write_text(json.dumps(AUGREG.settings() | {"label_names": turned}))
    about, found = imported(folder, tmp_path / "net.safetensors")

    assert about.synsets == tuple(turned)
    assert about.labels[about.row_labels[-1]] == "tench"
    assert not any("usual order" in note for note in found.notes)


def test_names_of_other_things_stay_as_they_are(tmp_path: Path) -> None:
    folder = saved(AUGREG, tmp_path / "from", "folder")
    (folder / "config.json").write_text(json.dumps(AUGREG.settings() | {"label_names": [f"t{i}" for i in range(1000)]}))
    about, _ = imported(folder, tmp_path / "net.safetensors")

    assert about.labels == tuple(f"t{i}" for i in range(1000))
    assert (about.rows, about.groups, about.synsets) == ((), {}, ())


def test_a_file_of_labels_is_taken_as_it_is(tmp_path: Path) -> None:
    listed = tmp_path / "labels.txt"
    listed.write_text("\n".join(f"word {i}" for i in range(1000)))
    about, found = imported(saved(AUGREG, tmp_path / "from", "npz"), tmp_path / "net.safetensors", listed)

    assert about.labels == tuple(f"word {i}" for i in range(1000))
    assert about.groups == {}
    assert not any("usual order" in note for note in found.notes)


def test_a_head_of_imagenet_21k_has_a_word_for_each_class_and_one_for_all_people(tmp_path: Path) -> None:
    about, _ = imported(saved(WITH_21K, tmp_path / "from", "npz"), tmp_path / "net.safetensors")
    people = about.labels.index("person")

    assert len(about.rows) == 21_843
    assert sum(row == people for row in about.rows) > 2000
    assert len(set(about.labels)) == len(about.labels)
    assert people in about.groups["person"]
    assert about.labels.index("tabby cat") in about.groups["cat"]


@pytest.mark.parametrize("network", [AUGREG, WITH_21K], ids=lambda each: each.name)
def test_the_labels_of_a_shipped_model_need_no_data_set(
    network: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VITCAM_DATA", str(tmp_path / "nowhere"))
    out = tmp_path / "net.safetensors"
    about, found = imported(saved(network, tmp_path / "from", "npz"), out, labels_of="everyday")
    everyday = bundle.read(Path(__file__).parents[4] / "models" / "everyday.tflite")
    weights = read_network(out)[1]
    assert everyday
    assert everyday.groups
    nothing = [i for i, id_ in enumerate(about.synsets) if not id_]

    assert about.labels == everyday.labels
    assert about.groups == everyday.groups.members
    assert set(about.row_labels) == set(range(len(about.labels)))
    assert not weights["head.weight"][nothing].any()
    assert weights["head.bias"][nothing].max() < weights["head.bias"][: -len(nothing)].min() - 5
    assert any(str(len(nothing)) in note and "never" in note for note in found.notes)


def test_labels_of_a_model_of_groups_take_all_that_belongs_to_them(tmp_path: Path) -> None:
    about, _ = imported(saved(AUGREG, tmp_path / "from", "npz"), tmp_path / "net.safetensors", labels_of="cifar10")
    by_id = {id_: about.labels[row] for id_, row in zip(about.synsets, about.row_labels, strict=True)}

    assert by_id["n02123045"] == "cat"
    assert by_id["n02106662"] == "dog"
    assert "n01440764" not in by_id, "a tench is none of its labels"


@pytest.mark.parametrize(
    ("network", "options", "names"),
    [
        (replace(AUGREG, outputs=7), {}, ("7", "--labels")),
        (replace(AUGREG, outputs=1), {}, ("1 output",)),
        (AUGREG, {"labels_of": "mnist"}, ("10 labels", "mnist")),
        (replace(AUGREG, outputs=0), {"labels_of": "everyday"}, ("no head", "finetune")),
    ],
)
def test_labels_that_nobody_can_tell_are_refused(
    network: Published, options: dict[str, str], names: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=naming(*names)):
        imported(saved(network, tmp_path / "from", "npz"), tmp_path / "net.safetensors", None, **options)


def test_the_labels_of_a_model_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=naming("nosuch", "everyday")):
        imported(saved(AUGREG, tmp_path / "from", "npz"), tmp_path / "net.safetensors", labels_of="nosuch")


def test_ids_are_needed_for_the_labels_of_a_model(tmp_path: Path) -> None:
    listed = tmp_path / "labels.txt"
    listed.write_text("\n".join(f"word {i}" for i in range(1000)))

    with pytest.raises(UsageError, match=naming("WordNet", "everyday", "--labels")):
        imported(saved(AUGREG, tmp_path / "from", "npz"), tmp_path / "net.safetensors", listed, labels_of="everyday")


def test_a_file_of_a_name_that_nobody_knows_asks_for_its_pixels(tmp_path: Path) -> None:
    path = saved(AUGREG, tmp_path / "from", "npz").rename(tmp_path / "mine.npz")

    with pytest.raises(UsageError, match=naming("mine.npz", "--mean", "--std")):
        imported(path, tmp_path / "net.safetensors")


@pytest.mark.parametrize("large", [1, rewrites.LARGE_MERGE], ids=["two products add rows", "one product"])
def test_an_import_exported_without_photos_answers_in_groups_and_words(
    large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rewrites, "LARGE_MERGE", large)
    checkpoint, model = tmp_path / "net.safetensors", tmp_path / "net.tflite"
    about, _ = imported(saved(AUGREG, tmp_path / "from", "npz"), checkpoint, crop_fraction=1.0)
    card = export_model(checkpoint, model, how=Quantisation("float"))
    classifier = Classifier(model, threads=1)
    classifier.top_k = len(classifier.labels)
    image = np.random.default_rng(0).integers(0, 256, (224, 224, 3), np.uint8)
    answer = {guess.label: guess.p for guess in classifier.classify_image(image).top}
    wanted = merged(checkpoint, image, card.temperature)

    assert (card.score, card.temperature) == (2, about.temperature)
    assert classifier.labels == about.labels
    assert classifier.groups
    assert classifier.groups.members == about.groups
    np.testing.assert_allclose([answer[label] for label in about.labels], wanted, atol=0.01 * wanted.max())
    assert "calibration" in card.provenance


def merged(checkpoint: Path, image: NDArray[np.uint8], temperature: float) -> NDArray[Any]:
    """The probabilities of the labels, by the reference network of a checkpoint."""
    about, (config, weights) = read_metadata(checkpoint), read_network(checkpoint)
    rows = reference.softmax(reference.vit(image[None], weights, config)[0][0] / temperature)
    return np.bincount(about.row_labels, rows, len(about.labels))


def test_augreg_keeps_its_accuracy_on_ordinary_photos(tmp_path: Path) -> None:
    """About 77 % of the photos that may choose; with other pixels it loses half."""
    source = need_data("vit_tiny_augreg") / "vit_tiny_patch16_224_augreg_in21k_ft_in1k.npz"
    about, found = imported(source, tmp_path / "net.safetensors", labels_of="everyday")
    config, _ = read_network(tmp_path / "net.safetensors")
    answers = ask_float(tmp_path / "net.safetensors", ordinary(), "choose")

    assert (list(config.mean), list(config.std)) == HALVES
    assert about.input.crop_fraction == 0.9
    assert any("AugReg" in note for note in found.notes)
    assert answers.right.mean() >= 0.74
