"""Two clients that change the same document of a real daemon: neither loses what the other one did without a word."""

import json
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.secured import PASSWORD, basic, bearer, quick_hash
from tests.soak.camera import FaultyCamera
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token

MASK = [0.2, 0.2, 0.3, 0.3]
DOOR = {"rect": [0.5, 0.5, 0.4, 0.4]}


@dataclass(frozen=True)
class Answer:
    status: int
    etag: str
    body: dict[str, Any]


def ask(
    url: str, method: str = "GET", body: object = None, etag: str = "", headers: Mapping[str, str] | None = None
) -> Answer:
    """One request; etag: what it says in If-Match."""
    data = None if body is None else json.dumps(body).encode()
    sent = dict(headers or {}) | ({"If-Match": etag} if etag else {})
    request = urllib.request.Request(url, data, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return Answer(answer.status, answer.headers.get("ETag", ""), json.load(answer))
    except urllib.error.HTTPError as refusal:
        with refusal:
            return Answer(refusal.code, refusal.headers.get("ETag", ""), json.load(refusal))


def serves(running: Daemon) -> bool:
    try:
        return ask(f"{running.url}/healthz").status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def camera() -> Iterator[FaultyCamera]:
    with FaultyCamera(size=(96, 96)) as camera:
        yield camera


@pytest.fixture
def running(tmp_path: Path, camera: FaultyCamera) -> Iterator[Daemon]:
    with started(tmp_path, camera) as running:
        running.wait_for("ok")
        yield running


def started(folder: Path, camera: FaultyCamera, *options: str) -> Any:
    config = folder / "config.toml"
    config.touch()
    return daemon(
        *("--source", camera.url, "--model", "mnist", "--config", str(config), *options),
        STATE_DIRECTORY=str(folder / "state"),
    )


CHANGES: Mapping[str, tuple[str, list[Any]]] = {
    "zones": ("PUT", [{"zones": {}, "masks": [MASK]}, {"zones": {"door": DOOR}, "masks": []}]),
    "names": ("PUT", [{"names": {"cat": "Mia"}}, {"names": {"dog": "Rex"}}]),
    "settings": ("PATCH", [{"events.enter": 0.9}, {"events.gap_s": 7.0}]),
}
"""Document -> the method that changes it, and two changes."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_an_old_version_is_refused_with_what_is_there_and_who_changed_it(
    name: str, running: Daemon
) -> None:
    method, (first, second) = CHANGES[name]
    url = f"{running.url}/api/{name}"
    read = ask(url)
    one = ask(url, method, first, read.etag)
    late = ask(url, method, second, read.etag)
    present = ask(url)
    again = ask(url, method, second, late.etag)

    assert one.status == 200
    assert late.status == 412
    assert late.body["present"] == present.body
    assert late.etag == late.body["etag"] == one.etag == present.etag != read.etag
    assert (late.body["by"], late.body["token"]) == ("another browser", None)
    assert late.body["time"] in late.body["error"]
    assert (again.status, again.etag) == (200, ask(url).etag)


@pytest.mark.parametrize("name", CHANGES)
def test_without_a_version_a_change_is_taken_and_an_etag_is_that_of_the_value(name: str, running: Daemon) -> None:
    method, (first, second) = CHANGES[name]
    url = f"{running.url}/api/{name}"
    before = ask(url)
    etags = [ask(url, method, each).etag for each in (first, first, second)]
    any_version = ask(url, method, second, "*")
    proxied = ask(url, method, second, f'W/{any_version.etag[:-1]}-gzip"')
    unreadable = ask(url, method, second, "version 7")

    assert before.etag != etags[0] == etags[1] != etags[2]
    assert any_version.etag == etags[2]
    assert (any_version.status, proxied.status, unreadable.status) == (200, 200, 400)
    assert "If-Match" in unreadable.body["error"]


def test_a_program_that_replaces_all_zones_and_names_is_told_what_is_gone(running: Daemon) -> None:
    ask(f"{running.url}/api/zones", "PUT", {"zones": {"door": DOOR}, "masks": [MASK]})
    ask(f"{running.url}/api/names", "PUT", {"names": {"cat": "Mia", "dog": "Rex"}})
    zones = ask(f"{running.url}/api/zones", "PUT", {"zones": {"road": DOOR}, "masks": []})
    names = ask(f"{running.url}/api/names", "PUT", {"names": {"dog": "Rex"}})

    assert zones.body["removed"] == {"zones": ["door"], "masks": [MASK]}
    assert names.body["removed"] == {"cat": "Mia"}


def test_each_alert_has_a_version_of_its_own_and_all_have_one_together(running: Daemon) -> None:
    alerts = f"{running.url}/api/alerts"
    one, other = (
        ask(alerts, "POST", {"sound": True, "for_s": n, "webhook": f"https://home.example/{n}"}) for n in (1, 2)
    )
    url = f"{alerts}/{one.body['alert']['id']}"
    listed = ask(alerts)
    read = ask(url)
    secret = ask(url, "PATCH", {"webhook": "https://home.example/other"}, read.etag)
    late = [ask(url, "PATCH", {"for_s": 9}, read.etag), ask(url, "DELETE", etag=read.etag)]
    old_list = [ask(url, "PATCH", {"for_s": 9}, listed.etag), ask(alerts, "POST", {"sound": True}, listed.etag)]
    beside = ask(f"{alerts}/{other.body['alert']['id']}", "PATCH", {"for_s": 9}, other.etag)
    gone = ask(url, "DELETE", etag=secret.etag)

    assert read.etag == one.etag == one.body["alert"]["etag"]
    assert [each["etag"] for each in listed.body["alerts"]] == [one.etag, other.etag]
    assert (secret.status, secret.body["alert"]["webhook"]) == (200, read.body["webhook"])
    assert secret.etag != read.etag
    assert [each.status for each in (*late, *old_list)] == [412] * 4
    assert late[0].body["present"] == secret.body["alert"]
    assert (beside.status, gone.status, ask(url).status) == (200, 200, 404)
    assert ask(alerts).etag not in ("", listed.etag)


def test_versions_are_the_same_after_a_restart_and_it_is_known_who_changed_them(
    tmp_path: Path, camera: FaultyCamera
) -> None:
    (tmp_path / "state").mkdir()
    save_password(tmp_path / "state", quick_hash())
    kitchen = bearer(create_token(tmp_path / "state", "kitchen", Scope.CONTROL))
    with started(tmp_path, camera, "--host", "0.0.0.0") as running:
        assert eventually(lambda: serves(running), 60.0)
        old = {name: ask(f"{running.url}/api/{name}", headers=kitchen).etag for name in CHANGES}
        for name, (method, bodies) in CHANGES.items():
            assert ask(f"{running.url}/api/{name}", method, bodies[0], headers=kitchen).status == 200
        before = {name: ask(f"{running.url}/api/{name}", headers=kitchen).etag for name in CHANGES}
        running.process.kill()
        running.process.wait(30)
    with started(tmp_path, camera, "--host", "0.0.0.0") as running:
        assert eventually(lambda: serves(running), 60.0)
        after = {name: ask(f"{running.url}/api/{name}", headers=basic(PASSWORD)).etag for name in CHANGES}
        late = [
            ask(f"{running.url}/api/{name}", method, bodies[1], old[name], basic(PASSWORD))
            for name, (method, bodies) in CHANGES.items()
        ]

    assert after == before
    assert [answer.status for answer in late] == [412] * 3
    assert {(answer.body["by"], answer.body["token"]) for answer in late} == {("the token 'kitchen'", "kitchen")}


def test_a_reload_changes_exactly_the_versions_of_what_it_changes(tmp_path: Path, camera: FaultyCamera) -> None:
    names = [*CHANGES, "alerts"]
    with started(tmp_path, camera) as running:
        running.wait_for("ok")
        (tmp_path / "config.toml").write_text('[zones.door]\nrect = "0,0,0.5,1"\n')
        before = {name: ask(f"{running.url}/api/{name}").etag for name in names}
        running.process.send_signal(signal.SIGHUP)
        assert eventually(lambda: ask(f"{running.url}/api/zones").body["zones"])
        zones = {name: ask(f"{running.url}/api/{name}").etag for name in names}
        late = ask(f"{running.url}/api/zones", "PUT", {"zones": {}, "masks": [MASK]}, before["zones"])
        (tmp_path / "config.toml").write_text(
            '[zones.door]\nrect = "0,0,0.5,1"\n[names]\n"3" = "three"\n[events]\nenter = 0.95\n'
        )
        running.process.send_signal(signal.SIGHUP)
        assert eventually(lambda: ask(f"{running.url}/api/names").body["names"])
        both = {name: ask(f"{running.url}/api/{name}").etag for name in names}

    assert {name for name in names if before[name] != zones[name]} == {"zones"}
    assert {name for name in names if zones[name] != both[name]} == {"names", "settings"}
    assert (late.status, late.body["time"], late.body["by"]) == (412, None, "")


def test_of_many_who_change_one_version_at_once_exactly_one_is_let(running: Daemon) -> None:
    url = f"{running.url}/api/zones"
    read = ask(url)
    bodies = [{"zones": {f"zone{number}": DOOR}, "masks": []} for number in range(4)]
    with ThreadPoolExecutor(4) as clients:
        statuses = [each.status for each in clients.map(lambda body: ask(url, "PUT", body, read.etag), bodies)]

    assert sorted(statuses) == [200, 412, 412, 412]


def test_two_browsers_that_merge_what_they_are_told_lose_nothing(running: Daemon) -> None:
    """What a client does with a refusal: it makes its change of the present document."""
    url = f"{running.url}/api/zones"
    read = ask(url)
    mine = {"zones": read.body["zones"], "masks": [*read.body["masks"], MASK]}
    theirs = {"zones": {**read.body["zones"], "door": DOOR}, "masks": read.body["masks"]}
    ask(url, "PUT", mine, read.etag)
    late = ask(url, "PUT", theirs, read.etag)
    present = late.body["present"]
    ask(url, "PUT", {"zones": {**present["zones"], "door": DOOR}, "masks": present["masks"]}, late.etag)
    found = ask(url).body

    assert ([*found["zones"]], found["masks"]) == (["door"], [MASK])
