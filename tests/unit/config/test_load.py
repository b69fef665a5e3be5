"""Settings from files, environment and options: who wins, and what is said of what cannot be meant."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitcam.config.load import EffectiveSettings, load, merge_layers
from vitcam.config.settings import Settings, options, sections
from vitcam.errors import ConfigError, UsageError, VitcamError
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.storage import reading

NO_FILE = Path("/nowhere/config.toml")
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(content: str) -> Path:
        path = tmp_path / "named.toml"
        path.write_text(content, encoding="utf-8")
        return path

    return write


def refused(kind: type[VitcamError], config: Path | None = None, *sets: str, **environ: str) -> str:
    """The sentence with which this configuration is refused."""
    with pytest.raises(kind) as caught:
        merge_layers(config, sets, {}, environ, NO_FILE)
    return str(caught.value)


def effective(config: Path | None = None, *sets: str, **environ: str) -> EffectiveSettings:
    return merge_layers(config, sets, {}, environ, NO_FILE)


def test_nothing_given_at_all_is_every_default(tmp_path: Path) -> None:
    result = merge_layers(None, [], {}, {}, system_file=tmp_path / "absent.toml")

    assert result.settings == Settings()
    assert set(result.origins.values()) == {"default"}


@pytest.mark.parametrize("given", range(1, 7))
def test_each_later_layer_wins_over_all_before(tmp_path: Path, given: int) -> None:
    system, users, named = tmp_path / "system.toml", tmp_path / "vitcam" / "config.toml", tmp_path / "named.toml"
    users.parent.mkdir()
    for layer, path in enumerate([system, users, named][:given], start=1):
        path.write_text(f"[web]\nport = {layer}\n")
    environ = {"XDG_CONFIG_HOME": str(tmp_path)} | ({"VITCAM_WEB_PORT": "4"} if given >= 4 else {})
    sets = ["web.port=5"] if given >= 5 else []
    flags = {"web.port": 6} if given >= 6 else {}

    result = merge_layers(named if given >= 3 else None, sets, flags, environ, system_file=system)

    places = [str(system), str(users), str(named), "VITCAM_WEB_PORT", "--set web.port", "command line"]
    assert result.settings.web.port == given
    assert result.origins["web.port"] == places[given - 1]
    assert ("web.port", given, places[given - 1]) in result.rows()


def test_layers_that_say_different_things_are_merged_key_by_key(write: Write) -> None:
    result = effective(
        write("[web]\nport = 1\nhost = '::1'\n"), "model.top_k=3", VITCAM_WEB_PORT="2", VITCAM_MODEL_FPS="10"
    )

    assert (result.settings.web.port, result.settings.web.host) == (2, "::1")
    assert (result.settings.model.top_k, result.settings.model.fps) == (3, 10.0)


def test_the_named_file_wins_over_the_variable_that_names_one(write: Write, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[web]\nport = 1\nhost = 'other'\n")

    both = effective(write("[web]\nport = 2\n"), VITCAM_CONFIG=str(other))
    variable = effective(None, VITCAM_CONFIG=str(other))

    assert (both.settings.web.port, both.settings.web.host) == (2, "127.0.0.1")
    assert variable.settings.web.port == 1
    assert variable.origins["web.port"] == f"{other} (VITCAM_CONFIG)"


def test_the_users_file_is_found_below_home_and_not_below_a_relative_path(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "vitcam"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("[web]\nport = 7\n")

    assert effective(None, HOME=str(tmp_path)).settings.web.port == 7
    assert effective(None, HOME=str(tmp_path), XDG_CONFIG_HOME=".").settings.web.port == 7
    assert effective(None, HOME=str(tmp_path), XDG_CONFIG_HOME="/nowhere").settings.web.port == 8420


def test_a_value_of_each_kind_is_read_from_every_kind_of_place(write: Write) -> None:
    file = write("[camera]\nsource = 'demo'\nfps = 15\nrotate = 90\n")
    environ = {"VITCAM_CAMERA_SOURCE": "", "VITCAM_MODEL_TOP_K": "3", "VITCAM_CAMERA_CROP": "0.25,0,0.5,1"}
    flags = {"web.port": None, "web.enabled": False}
    settings = merge_layers(file, ["camera.flip=hv"], flags, environ, NO_FILE).settings
    camera = settings.camera

    assert (camera.source, camera.rotate, camera.flip, camera.crop) == ("", 90, "hv", "0.25,0,0.5,1")
    assert (camera.fps, type(camera.fps), settings.model.top_k) == (15.0, float, 3)
    assert (settings.web.port, settings.web.enabled) == (8420, False), "a flag that was not given changes nothing"
    for text, meant in (("true", True), ("Yes", True), ("1", True), ("off", False), ("0", False)):
        assert effective(None, VITCAM_WEB_ENABLED=text).settings.web.enabled is meant


def test_a_list_is_written_as_one_in_the_file_and_with_commas_elsewhere(write: Write) -> None:
    named, sites = (
        write('[web]\nnames = ["a.example", "b.example"]'),
        ["https://home.example", "http://192.168.1.5:8123"],
    )

    assert effective(named).settings.web.names == ("a.example", "b.example")
    assert effective(None, VITCAM_WEB_NAMES="a.example, b.example,").settings.web.names == ("a.example", "b.example")
    assert effective(named, "web.names=").settings.web.names == ()
    assert effective(None, f"web.frames={json.dumps(sites)}").settings.web.frames == tuple(sites)
    assert effective(None, f"web.frames={', '.join(sites)}").settings.web.frames == tuple(sites)
    assert refused(ConfigError, None, f"web.names={'[' * 9000}").startswith("--set web.names")


@pytest.mark.parametrize("content", ['"cam.example.org"', "[1]", '["http://a.org"]', '["a:80"]', '[""]', "[[]]"])
def test_what_is_no_list_of_host_names_is_refused(write: Write, content: str) -> None:
    sentence = refused(ConfigError, write(f"[web]\nnames = {content}"))

    assert "web.names" in sentence
    assert "host names such as cam.example.org" in sentence


def test_variables_that_are_no_settings_are_left_alone() -> None:
    result = effective(None, VITCAM_DATA="/data", VITCAM_REQUIRE="all", VITCAM_CONFIG="")

    assert result.settings == Settings()
    assert result.warnings == ()


def test_a_variable_that_resembles_nothing_is_named_in_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    settings = load(None, [], {}, {"VITCAM_IMAGE_TAG": "v1"}).settings

    assert settings == Settings()
    assert "VITCAM_IMAGE_TAG is not a setting and was ignored" in caplog.text


def test_a_variable_that_nearly_names_a_section_is_refused() -> None:
    assert "VITCAM_WBE_PORT: no section is called 'wbe'; did you mean VITCAM_WEB_…?" in refused(
        ConfigError, VITCAM_WBE_PORT="80"
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[wbe]\nport = 1", "no section is called 'wbe'; did you mean 'web'?"),
        ("[zzzz]\nport = 1", f"no section is called 'zzzz'; there are {', '.join(sections())}"),
        ("[web]\nprot = 1", "[web] has no key 'prot'; did you mean 'port'?"),
        ("[web]\nzzzz = 1", "[web] has no key 'zzzz'; there are enabled, host, port"),
        ("port = 1", "'port' is not a section; write it below [web]"),
        ("web = 1", "'web' is not a section; write [web] on a line of its own, its keys below"),
        ("[[web]]\nport = 1", "'web' is not a section; write [web] on a line of its own, its keys below"),
        (
            "zzzz = 1",
            f"'zzzz' is not a section; the sections are {', '.join(sections())}",
        ),
        ("[web]\nport = 99999", "web.port is 99999; allowed is a whole number from 0 to 65535"),
        ("[web]\nport = true", "web.port is true; allowed is a whole number from 0 to 65535"),
        ("[web]\nport = '80'", "web.port is '80'; allowed is a whole number from 0 to 65535"),
        ("[web]\nport = 80.0", "web.port is 80.0; allowed is a whole number from 0 to 65535"),
        ("[web]\nenabled = 1", "web.enabled is 1; allowed is true or false"),
        ("[web]\nhost = ' '", "web.host is ' '; allowed is a text that is not empty"),
        ('[camera]\nsource = "a\\u0000b"', "camera.source is 'a\\x00b'; allowed is a text"),
        ("[camera]\nsource = [1]", "camera.source is [1]; allowed is a text"),
        ("[camera]\nfps = nan", "camera.fps is nan; allowed is a number from 0.1 to 240"),
        ("[camera]\nfps = inf", "camera.fps is inf; allowed is a number from 0.1 to 240"),
        ("[camera]\nfps = 1" + "0" * 400, "…; allowed is a number from 0.1 to 240"),
        (
            "[overlay]\nmode = 'heatt'",
            f"overlay.mode is 'heatt'; allowed is {options()['overlay.mode'].allowed}",
        ),
        ("[camera]\nrotate = 45", "camera.rotate is 45; allowed is 0, 90, 180 or 270"),
        ("[camera]\nrotate = false", "camera.rotate is false; allowed is 0, 90, 180 or 270"),
        ("[camera]\nflip = 'x'", "camera.flip is 'x'; allowed is none, h, v or hv"),
        ("[camera]\ncrop = '0.5,0,0.6,1'", "camera.crop is '0.5,0,0.6,1'; allowed is X,Y,W,H inside the picture"),
        ("[camera]\ncrop = '0,0,0,1'", "camera.crop is '0,0,0,1'; allowed is X,Y,W,H inside the picture"),
        ("[camera]\ncrop = [0, 0, 1, 1]", "camera.crop is [0, 0, 1, 1]; allowed is X,Y,W,H inside the picture"),
        ("[web]\nport =", "is not TOML: Invalid value"),
    ],
)
def test_what_a_file_cannot_mean_is_refused_by_name(write: Write, content: str, sentence: str) -> None:
    path = write(content)

    message = refused(ConfigError, path)

    assert message.startswith(f"{path}: ")
    assert sentence in message


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary.toml"
    path.write_bytes(b"[web]\nhost = '\xff\xfe'\n")

    assert refused(ConfigError, path).startswith(f"{path}: line 2 is not in UTF-8; save it as UTF-8")


@pytest.mark.parametrize("name", ["absent.toml", "."])
def test_a_named_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    assert refused(ConfigError, path).startswith(f"{path}: cannot be read: ")
    assert refused(ConfigError, VITCAM_CONFIG=str(path)).startswith(f"{path} (VITCAM_CONFIG): cannot be read")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("[web]\n" + "# a comment\n" * 100_000, "cannot be read: it is larger than 65,536 bytes"),
        ("[web]\nnames = " + "[" * 50_000, "its brackets are nested too deeply"),
        ("[web]\nhost = 'a\0b'", "is not TOML: "),
        ("\0" * 4096, "is not TOML: Invalid statement"),
        ("[" + "a." * 3000 + "a]", "no section is called 'a'"),
        ("a" * 60_000 + " = 1", f"'{'a' * 40}…' is not a section; the sections are"),
        ("[web]\n" + "a" * 60_000 + " = 1", f"[web] has no key '{'a' * 40}…'; "),
        ("[web]\nport = " + "9" * 5000, "is not TOML: Exceeds the limit"),
    ],
    ids=["large", "nested", "NUL", "NULs", "dotted", "long section", "long key", "long number"],
)
def test_a_damaged_or_hostile_file_is_one_short_sentence(write: Write, content: str, why: str) -> None:
    path = write(content)

    refusal = refused(ConfigError, path)

    assert refusal.startswith(f"{path}: {why}")
    assert len(refusal) < 400
    assert "\n" not in refusal


def test_a_device_and_a_pipe_into_which_nobody_writes_are_refused_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_SILENT_S", 0.05)
    os.mkfifo(tmp_path / "pipe")

    assert refused(ConfigError, Path("/dev/zero")).startswith("/dev/zero: cannot be read: it is a device")
    assert "it is a pipe, and nobody writes into it" in refused(ConfigError, tmp_path / "pipe")


def test_a_file_that_windows_saved_is_read_and_its_other_encodings_are_named(write: Write, tmp_path: Path) -> None:
    text = '[web]\r\nport = 8421\r\n[names]\r\n"tabby cat" = "Müsli"\r\n'

    assert effective(write("\ufeff" + text)).settings.web.port == 8421
    for encoding in ("utf-16", "utf-16-le", "latin-1"):
        (tmp_path / encoding).write_bytes(text.encode(encoding))
        assert refused(ConfigError, tmp_path / encoding).endswith("; save it as UTF-8")


@pytest.mark.parametrize("text", ["web.port", "port=1", "=", ""])
def test_a_set_that_is_no_assignment_is_refused_with_an_example(text: str) -> None:
    message = refused(ConfigError, None, text)

    assert message == f"--set {text}: is not section.key=value, such as web.port=8421"


@pytest.mark.parametrize("text", ["x", "", "nan", "1.5", "80 80", "0x50"])
def test_text_that_says_no_number_is_refused_where_it_stands(text: str) -> None:
    sentence = f"web.port is {text!r}; allowed is a whole number from 0 to 65535"

    assert refused(ConfigError, VITCAM_WEB_PORT=text) == f"VITCAM_WEB_PORT: {sentence}"
    assert refused(ConfigError, None, f"web.port={text}") == f"--set web.port: {sentence}"


def test_a_bad_flag_is_wrong_usage_and_a_bad_file_bad_configuration(write: Write) -> None:
    with pytest.raises(UsageError) as flag:
        merge_layers(None, [], {"web.port": 99999}, {})
    with pytest.raises(ConfigError) as file:
        merge_layers(write("[web]\nport = 99999\n"), [], {}, {})

    assert (flag.value.exit_code, file.value.exit_code) == (2, 78)
    assert str(flag.value).startswith("command line: web.port is 99999;")


def test_thresholds_that_contradict_each_other_name_both_origins(write: Write) -> None:
    message = refused(ConfigError, write("[events]\nenter = 0.2\n"))

    assert message.startswith("events.leave is 0.3 (default) and events.enter is 0.2 (")
    assert message.endswith("named.toml); leave may be at most enter")


def test_every_option_says_what_is_allowed_and_its_default_survives_the_environment() -> None:
    for name, option in options().items():
        text = ",".join(option.default) if option.kind is tuple else str(option.default)
        result = effective(None, **{option.variable: text})

        assert result.settings == Settings(), name
        assert result.origins[name] == option.variable
        assert len(option.rule.doc.split()) >= 3, name
        assert not option.rule.doc.endswith("."), name
        assert "_" not in option.section
        if option.kind in (int, float) and not option.choices:
            assert option.rule.low is not None, name
            assert option.rule.high is not None, name
            assert option.rule.low <= option.default <= option.rule.high, name


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_garbage_from_outside_ends_in_one_sentence_or_in_settings(environ: dict[str, str], sets: list[str]) -> None:
    variables = {f"VITCAM_{name}": value for name, value in environ.items()}
    try:
        settings = merge_layers(None, sets, {}, variables).settings
    except ConfigError as error:
        settings, sentence = None, str(error)

    assert settings is not None or len(sentence.split()) > 3


@given(st.sampled_from(sorted(options())), st.text() | st.floats() | st.integers() | st.booleans())
def test_a_setting_holds_a_value_of_its_own_kind_or_none_at_all(name: str, value: object) -> None:
    try:
        result = merge_layers(None, [], {name: value}, {})
    except VitcamError:
        return
    kept = {row[0]: row[1] for row in result.rows()}[name]

    assert type(kept) is options()[name].kind
    assert kept == value


def test_the_overlays_that_may_be_set_are_those_that_can_be_drawn_and_the_usual_one() -> None:
    assert options()["overlay.mode"].choices == ("auto", *OVERLAYS)


@pytest.mark.parametrize("text", ["web.port" + "9" * 5000, "9" * 5000])
def test_a_set_that_is_refused_is_repeated_only_at_its_beginning(text: str) -> None:
    assert len(refused(ConfigError, None, text)) < 500
