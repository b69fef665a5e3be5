"""`vitcam config check` knows the labels and groups of the model, so that a typing error is found before a run."""

from pathlib import Path

from tests.command import vitcam

CONFIG = """
[model]
name = "{model}"
[store]
forget = ["unknown", "oboee"]
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


def test_labels_of_zones_rules_and_lists_that_the_model_does_not_know_are_named_with_what_is_meant(
    tmp_path: Path,
) -> None:
    found = check(tmp_path, "everyday")

    wrong, near = ("gofldish", "Catt", "oboee", "Tenchh"), ("goldfish", "'cat'", "'oboe'", "'tench'")
    who = ("zone door", "rule lamp", "store.forget", "clips.labels")
    assert len(found) == 4
    for sentence, words in zip(found, zip(wrong, near, who, strict=True), strict=True):
        assert all(word in sentence for word in words)


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
