"""`motion.enabled` and `motion.rest_fps` of earlier versions are read as `look.rest`."""

from pathlib import Path

import pytest

from vitcam.config.layers import PageLayer
from vitcam.config.load import EffectiveSettings, merge_layers
from vitcam.errors import ConfigError


def read(tmp_path: Path, file: str = "", page: dict[str, object] | None = None, *sets: str) -> EffectiveSettings:
    path = tmp_path / "config.toml"
    path.write_text(file)
    return merge_layers(path, sets, {}, {}, Path("/nowhere"), PageLayer("settings.toml", page or {}))


@pytest.mark.parametrize(
    ("file", "seconds"),
    [
        ("[motion]\nenabled = false\n", 0),
        ("[motion]\nenabled = true\n", 1),
        ("[motion]\nenabled = true\nrest_fps = 0.25\nthreshold = 9\nhold_s = 5\n", 4),
        ("[motion]\nrest_fps = 0.5\n", 0),  # it said nothing where every frame was classified
        ("[motion]\nrest_fps = 0.5\nenabled = false\n", 0),
        ("[motion]\nenabled = true\n[look]\nrest = 7\n", 7),  # what replaces them counts, wherever it stands
        ("[look]\nrest = 7\n[motion]\nenabled = false\n", 7),
    ],
)
def test_what_a_file_said_means_the_seconds_of_today_and_one_line_says_so(
    tmp_path: Path, file: str, seconds: float
) -> None:
    found = read(tmp_path, file)

    assert found.settings.look.rest == seconds
    assert len(found.warnings) == 1
    assert "look.rest" in found.warnings[0]
    assert "motion." in found.warnings[0]
    assert found.given("look.rest")
    if "threshold" in file:
        assert (found.settings.motion.threshold, found.settings.motion.hold_s) == (9, 5)


def test_a_later_place_wins_whichever_of_the_names_it_uses(tmp_path: Path) -> None:
    assert read(tmp_path, "[look]\nrest = 7\n", None, "motion.enabled=false").settings.look.rest == 0
    assert read(tmp_path, "[motion]\nenabled = true\n", None, "look.rest=7").settings.look.rest == 7
    assert read(tmp_path, "[motion]\nenabled = true\n", None, "motion.rest_fps=0.5").settings.look.rest == 2


def test_what_was_set_on_the_page_is_read_and_what_replaces_it_wins(tmp_path: Path) -> None:
    before: dict[str, object] = {"motion.enabled": True, "motion.rest_fps": 0.5}

    assert read(tmp_path, page=before).settings.look.rest == 2
    assert "look.rest" in read(tmp_path, page=before).page
    assert read(tmp_path, page=before | {"look.rest": 5}).settings.look.rest == 5
    assert read(tmp_path, "[look]\nrest = 9\n", before).settings.look.rest == 9


def test_a_value_that_was_never_allowed_is_refused_as_before(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"motion\.rest_fps is 0; allowed is a number from 0\.01 to 60"):
        read(tmp_path, "[motion]\nrest_fps = 0\n")
    assert "counts as not set" in read(tmp_path, page={"motion.enabled": "perhaps"}).warnings[0]
