from dataclasses import replace
from pathlib import Path

import pytest

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec
from vitcam_training.recipes.presets import PRESETS
from vitcam_training.recipes.recipe import (
    AboutRecipe,
    DistilRecipe,
    Recipe,
    fingerprint,
    on_photos,
    read_recipe,
    shipped_recipes,
)


def recipe(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_every_shipped_recipe_can_be_read_by_its_name() -> None:
    names = shipped_recipes()

    assert "everyday" in names
    assert [read_recipe(name).name for name in names] == names


def test_a_fingerprint_tells_settings_apart_and_nothing_else() -> None:
    plain = Recipe(name="mine", data="photos")
    settings = (replace(plain, seed=1), replace(plain, train=replace(plain.train, epochs=9)), replace(plain, data="b"))
    found = {fingerprint(each) for each in (plain, *settings)}

    assert len(found) == 4
    assert fingerprint(replace(plain, about=AboutRecipe(licence="CC0"))) == fingerprint(plain)
    assert len(fingerprint(plain)) == 8


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
        ('name = "m"\ndata = "d"\n[train]\nepochs = "3"', r"train: epochs is '3'; its type must be int"),
        ('name = "m"\ndata = "d"\n[train]\nepochs = true', r"epochs is True; its type must be int"),
        ('name = "m"\ndata = "d"\ntrain = 3', r"train is 3; it must be a \[table\]"),
        ('name = "m"\ndata = "d"\n[model]\nimage_size = 224', r"image_size is 224; it must be two whole numbers"),
        (
            'name = "m"\ndata = "d"\n[model]\nmean = 0.5',
            r"mean is 0.5; it must be three numbers, for red, green and blue",
        ),
        (
            'name = "m"\ndata = "d"\n[about]\ntrained_on = [3]',
            r"trained_on is \[3\]; it must be \[\[tables\]\]",
        ),
        ('name = "m"', r"required: name, data; found name"),
        ("name = ", r"is not a TOML file"),
    ],
)
def test_a_recipe_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(recipe(tmp_path, text))


def test_a_recipe_may_begin_with_a_preset_and_change_some_of_it(tmp_path: Path) -> None:
    text = 'name = "m"\ndata = "d"\n[model]\npreset = "digits"\ndepth = 5\ndropout = 0.1\n'
    model = read_recipe(recipe(tmp_path, text)).model

    assert model.config(7) == replace(PRESETS["digits"].config, classes=7, depth=5, dropout=0.1)


def test_every_option_of_a_network_can_be_written_into_a_recipe(tmp_path: Path) -> None:
    lines = (
        'position = "random"', 'norm = "none"', "final_norm = false", "residual = false", "qkv_bias = false",
        "head_width = 64", "head_hidden = 48", "dropout = 0.2", "attention_dropout = 0.1",
    )  # fmt: skip
    text = "\n".join(
        ['name = "m"', 'data = "d"', "[model]", 'preset = "digits"', *lines, "[train]", 'schedule = "constant"']
    )
    found = read_recipe(recipe(tmp_path, text))
    config = found.model.config(10)

    assert (config.position, config.norm, config.final_norm, config.residual) == ("random", "none", False, False)
    assert (config.qkv_bias, config.d_k, config.head_hidden) == (False, 64, 48)
    assert (config.dropout, config.attention_dropout, found.train.schedule) == (0.2, 0.1, "constant")
    assert fingerprint(found) != fingerprint(replace(found, model=replace(found.model, residual=True)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('preset = "digit"', "no network is called 'digit'"),
        ("classes = 3", "'classes' is unknown; allowed: image_size"),
        ("heads = 5", "model: width 192 is not a multiple of heads 5"),
        ('position = "spiral"', "model: position is 'spiral'; allowed: learned, sincos, random, none"),
    ],
)
def test_a_network_that_cannot_be_built_is_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(recipe(tmp_path, f'name = "m"\ndata = "d"\n[model]\n{line}\n'))


def test_an_unknown_recipe_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"no recipe 'everydya': .* one of: .*everyday"):
        read_recipe("everydya")


