"""The state folder of older releases is used by this version, by an older one again, and by this one: nothing is lost.

python -m tests.soak.generations [--first REVISION ...]    exit status 1 if anything is lost

Each release runs as a daemon at a camera, and changes all that it knows over HTTP: zones, masks, a crop, names,
settings, alerts and tokens. The code of the others comes from the repository's own history.
"""

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from tests.daemon import answer_to, daemon, get_json
from tests.http_camera import MULTIPART, jpeg, keeps_sending, part, server

ROOT = Path(__file__).parents[2]
BETWEEN = "6969bc83"
FIRST = ("28b426d7^", "28b426d7", BETWEEN)
"""0.1.0, 0.2.0, and a version after it."""
NOW = "now"
_UNKNOWN_BEFORE = {("names", "language")}
"""What older versions do not read and keep all the same."""
Items = dict[tuple[str, ...], Any]


@dataclass
class Generations:
    """One state folder, and what must be in it."""

    room: Path
    camera: str
    kept: Items = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    compared: int = 0
    changes: int = 0

    def live(self, revision: str, code: str, number: int) -> None:
        """One release runs: what is there must be as it was; then it changes something of each kind."""
        environment = {"XDG_STATE_HOME": str(self.room), "PYTHONPATH": code}
        with daemon("--source", self.camera, "--model", "cifar10-scratch", **environment) as run:
            run.wait_for("ok")
            found = {**_read(run.url), **_tokens(environment)}
            for where, value in self.kept.items():
                if where not in found and (where[:1] not in {each[:1] for each in found} or where in _UNKNOWN_BEFORE):
                    if revision == NOW:
                        self.lost.append(f"{where} = {value!r} is not there")
                    continue  # this release does not know it
                self.compared += 1
                if found.get(where) != value:
                    self.lost.append(f"{revision}, run {number}: {where} was {value!r} and is {found.get(where)!r}")
            self._change(run.url, number, revision == NOW)
            _vitcam(environment, "token", "create", f"generation {number}")
            self.kept |= {**_read(run.url), **_tokens(environment)}
            code_, _ = run.end()
            if code_ != 0:
                self.lost.append(f"{revision}, run {number}: it ended with {code_}: {run.errors()[-600:]}")
            if "Traceback" in run.errors() or "is damaged" in run.errors():
                self.lost.append(f"{revision}, run {number}: {run.errors()[-600:]}")

    def _change(self, url: str, number: int, is_now: bool) -> None:
        zones = get_json(f"{url}/api/zones")
        zones["zones"][f"zone-{number}"] = {"rect": [0, 0, 0.5, 0.5]}
        body = {"zones": {name: _of_zone(zone) for name, zone in zones["zones"].items()}, "masks": zones["masks"]}
        body["masks"] = [*body["masks"], [0.9, 0.0, 0.1, number / 10 + 0.1]]
        names = {**self._of("names"), f"label {number}": f"name {number}", "language": "Sprache"}
        if not is_now:  # older versions would lose all settings by it
            del names["language"]
        for method, path, sent in (
            ("PUT", "zones", body),
            ("POST", "crop", {"crop": [0, 0, 1, 0.9 - number / 10]}),
            ("PUT", "names", {"names": names, "language": "de"}),
            ("PATCH", "settings", {"store.keep_days": 0, "overlay.opacity": 0.5 + number / 10}),
            ("POST", "alerts", {"sound": True, "for_s": number + 1}),
        ):
            try:
                status, answer = answer_to(f"{url}/api/{path}", sent, method)
            except (HTTPError, ValueError):  # this release has no such route, and says so as a page
                continue
            self.changes += status == 200
            if status not in (200, 201, 404, 405):
                self.lost.append(f"run {number}: {method} {path} was answered {status}: {answer}")

    def _of(self, kind: str) -> dict[str, Any]:
        return {where[1]: value for where, value in self.kept.items() if where[0] == kind}


def _of_zone(zone: dict[str, Any]) -> dict[str, Any]:
    return {key: zone[key] for key in ("rect", "labels") if zone.get(key)}


def _read(url: str) -> Items:
    """All that one release tells of its state folder."""
    zones = get_json(f"{url}/api/zones")
    found: Items = {("zones", name): tuple(zone["rect"]) for name, zone in zones["zones"].items()}
    found["masks",] = tuple(map(tuple, zones["masks"]))
    found["crop",] = get_json(f"{url}/api/state")["view"]["crop"]
    for path, items in (("names", _names), ("settings", _settings), ("alerts", _alerts)):
        try:
            found |= items(get_json(f"{url}/api/{path}"))
        except (HTTPError, ValueError):  # a release without it
            continue
    return found


def _names(record: dict[str, Any]) -> Items:
    return {("names", label): name for label, name in record["names"].items()} | {("language",): record["language"]}


def _settings(record: dict[str, Any]) -> Items:
    return {("settings", row["name"]): row["value"] for row in record["settings"] if row["from"] == "page"}


def _alerts(record: dict[str, Any]) -> Items:
    return {("alerts", each["id"]): each["for_s"] for each in record["alerts"]}


def _tokens(environment: dict[str, str]) -> Items:
    listed = _vitcam(environment, "token", "list")
    return {("tokens", f"generation {number}"): True for number in range(10) if f"generation {number}" in listed}


def _vitcam(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-P", "-m", "vitcam", *arguments]
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def _code_of(revision: str, room: Path) -> str:
    """Where the code of a revision is."""
    if revision == NOW:
        return str(ROOT)
    folder = room / revision.replace("^", "-before")
    if not folder.exists():
        archive = subprocess.run(
            ["git", "archive", revision, "vitcam", "models"], cwd=ROOT, capture_output=True, check=True
        )
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
    return str(folder)


def walks(first: tuple[str, ...]) -> Iterator[tuple[str, Generations]]:
    """Each first release with its walk."""
    picture = part(jpeg())
    with tempfile.TemporaryDirectory() as codes, server(keeps_sending([picture] * 10_000, 0.2, MULTIPART)) as port:
        for revision in first:
            with tempfile.TemporaryDirectory() as room:
                walk = Generations(Path(room), f"http://127.0.0.1:{port}/")
                for number, each in enumerate((revision, NOW, BETWEEN, NOW)):
                    walk.live(each, _code_of(each, Path(codes)), number)
                yield revision, walk


def main() -> int:
    """Print a line for each walk, and what was lost."""
    options = argparse.ArgumentParser(prog="python -m tests.soak.generations", description=__doc__)
    options.add_argument("--first", nargs="*", default=FIRST, help="The releases that made a state folder.")
    lost = 0
    for revision, walk in walks(tuple(options.parse_args().first)):
        print(f"{revision} -> now -> {BETWEEN} -> now: {walk.changes} changes, {walk.compared} values compared, "
              f"{len(walk.kept)} kept at the end, {len(walk.lost)} lost", flush=True)  # fmt: skip
        for each in walk.lost:
            print(f"  ! {each}", flush=True)
        lost += len(walk.lost)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
