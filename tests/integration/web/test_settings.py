"""`/api/settings`: settings that are changed on the page of a running daemon."""

import json
import signal
import socket
import threading
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from vitcam.daemon.saved_state.page_settings import PageSettings

FIXED = '# a comment\n[store]\n\nkeep_days = 9\n[zones.door]\nrect = "0,0,0.3333,1"\n'


def ask(url: str, body: object, method: str = "PATCH", path: str = "/api/settings") -> tuple[int, dict[str, Any]]:
    """The status and the answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + path, data, method=method), timeout=20) as ok:
            return ok.status, json.load(ok)
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code, json.load(refusal)


def row(record: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in record["settings"] if each["name"] == name)


def kept(folder: Path) -> Path:
    return folder / "vitcam" / "settings.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("settings")
    (folder / "config.toml").write_text(FIXED)
    return folder


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Daemon]:
    with start(folder, "--top-k", "4", "--crop", "0,0,0.5,1") as running:
        running.wait_for("ok")
        yield running


def start(folder: Path, *more: str) -> Any:
    return daemon("--source", "demo", "--config", str(folder / "config.toml"), *more, XDG_STATE_HOME=str(folder))


@pytest.mark.smoke
def test_a_setting_that_a_run_can_take_over_is_changed_kept_and_reset(running: Daemon, folder: Path) -> None:
    before = row(get_json(f"{running.url}/api/settings"), "overlay.opacity")
    status, answer = ask(running.url, {"overlay.opacity": 0.9, "events.enter": 0.6})
    stream = get_json(f"{running.url}/api/model")["stream"]
    written = tomllib.loads(kept(folder).read_text())
    _, back = ask(running.url, {"overlay.opacity": None, "events.enter": None})

    assert (before["value"], before["from"], before["live"]) == (0.5, "default", True)
    assert (status, answer["remembered"], answer["reason"]) == (200, True, "")
    assert {key: row(answer, "overlay.opacity")[key] for key in ("value", "from", "waits")} == {
        "value": 0.9,
        "from": "page",
        "waits": False,
    }
    assert "0.9" in json.dumps(stream)
    assert (written["overlay"]["opacity"], written["events"]["enter"]) == (0.9, 0.6)
    assert (row(back, "overlay.opacity")["value"], row(back, "overlay.opacity")["from"]) == (0.5, "default")
    assert "opacity" not in kept(folder).read_text()
    assert kept(folder).stat().st_mode & 0o777 == 0o600


def test_what_the_configuration_says_is_shown_with_its_line_and_refused(running: Daemon, folder: Path) -> None:
    record = get_json(f"{running.url}/api/settings")
    status, answer = ask(running.url, {"overlay.opacity": 0.2, "store.keep_days": 1})
    by_flag = ask(running.url, {"model.top_k": 3})

    assert row(record, "store.keep_days")["place"] == f"line 4 of {folder / 'config.toml'}"
    assert (row(record, "store.keep_days")["value"], row(record, "store.keep_days")["from"]) == (9, "configuration")
    assert (status, by_flag[0]) == (409, 409)
    assert f"line 4 of {folder / 'config.toml'}" in answer["error"]
    assert "command line" in by_flag[1]["error"]
    assert row(get_json(f"{running.url}/api/settings"), "overlay.opacity")["value"] == 0.5, "all of them or none"


def test_crop_and_zones_of_the_configuration_are_fixed_and_masks_are_not(running: Daemon, folder: Path) -> None:
    zones = get_json(f"{running.url}/api/zones")
    crop = ask(running.url, {"crop": [0, 0, 1, 0.5]}, "POST", "/api/crop")
    none = ask(running.url, {"zones": {}, "masks": []}, "PUT", "/api/zones")
    masked = ask(running.url, {"zones": zones["zones"], "masks": [[0, 0, 0.1, 0.1]]}, "PUT", "/api/zones")
    ask(running.url, {"zones": zones["zones"], "masks": []}, "PUT", "/api/zones")
    view = running.state()["view"]

    assert zones["fixed"] == {"zones": f"line 6 of {folder / 'config.toml'}", "masks": ""}
    assert (crop[0], view["crop"], view["fixed"]) == (409, [0, 0, 0.5, 1], "the command line")
    assert "command line" in crop[1]["error"]
    assert none[0] == 409
    assert "line 6" in none[1]["error"]
    assert (masked[0], masked[1]["masks"], masked[1]["zones"]) == (200, [[0, 0, 0.1, 0.1]], zones["zones"])


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"web.host": "0.0.0.0"}, ["web.host", "served"]),
        ({"on.command": ["rm"]}, ["on.command", "program"]),
        ({"web.certificate": "/etc/shadow"}, ["web.certificate"]),
        ({"actions.secret": "x"}, ["actions.secret", "key"]),
        ({"store.written_mb": 20}, ["store.written_mb", "not a setting any more", "store.max_mb"]),
        ({"store.keep_days": float("1e300")}, ["keep_days"]),
        ({"events.enter": 2}, ["events.enter", "0 to 1"]),
        ({"events.leave": 0.9}, ["events.leave", "enter"]),
        ({"camera.source": "v4l2:/dev/video0/../../etc/passwd"}, ["camera.source"]),
        ({"camera.source": "video:/etc/passwd"}, ["camera.source"]),
        ({"camera.source": "file:///etc/passwd"}, ["camera.source"]),
        ({"store.forget": ["no such label"]}, ["no such label"]),
        ({"overlay.mode": "rainbow"}, ["overlay.mode"]),
        ([], ["null"]),
    ],
)
def test_what_is_not_allowed_changes_nothing(running: Daemon, body: object, said: list[str]) -> None:
    before = get_json(f"{running.url}/api/settings")
    status, answer = ask(running.url, body)

    assert status in (400, 409)
    assert all(word in answer["error"] for word in said), answer
    assert get_json(f"{running.url}/api/settings") == before


def test_a_setting_that_needs_another_start_waits_for_it_and_is_in_force_then(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("")
    with start(tmp_path) as running:
        running.wait_for("ok")
        _, answer = ask(running.url, {"problems.enabled": False, "collect.max_mb": 7})
        refused = ask(running.url, {}, "POST", "/api/restart")
        running.end(signal.SIGTERM)
    shown = vitcam("config", "show", "--json", XDG_STATE_HOME=str(tmp_path))
    with start(tmp_path) as running:
        running.wait_for("ok")
        after = get_json(f"{running.url}/api/settings")

    assert answer["restart"] == {"needed": ["problems.enabled"], "possible": False}
    assert (row(answer, "problems.enabled")["value"], row(answer, "problems.enabled")["waits"]) == (False, True)
    assert refused[0] == 409
    assert after["restart"]["needed"] == []
    assert [row(after, name)["value"] for name in ("problems.enabled", "collect.max_mb")] == [False, 7]
    rows = {each["name"]: each for each in map(json.loads, shown.out.splitlines())}
    assert (rows["collect.max_mb"]["value"], rows["collect.max_mb"]["origin"]) == (7, str(kept(tmp_path)))


@pytest.mark.fault(
    "the settings of the page are hostile",
    injected="`settings.toml` with an address, a command, nonsense and thresholds that contradict each other",
    observed="what is not allowed is left out with a sentence each, the rest is in force",
)
def test_hostile_settings_are_left_out_and_the_daemon_starts(tmp_path: Path) -> None:
    kept(tmp_path).parent.mkdir()
    kept(tmp_path).write_text(
        '[web]\nhost = "0.0.0.0"\nport = 1\n[events]\nenter = 0.1\nleave = 0.9\n[camera]\nwidth = -5\nsource = "/etc"\n'
        '[overlay]\nopacity = 0.7\nmode = 2020-01-01\n[[on]]\ncommand = ["touch", "x"]\nlabel = "cat"\n'
    )
    (tmp_path / "config.toml").write_text("")
    with start(tmp_path) as running:
        running.wait_for("ok")
        record = get_json(f"{running.url}/api/settings")
        said = running.errors()

    assert row(record, "overlay.opacity")["value"] == 0.7
    assert [row(record, name)["value"] for name in ("events.enter", "events.leave", "camera.width")] == [0.5, 0.3, 1280]
    assert all(word in said for word in ("web.host", "web.port", "events.leave", "camera.width", "overlay.mode")), said


@pytest.mark.fault(
    "a start is refused with what was set on the page",
    injected="`settings.toml` with the address of a camera that is none",
    observed="vitcam starts without it; the state says so and offers it again",
)
def test_a_start_that_the_page_makes_impossible_is_made_without_it(tmp_path: Path) -> None:
    kept(tmp_path).parent.mkdir()
    kept(tmp_path).write_text('[camera]\nsource = "rtsp://["\n[store]\nkeep_days = 400\n')
    with daemon(XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("no_signal")
        aside = running.state()["set_aside"]
        record = get_json(f"{running.url}/api/settings")

    assert aside["what"] == ["settings"]
    assert "rtsp" in aside["reason"]
    assert [row(record, name)["value"] for name in ("camera.source", "store.keep_days")] == ["", 400]


def test_a_damaged_file_is_set_aside_and_the_daemon_starts(tmp_path: Path) -> None:
    content = b"[overlay\n" + b"a" * 2_000_000
    kept(tmp_path).parent.mkdir()
    kept(tmp_path).write_bytes(content)
    (tmp_path / "config.toml").write_text("")
    with start(tmp_path) as running:
        running.wait_for("degraded")
        status, _ = ask(running.url, {"overlay.opacity": 0.8})

    assert status == 200
    assert kept(tmp_path).with_name("settings.toml.damaged").read_bytes() == content
    assert tomllib.loads(kept(tmp_path).read_text())["overlay"] == {"opacity": 0.8}


def test_what_cannot_be_written_is_in_force_until_the_end_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("")
    with start(tmp_path) as running:
        running.wait_for("ok")
        kept(tmp_path).mkdir()  # no file can take its place, whoever writes it
        status, answer = ask(running.url, {"overlay.opacity": 0.8})

    assert (status, answer["remembered"]) == (200, False)
    assert str(kept(tmp_path)) in answer["reason"]


@pytest.mark.fault(
    "vitcam is killed while settings are changed, by several clients at once",
    injected="SIGKILL during `PATCH /api/settings` from four clients, and another process that chooses a model",
    observed="`settings.toml` holds every change that was answered",
)
def test_changes_of_several_clients_are_all_kept_and_a_kill_damages_nothing(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("")
    names = ("store.keep_days", "store.max_mb", "collect.max_mb", "clips.before_s")
    answered = dict.fromkeys(names, 0)

    def change(name: str, url: str) -> None:
        for value in range(1, 30):
            try:
                status, _ = ask(url, {name: value})
            except OSError:  # it was killed
                return
            if status == 200:
                answered[name] = value

    with start(tmp_path) as running:
        running.wait_for("ok")
        clients = [threading.Thread(target=change, args=(name, running.url)) for name in names]
        for client in clients:
            client.start()
        assert PageSettings(kept(tmp_path).parent).save_model("cifar10") == ""
        assert eventually(lambda: min(answered.values()) >= 2, 60)
        running.process.kill()
        for client in clients:
            client.join()
    page = PageSettings(kept(tmp_path).parent)

    assert tomllib.loads(kept(tmp_path).read_text())
    assert page.model == "cifar10"
    assert all(page.layer.values[name] in (answered[name], answered[name] + 1) for name in names)


def test_a_service_starts_itself_again_when_asked_to(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        with daemon(
            *("--source", "demo", "--config", str(tmp_path / "config.toml")),
            XDG_STATE_HOME=str(tmp_path),
            NOTIFY_SOCKET=str(tmp_path / "notify"),
        ) as running:
            running.wait_for("ok")
            possible = get_json(f"{running.url}/api/settings")["restart"]["possible"]
            status, _ = ask(running.url, {}, "POST", "/api/restart")

            assert (possible, status) == (True, 200)
            assert eventually(lambda: running.process.poll() == 75, 10), running.process.poll()