def test_a_teachers_table_is_read_and_a_whole_number_taken_where_a_fraction_is_meant(tmp_path: Path) -> None:
    lines = 'name = "m"\ndata = "d"\n[train]\nweight_decay = 0\n'
    alone, taught = (read_recipe(recipe(tmp_path, lines + more)) for more in ("", "[distil]\nweight = 1\n"))

    assert (alone.distil, taught.distil) == (None, DistilRecipe(1.0, 2.0))
    assert type(alone.train.weight_decay) is float


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
        ("[before]\nepochs = 3", r"before is \{'epochs': 3\}; it must be \[\[tables\]\]"),
        (
            '[[before]]\ndata = "other"',
            "before: 'data' is unknown; allowed: model, input, augment, train, distil, each a table",
        ),
        ("[[before]]\ntrain = 3", "before: 'train' is unknown; allowed"),
        ("[[before]]\ntrain.epoch = 3", "before: train: 'epoch' is unknown"),
    ],
)
def test_an_earlier_stage_that_cannot_be_meant_is_refused(tmp_path: Path, stage: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(recipe(tmp_path, f'name = "m"\ndata = "d"\n{stage}\n'))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("[train]\nepochs = 0", "train: epochs is 0; 1 or more is allowed"),
        ("[train]\nbatch_size = -4", "train: batch_size is -4; 1 or more is allowed"),
        ("[train]\nlearning_rate = -1e-3", "learning_rate is -0.001; 0 or more is allowed"),
        ("[train]\nlearning_rate = nan", "learning_rate is nan; 0 or more is allowed"),
        ("[train]\nlabel_smoothing = 1.0", "label_smoothing is 1; 0 to 0.99 is allowed"),
        ("[train]\naverage = 1.0", "average is 1; 0 to 0.999999 is allowed"),
        ("[train]\nclip_norm = -1", "clip_norm is -1; 0 or more is allowed"),
        ("[train]\npatience = -1", "patience is -1; 0 or more is allowed"),
        ("[train]\nscore_every = 0", "score_every is 0; 1 or more is allowed"),
        ('[train]\noptimiser = "sgd"', "optimiser is 'sgd'; allowed: adamw, muon"),
        ('[train]\nstart = "warm"', "start is 'warm'; allowed: random, mimetic"),
        ('[train]\nprecision = "float16"', "precision is 'float16'; allowed: float32, mixed_bfloat16"),
        ("[augment]\nerase = 2", "augment: erase is 2; 0 to 1 is allowed"),
        ("[augment]\nmagnitude = 30.0", "augment: magnitude is 30; 0 to 10 is allowed"),
        ("[distil]\nweight = 1.1", "distil: weight is 1.1; 0 to 1 is allowed"),
        ("[distil]\ntemperature = 0", "distil: temperature is 0; 0.1 to 100 is allowed"),
        ("[distil]\nteacher = 'a'", "distil: 'teacher' is unknown; allowed: weight, temperature"),
        ("seed = -1", "seed is -1; 0 to "),
    ],
)
def test_numbers_that_cannot_be_meant_are_refused_by_name(tmp_path: Path, lines: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_recipe(recipe(tmp_path, f'name = "m"\ndata = "d"\n{lines}\n'))


def test_a_recipe_on_other_photos_names_their_model_and_forgets_its_own(tmp_path: Path) -> None:
    about = '[about]\ndescription = "cups"\n'
    found = read_recipe(recipe(tmp_path, f'name = "mine"\ndata = "cups"\n{about}'))
    folder, listed = (on_photos(found, str(tmp_path / name)) for name in ("my.flowers", "photos.csv"))

    assert on_photos(found, "cups") == found
    assert (folder.model_name, folder.name, folder.about) == ("my.flowers", "mine", AboutRecipe())
    assert (listed.model_name, found.model_name) == ("photos", "mine")


@pytest.mark.parametrize("name", ["folder", "scratch"])
def test_recipes_for_ones_own_photos_leave_them_to_the_command(name: str) -> None:
    assert read_recipe(name).data == ""
