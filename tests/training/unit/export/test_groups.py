"""The groups of a data set on their way into a model file."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.training.unit.nets import photos, small_vit
from vitcam.model import bundle
from vitcam.pictures.resize import InputSpec
from vitcam_training.config import ViTConfig
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.data.published.things import read_things
from vitcam_training.evaluation.displayed import groups_of
from vitcam_training.export.export import export_model
from vitcam_training.weights.checkpoints import save_weights, to_timm
from vitcam_training.weights.metadata import Metadata

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

ANIMALS = Dataset("animals", ("pug", "tabby", "collie"), {}, groups={"cat": (1,), "dog": (0, 2), "animal": (0, 1, 2)})


def test_an_exported_file_carries_the_groups_of_its_data_set(tmp_path: Path) -> None:
    config = ViTConfig(classes=3, image_size=(16, 16), patch_size=8, width=32, depth=1, heads=2)
    about = Metadata("animals", "", ("collie", "pug", "tabby"), InputSpec(16, 16), network=asdict(config))
    save_weights(tmp_path / "net.safetensors", to_timm(small_vit(config)), about)
    heldout = tuple(Sample(Path(f"{i}.png"), i, photo) for i, photo in enumerate(photos(3, config)))
    export_model(tmp_path / "net.safetensors", tmp_path / "a.tflite", replace(ANIMALS, parts={"heldout": heldout}))
    found = bundle.read(tmp_path / "a.tflite")

    assert found is not None
    assert found.groups is not None
    assert found.groups.members == {"cat": (2,), "dog": (1, 0), "animal": (1, 2, 0)}


def test_labels_that_the_model_does_not_have_leave_the_groups_smallest_first() -> None:
    whole, part = groups_of(("tabby", "collie"), ANIMALS), groups_of(("cup", "collie"), ANIMALS)

    assert whole is not None
    assert part is not None
    assert list(whole.members.items()) == [("cat", (0,)), ("dog", (1,)), ("animal", (0, 1))]
    assert part.members == {"dog": (1,), "animal": (1,)}


def test_a_data_set_without_groups_gives_none() -> None:
    assert groups_of(("pug",), None) is None
    assert groups_of(("pug",), Dataset("plain", ("pug",), {})) is None


def test_the_table_of_things_makes_valid_groups() -> None:
    things = read_things()
    found = groups_of(things.labels, Dataset("things", things.labels, {}, groups=things.groups))

    assert found is not None
    assert found.members == things.groups
