from dataclasses import replace
from pathlib import Path

import pytest
from vitcam_training.presets import PRESETS
from vitcam_training.recipe import Recipe, read_recipe, shipped_recipes

from vitcam.errors import UsageError
from vitcam.resize import InputSpec


def recipe(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_every_shipped_recipe_can_be_read_by_its_name() -> None:
    names = shipped_recipes()

    assert "everyday" in names
    assert [read_recipe(name).name for name in names] == names


def test_a_recipe_of_two_lines_gets_the_defaults(tmp_path: Path) -> None:
    found = read_recipe(recipe(tmp_path, 'name = "mine"\ndata = "photos"\n'))

    assert found == Recipe(name="mine", data="photos")
    assert found.spec == InputSpec(224, 224)


def test_the_input_of_a_recipe_becomes_that_of_the_model(tmp_path: Path) -> None:
    cut = '[input]\ncrop_fraction = 0.875\ninterpolation = "bicubic"\n'
    text = 'name = "m"\ndata = "d"\n[model]\nimage_size = [96, 128]\n' + cut

    assert read_recipe(recipe(tmp_path, text)).spec == InputSpec(96, 128, "crop", 0.875, "bicubic")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("epochs = 3", r"'epochs' is unknown; allowed: name, data, seed"),
        ('name = "m"\ndata = "d"\n[train]\nepoch = 3', r"train: 'epoch' is unknown; allowed: epochs"),
        ('name = "m"\ndata = "d"\n[train]\nepochs = "3"', r"train: epochs is '3'; a int is allowed"),
        ('name = "m"\ndata = "d"\n[train]\nepochs = true', r"epochs is True; a int is allowed"),
        ('name = "m"\ndata = "d"\ntrain = 3', r"train is 3; a \[table\] is allowed"),
        ('name = "m"\ndata = "d"\n[model]\nimage_size = 224', r"image_size is 224; two whole numbers"),
        ('name = "m"\ndata = "d"\n[about]\ntrained_on = [3]', r"trained_on is \[3\]; \[\[tables\]\] of texts"),
        ('name = "m"', r"needed are name, data; found name"),
        ("name = ", r"is no TOML file"),
    ],
)
def test_a_recipe_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(recipe(tmp_path, text))


def test_a_recipe_may_begin_with_a_preset_and_change_some_of_it(tmp_path: Path) -> None:
    text = 'name = "m"\ndata = "d"\n[model]\npreset = "digits"\ndepth = 5\ndropout = 0.1\n'
    model = read_recipe(recipe(tmp_path, text)).model

    assert model.config(7) == replace(PRESETS["digits"].config, classes=7, depth=5, dropout=0.1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('preset = "digit"', "no network is called 'digit'"),
        ("classes = 3", "'classes' is unknown; allowed: image_size"),
        ("heads = 5", "model: width 192 is not a multiple of heads 5"),
        ('position = "spiral"', "model: position is 'spiral'; allowed: learned, sincos, none"),
    ],
)
def test_a_network_that_cannot_be_built_is_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(recipe(tmp_path, f'name = "m"\ndata = "d"\n[model]\n{line}\n'))


def test_an_unknown_recipe_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"no recipe 'everydya': .* one of: .*everyday"):
        read_recipe("everydya")


def test_whole_numbers_are_taken_where_fractions_are_meant(tmp_path: Path) -> None:
    found = read_recipe(recipe(tmp_path, 'name = "m"\ndata = "d"\n[train]\nweight_decay = 0\n'))

    assert found.train.weight_decay == 0.0
    assert type(found.train.weight_decay) is float


def test_an_earlier_stage_says_only_what_differs_from_the_last(tmp_path: Path) -> None:
    last = 'name = "m"\ndata = "d"\n[train]\nepochs = 2\nbatch_size = 8\n'
    found = read_recipe(recipe(tmp_path, last + "[[before]]\nmodel.image_size = [96, 96]\ntrain.epochs = 5\n"))

    assert (found.spec, found.train.epochs) == (InputSpec(224, 224), 2)
    assert [(stage.spec, stage.train.epochs, stage.train.batch_size) for stage in found.before] == [
        (InputSpec(96, 96), 5, 8)
    ]
    assert found.before[0].before == ()


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        ("[before]\nepochs = 3", r"before is \{'epochs': 3\}; \[\[tables\]\] are allowed"),
        (
            '[[before]]\ndata = "other"',
            "before: 'data' is unknown; allowed: model, input, augment, train, each a table",
        ),
        ("[[before]]\ntrain = 3", "before: 'train' is unknown; allowed"),
        ("[[before]]\ntrain.epoch = 3", "before: train: 'epoch' is unknown"),
    ],
)
def test_an_earlier_stage_that_cannot_be_meant_is_refused(tmp_path: Path, stage: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(recipe(tmp_path, f'name = "m"\ndata = "d"\n{stage}\n'))
