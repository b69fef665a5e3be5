"""`/api/names`: what a running daemon calls labels and groups."""

import json
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.daemon import Daemon, daemon, get_json

NAMES = {"language": "de", "names": {"tabby cat": "Mia", "consommé": ""}}
PHOTO = str(Path(__file__).parents[3] / "models" / "golden" / "cat.jpg")


def put(url: str, body: object) -> tuple[int, dict[str, Any]]:
    """Send all names of the page; the status and the answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/api/names", data, method="PUT"), timeout=20) as ok:
            return ok.status, json.load(ok)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)


def of(record: dict[str, Any], kind: str) -> dict[str, Any]:
    """The model's own name -> as it is displayed."""
    return {each["label"]: each["name"] for each in record[kind]}


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon whose names no test changes for long; the configuration fixes some."""
    folder = tmp_path_factory.mktemp("fixed")
    (folder / "config.toml").write_text('[names]\n"Pug" = "Rex"\n')
    state = {"XDG_STATE_HOME": str(folder), "VITCAM_NAMES_LANGUAGE": "fr"}
    with daemon("--source", "demo", "--config", str(folder / "config.toml"), **state) as running:
        running.wait_for("ok")
        yield running


def test_what_is_put_is_in_force_given_again_and_there_in_the_next_run(tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with daemon("--source", "demo", **state) as running:
        running.wait_for("ok")
        before = get_json(f"{running.url}/api/names")
        status, answer = put(running.url, NAMES)
        model = get_json(f"{running.url}/api/model")
        running.end(signal.SIGTERM)
    with daemon("--source", "demo", **state) as running:
        running.wait_for("ok")
        after = get_json(f"{running.url}/api/names")
        _, emptied = put(running.url, {"names": {}})

    assert (before["language"], before["names"], before["warning"]) == ("en", {}, "")
    assert of(before, "labels")["tabby cat"] == "tabby cat"
    assert (status, answer["remembered"], answer["reason"]) == (200, True, "")
    assert (answer["language"], answer["names"]) == ("de", NAMES["names"])
    assert {key: value for key, value in answer.items() if key not in ("remembered", "reason", "removed")} == after
    assert [of(after, "labels")[name] for name in ("tabby cat", "consommé", "pug")] == ["Mia", None, "Mops"]
    assert of(after, "groups")["dog"] == "Hund"
    assert {"Mia", "Mops"} <= set(model["labels"])
    assert not {"tabby cat", "consommé", "pug"} & set(model["labels"])
    assert "Hund" in [group["name"] for group in model["groups"]]
    assert (emptied["language"], emptied["names"]) == ("en", {})


def test_what_the_configuration_says_is_refused_with_its_place(unchanged: Daemon) -> None:
    found = get_json(f"{unchanged.url}/api/names")
    other_language, other_name = put(unchanged.url, {"language": "de"}), put(unchanged.url, {"names": {"carlin": "Bo"}})
    status, same = put(unchanged.url, {"language": found["language"], "names": found["names"]})

    assert (found["language"], found["fixed"]["language"]) == ("fr", "VITCAM_NAMES_LANGUAGE")
    assert list(found["fixed"]["names"]) == ["Pug"]
    assert found["fixed"]["names"]["Pug"].endswith("config.toml")
    assert other_language[0] == other_name[0] == 409
    assert "VITCAM_NAMES_LANGUAGE" in other_language[1]["error"]
    assert "config.toml" in other_name[1]["error"]
    assert status == 200
    assert of(same, "labels")["pug"] == "Rex"


def test_a_name_that_the_model_does_not_have_is_told_and_kept(unchanged: Daemon) -> None:
    status, answer = put(unchanged.url, {"names": {"tabby catt": "Mia"}})
    put(unchanged.url, {"names": {}})

    assert status == 200
    assert "'tabby catt' (near are 'tabby cat'" in answer["warning"]
    assert answer["names"]["tabby catt"] == "Mia"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{}",
        b'{"names": {"cat": 5}}',
        b'{"names": {"cat": "unknown"}}',
        b'{"language": "xx"}',
        b'{"tabby cat": "Mia"}',
        json.dumps({"names": {"cat": "x" * 101}}).encode(),
        json.dumps({"names": {f"label {i}": "x" for i in range(2001)}}).encode(),
        b"[" * 100_000,
    ],
)
def test_garbage_is_refused_in_one_sentence_and_changes_nothing(unchanged: Daemon, body: bytes) -> None:
    before = get_json(f"{unchanged.url}/api/names")
    status, answer = put(unchanged.url, body)

    assert status == 400
    assert len(answer["error"]) < 400
    assert get_json(f"{unchanged.url}/api/names") == before


@pytest.mark.fault(
    "a setting of the page is no such thing",
    injected="`settings.toml` with a name that is a number",
    observed="the daemon runs without that name and with all others; the log says so in one sentence",
)
def test_a_bad_name_of_an_earlier_run_costs_itself_and_does_not_stop_the_daemon(tmp_path: Path) -> None:
    (tmp_path / "vitcam").mkdir()
    (tmp_path / "vitcam" / "settings.toml").write_text('[names]\n"tabby cat" = 5\ndog = "Rex"\n')
    with daemon("--source", "demo", XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")
        names = get_json(f"{running.url}/api/names")["names"]
        said = running.errors()

    assert names == {"dog": "Rex"}
    assert said.count("1 names are left out; the first one: the name for 'tabby cat' is 5") == 1


def test_photos_on_the_command_line_are_called_as_on_the_page(tmp_path: Path) -> None:
    own = vitcam("classify", PHOTO, "--json", XDG_STATE_HOME=str(tmp_path)).lines[0]["top"][0]["label"]
    (tmp_path / "vitcam").mkdir()
    (tmp_path / "vitcam" / "settings.toml").write_text(f"[names]\n{json.dumps(own)} = 'Mia'\n'no such' = 'x'\n")
    found = vitcam("classify", PHOTO, "--json", XDG_STATE_HOME=str(tmp_path))

    assert found.lines[0]["top"][0]["label"] == "Mia"
    assert "'no such'" in found.err
