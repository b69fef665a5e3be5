"""What is taken from a network's pixels, and by what they are divided: said, kept and never guessed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from keras import ops

from tests.needs import need_data
from tests.refusals import naming
from tests.training.unit.nets import SMALL, photos, small_vit
from vitcam.errors import UsageError
from vitcam_training.config import ViTConfig
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.prepare import start
from vitcam_training.recipes.recipe import ModelRecipe, Recipe
from vitcam_training.study import reference
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into, read_network, to_timm
from vitcam_training.weights.foreign import ImportOptions, import_foreign
from vitcam_training.weights.normalisation import IMAGENET, Normalisation, parse_normalisation

HALVES = Normalisation((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
OTHER = replace(SMALL, mean=HALVES.mean, std=HALVES.std)
LABELS = tuple("abcde")


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    path = tmp_path / "foreign.npz"
    np.savez(path, **to_timm(small_vit()))  # type: ignore[arg-type]
    path.with_name("labels.txt").write_text("\n".join(LABELS))
    return path


def test_the_published_file_of_deit_is_recognised() -> None:
    config, _ = read_network(need_data("deit_tiny") / "deit_tiny_patch16_224.npz")

    assert (config.mean, config.std) == (IMAGENET.mean, IMAGENET.std)


def test_foreign_weights_are_asked_about_and_what_is_said_stays_with_the_network(foreign: Path) -> None:
    with pytest.raises(UsageError, match=naming("foreign.npz", "normalised", "--mean", "--std")):
        read_network(foreign)

    out = foreign.with_name("net.safetensors")
    import_foreign(str(foreign), foreign.with_name("labels.txt"), out, ImportOptions("net", normalisation=HALVES))
    config, weights = read_network(out)
    vit, images = ViT(config), photos(2)
    load_into(vit, weights)
    found = ops.convert_to_numpy(vit(images)[0])

    assert config == OTHER
    np.testing.assert_allclose(found, reference.vit(images, weights, OTHER)[0], atol=1e-4)
    assert np.abs(found - reference.vit(images, weights, SMALL)[0]).max() > 0.01, "ImageNet's would show"


def test_fine_tuning_goes_on_with_the_pixels_of_the_weights(foreign: Path) -> None:
    recipe = Recipe("mine", "photos", model=ModelRecipe(image_size=SMALL.image_size))
    begun: ViTConfig = start(recipe, Dataset("photos", LABELS, {}), foreign, normalisation=HALVES).config

    assert (begun.mean, begun.std) == (HALVES.mean, HALVES.std)


def test_a_checkpoint_that_says_it_itself_is_not_overruled(foreign: Path) -> None:
    out = foreign.with_name("net.safetensors")
    import_foreign(str(foreign), foreign.with_name("labels.txt"), out, ImportOptions("net", normalisation=HALVES))

    with pytest.raises(UsageError, match=naming("says itself", "leave out", "--mean", "--std")):
        read_network(out, normalisation=IMAGENET)


def test_mean_and_deviation_are_written_as_a_word_a_number_or_three() -> None:
    assert parse_normalisation(None, None) is None
    assert parse_normalisation("imagenet", "imagenet") == IMAGENET
    assert parse_normalisation("0.5", "0.5") == HALVES
    assert parse_normalisation("0.1,0.2,0.3", "1") == Normalisation((0.1, 0.2, 0.3), (1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("mean", "std", "said"),
    [
        ("0.5", None, "only --mean is given; give --mean and --std together"),
        (None, "0.5", "only --std is given"),
        ("half", "0.5", "--mean is 'half'; allowed: imagenet, a fraction of 255, or three with commas"),
        ("0.5", "0.5,0.5", "--std is '0.5,0.5'; allowed"),
    ],
)
def test_what_is_no_mean_is_refused_by_name(mean: str | None, std: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_normalisation(mean, std)


@pytest.mark.parametrize(
    "values", [{"mean": (123.7, 116.3, 103.5)}, {"std": (0.0, 0.5, 0.5)}, {"mean": (float("nan"),) * 3}]
)
def test_numbers_of_another_unit_are_refused(values: dict[str, tuple[float, ...]], foreign: Path) -> None:
    name = next(iter(values))
    pixels = replace(HALVES, **values)  # type: ignore[arg-type]

    with pytest.raises(UsageError, match=f"{name} is .*; allowed: three fractions of 255"):
        read_network(foreign, normalisation=pixels)
