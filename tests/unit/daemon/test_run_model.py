"""Which model a run has: the one that was asked for, or under a service manager the last one that worked."""

import shutil
from pathlib import Path

import pytest

from tests.needs import need_model
from vitcam.config.settings import ModelSettings
from vitcam.daemon.model import LastModel, LoadedAhead, load_first_model
from vitcam.errors import ConfigError, ModelError

FILE = "/etc/vitcam/config.toml"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder of models, which is searched first."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    folder = tmp_path / "data" / "vitcam" / "models"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def last(tmp_path: Path) -> LastModel:
    return LastModel(tmp_path / "state")


def damage(path: Path) -> Path:
    """A file of half the length, as after a full disk or a bad card."""
    content = need_model("mnist").read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return path


def test_a_damaged_model_is_an_error_where_no_service_manager_runs_vitcam(models: Path) -> None:
    damage(models / "pets.tflite")

    with pytest.raises(ModelError):
        load_first_model(ModelSettings("pets"), "")
    with pytest.raises(ConfigError, match=FILE):
        load_first_model(ModelSettings("pets"), FILE)


def test_the_last_model_that_worked_stands_in_for_a_damaged_one(models: Path, last: LastModel) -> None:
    shutil.copy(need_model("mnist"), models / "good.tflite")
    damage(models / "pets.tflite")
    asked = load_first_model(ModelSettings("good"), FILE, last)
    other = load_first_model(ModelSettings("pets"), FILE, last)

    assert asked.trouble == ""
    assert other.classifier.path == models / "good.tflite"
    assert other.name_or_file == str(models / "good.tflite")
    assert other.trouble.startswith(f"the model {models / 'pets.tflite'} cannot be loaded")
    assert other.trouble.endswith(f"export the model again; until then {models / 'good.tflite'} is used")


def test_the_bundled_model_of_the_same_name_stands_in_for_the_users_own(models: Path, last: LastModel) -> None:
    damage(models / "mnist.tflite")

    found = load_first_model(ModelSettings("mnist"), "", last)

    assert found.classifier.path != models / "mnist.tflite"
    assert found.classifier.card.name == "mnist"
    assert found.trouble.endswith(f"; until then {found.classifier.path} is used")


def test_the_default_stands_in_where_nothing_else_works(models: Path, last: LastModel) -> None:
    last.remember(damage(models / "before.tflite"))
    damage(models / "pets.tflite")

    found = load_first_model(ModelSettings("pets"), FILE, last)

    assert found.classifier.card.name == "everyday"
    assert last.path == models / "before.tflite"


@pytest.mark.parametrize("settings", [ModelSettings("petz"), ModelSettings("/nowhere/pets.tflite")])
def test_a_name_that_does_not_exist_is_a_wrong_configuration_and_no_damage(
    models: Path, last: LastModel, settings: ModelSettings
) -> None:
    with pytest.raises(ConfigError):
        load_first_model(settings, FILE, last)


def test_labels_that_do_not_fit_a_good_model_are_a_wrong_configuration(
    models: Path, last: LastModel, tmp_path: Path
) -> None:
    (tmp_path / "labels.txt").write_text("one\ntwo\n")

    with pytest.raises(ConfigError, match="they must match"):
        load_first_model(ModelSettings("mnist", str(tmp_path / "labels.txt")), FILE, last)


def test_the_disk_is_written_only_when_another_model_works(models: Path, last: LastModel, tmp_path: Path) -> None:
    load_first_model(ModelSettings("mnist"), "", last)
    written = (tmp_path / "state" / "model.json").stat().st_mtime_ns
    load_first_model(ModelSettings("mnist"), "", last)

    assert (tmp_path / "state" / "model.json").stat().st_mtime_ns == written
    assert last.path == need_model("mnist").resolve()


def test_a_state_folder_that_is_full_or_missing_keeps_no_model_from_running(models: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    for folder in (None, tmp_path / "file"):
        found = load_first_model(ModelSettings("mnist"), "", LastModel(folder))
        assert found.trouble == ""


def test_a_model_that_was_loaded_ahead_is_the_models_of_the_start_and_of_no_other_settings() -> None:
    wanted, other = ModelSettings("mnist"), ModelSettings("mnist", top_k=3)
    ahead, unwanted = LoadedAhead(wanted), LoadedAhead(other)

    found = load_first_model(wanted, "", ahead=ahead)

    assert ahead.take(wanted) is None  # it has been taken
    assert found.classifier.path == need_model("mnist")
    assert unwanted.take(wanted) is None
    assert unwanted.take(other) is None  # two models are never kept


def test_what_fails_while_it_is_loaded_ahead_fails_with_the_same_sentence(models: Path) -> None:
    settings = ModelSettings(str(damage(models / "pets.tflite")))
    with pytest.raises(ConfigError) as alone:
        load_first_model(settings, FILE)
    with pytest.raises(ConfigError) as after:
        load_first_model(settings, FILE, ahead=LoadedAhead(settings))

    assert str(after.value) == str(alone.value)


def test_a_model_with_wrong_golden_answers_is_damaged_too(
    models: Path, last: LastModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitcam.model.golden.GOLDEN_TOLERANCE", -1.0)

    with pytest.raises(ConfigError, match=r"answers .* instead of"):  # every model on this machine is wrong
        load_first_model(ModelSettings("mnist"), FILE, last)
