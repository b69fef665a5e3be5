"""What the page may set, and the layer of it below the configuration files."""

import json
import re
from pathlib import Path

import pytest

from vitcam.config.layers import PageLayer
from vitcam.config.lines import lines_of
from vitcam.config.load import EffectiveSettings, merge_layers
from vitcam.config.on_page import ON_PAGE, is_page_camera, page_option, why_not
from vitcam.config.option import Why
from vitcam.config.settings import options
from vitcam.web.page_sources import page_files

NO_FILE = Path("/nonexistent")


def effective(page: dict[str, object], text: str = "", path: Path | None = None) -> EffectiveSettings:
    if path is not None:
        path.write_text(text)
    return merge_layers(path, [], {}, {}, NO_FILE, PageLayer("settings.toml", page))


def test_the_page_may_set_no_secret_and_no_setting_whose_doc_speaks_of_a_file() -> None:
    for name in ON_PAGE - {"camera.source", "camera.every"}:
        assert not options()[name].rule.secret
        assert "file" not in options()[name].rule.doc.lower().replace("files that are read at full speed", ""), name


def test_a_key_of_a_table_has_the_reason_of_its_kind() -> None:
    assert why_not("on.3.command") is Why.COMMAND
    assert why_not("zones.door.rect") is Why.ELSEWHERE
    assert why_not("store.keep_days") is None
    assert page_option("web.host") is None


@pytest.mark.parametrize(
    "text", ["picamera", "picamera:1", "v4l2:/dev/video0", "/dev/v4l/by-id/usb-Cam_1-video-index0"]
)
def test_a_camera_may_be_set(text: str) -> None:
    assert is_page_camera(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "/etc/passwd",
            "-",
            "video:/a.mp4",
            "images:/home",
            "file:///etc",
            "v4l2:/dev/mem",
            "demo.mp4",
            "*.jpg",
            "a b",
        ),
        *("/dev/video0/../mem", "/dev/v4l/by-id/../../mem", "/dev/v4l/by-path/..", "rtsp://", "rtsp://a\nb", "ftp://a"),
        *("http://a\0b", "rtsp://" + "a" * 3000, "demo:ram/../x", " demo", "picamera:9999"),
    ],
)
def test_a_file_of_this_machine_may_not(text: str) -> None:
    assert not is_page_camera(text)


def test_what_the_page_set_is_no_place_of_the_configuration() -> None:
    found = effective({"model.top_k": 3})

    assert (found.settings.model.top_k, found.origins["model.top_k"]) == (3, "settings.toml")
    assert found.page == {"model.top_k"}
    assert (found.given("model.top_k"), found.configured("model.top_k")) == ("", "")
    by_flag = merge_layers(None, [], {"model.top_k": 5}, {}, NO_FILE, PageLayer("settings.toml", {"model.top_k": 3}))
    assert (by_flag.settings.model.top_k, by_flag.given("model.top_k")) == (5, "the command line")
    assert not by_flag.page


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ({"web.host": "0.0.0.0"}, "web.host"),
        ({"on.1.command": ["x"]}, "on.1.command"),
        ({"model.top_k": "many"}, "model.top_k"),
        ({"model.top_k": -1}, "model.top_k"),
        ({"camera.source": "/etc/passwd"}, "camera.source"),
        ({"events.enter": 0.1}, "events.enter"),
        ({"x" * 300: 1}, "x" * 30),
    ],
)
def test_what_is_wrong_on_the_page_is_left_out_with_a_sentence(page: dict[str, object], name: str) -> None:
    found = effective(page)

    assert found.settings == effective({}).settings
    assert not found.page
    (warning,) = found.warnings
    assert name in warning
    assert len(warning) < 400


def test_thresholds_of_the_page_that_contradict_the_file_do_not_stop_the_start(tmp_path: Path) -> None:
    found = effective({"events.leave": 0.45}, "[events]\nenter = 0.4\n", tmp_path / "config.toml")

    assert (found.settings.events.enter, found.settings.events.leave) == (0.4, 0.3)
    assert found.warnings


def test_the_place_of_a_setting_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    text = '# [store]\n\n[store]\n"keep_days" = 3\n\n[zones."door"]\nrect = "0,0,1,1"\n[[on]]\nsound = true\n'
    found = effective({}, text, path)

    assert found.given("store.keep_days") == f"line 4 of {path}"
    assert found.given("zones") == f"line 7 of {path}"
    assert found.given("on") == f"line 9 of {path}"
    assert found.given("camera.crop") == ""


def test_lines_are_found_below_every_kind_of_heading() -> None:
    text = 'a.b = 1\n[c]\n d = """\nx = 1\n"""\n"e f" = 2 # g = 3\n[[on]]\nh = 1\n[[on]]\n  h = 2\n'
    text += '[ i . "j.k" ]\nl = 1\n= 5\n[m\n'

    assert lines_of(text).items() >= {"a.b": 1, "c.d": 3, "c.e f": 6, "on.1.h": 8, "on.2.h": 10, "i.j.k.l": 12}.items()


def test_the_view_of_settings_has_a_row_and_words_for_each() -> None:
    page = page_files()
    tables = [data.decode() for name, data in page.items() if name.endswith(("settings/table.js", "/settings.js"))]
    rows = [row for table in tables for row in re.findall(r"^    \"([a-z_.]+)\": ", table, re.MULTILINE)]
    words = json.loads(page["language/en.json"]) | json.loads(page["settings/en.json"])

    assert sorted(rows) == sorted(ON_PAGE)
    assert [name for name in ON_PAGE if not {f"settings.name.{name}", f"settings.what.{name}"} <= words.keys()] == []
