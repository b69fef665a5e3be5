"""`vitcam config check` knows the labels and groups of the model, so that a typing error is found before a run."""

from pathlib import Path

from tests.command import vitcam

CONFIG = """
[model]
name = "{model}"
[clips]
labels = ["Tenchh"]
[zones.door]
rect = "0,0,0.5,1"
labels = ["cat", "unknown", "gofldish"]
[[on]]
name = "lamp"
label = "Catt"
command = ["true"]
[[on]]
label = "dog"
command = ["true"]
"""


def check(folder: Path, model: str) -> list[str]:
    (folder / "c.toml").write_text(CONFIG.format(model=model))
    result = vitcam("config", "check", "--config", str(folder / "c.toml"), "--json")

    assert result.code == 0
    return list(result.lines[0]["warnings"])


def test_labels_of_zones_rules_and_clips_that_the_model_does_not_know_are_named_with_what_is_meant(
    tmp_path: Path,
) -> None:
    found = check(tmp_path, "everyday")

    assert len(found) == 3
    assert ["gofldish" in found[0], "Catt" in found[1], "Tenchh" in found[2]] == [True] * 3
    assert ["goldfish" in found[0], "'cat'" in found[1], "'tench'" in found[2]] == [True] * 3
    assert ["zone door" in found[0], "rule lamp" in found[1], "clips.labels" in found[2]] == [True] * 3


def test_labels_may_be_named_in_any_case_and_by_names_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(
        '[names]\nlanguage = "de"\n"tabby cat" = "Mia"\n"getigerte Kat" = "Luna"\n'
        '[clips]\nlabels = ["CAT", "Katze", "mia", "tabby cat", "getigerte katze"]\n'
    )
    (found,) = vitcam("config", "check", "--config", str(tmp_path / "c.toml"), "--json").lines[0]["warnings"]

    assert "[names]" in found
    assert "'getigerte Kat' (near are 'getigerte Katze'" in found


def test_without_its_model_the_configuration_is_valid_and_the_labels_are_said_to_be_unchecked(tmp_path: Path) -> None:
    (found,) = check(tmp_path, "absent")

    assert "not checked" in found
    assert "'absent'" in found
