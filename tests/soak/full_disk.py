"""A disk that is really full at each thing that the page can save: what is said is what the next start shows.

python -m tests.soak.full_disk [--rounds 3]    needs root, for a small tmpfs; exit status 1 at the first lie

In each round everything is changed while the disk has a few free pages or none, the daemon is killed, and there is room
at the next start. Then everything is changed on a full disk that gets room while the daemon runs.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually
from tests.integration.faults.small_disk import fill, small_disk
from tests.soak.camera import FaultyCamera

PAGE_BYTES = 4096
MODELS = ("mnist", "cifar10")


@dataclass(frozen=True)
class Save:
    """Something that is kept for the next start. Its values are numbered."""

    what: str
    """Its name in `unsaved` of the state."""
    method: str
    path: str
    body: Callable[[int], object]
    read: Callable[[str], object]
    """What is in force, from the daemon at an address."""
    value: Callable[[int], object]
    """What is in force after a body was sent."""

    def change(self, url: str, number: int) -> dict[str, Any]:
        """The answer, which must be one."""
        status, answer = answer_to(f"{url}{self.path}", self.body(number), self.method)
        assert status == 200, f"{self.what}: {status} {answer}"
        assert answer["remembered"] == (answer["reason"] == ""), f"{self.what}: {answer}"
        return answer


def _setting(url: str) -> object:
    return next(row["value"] for row in get_json(f"{url}/api/settings")["settings"] if row["name"] == "events.gap_s")


def _areas(url: str) -> object:
    found = get_json(f"{url}/api/zones")
    return [*found["zones"]], found["masks"]


def saves(alert: str) -> tuple[Save, ...]:
    """All of them. alert: the id of one."""
    return (
        Save(
            "crop",
            "POST",
            "/api/crop",
            lambda n: {"crop": [0.0, 0.0, 0.5, 0.4 + n / 100]},
            lambda url: get_json(f"{url}/api/state")["view"]["crop"],
            lambda n: [0.0, 0.0, 0.5, 0.4 + n / 100],
        ),
        Save(
            "zones",
            "PUT",
            "/api/zones",
            lambda n: {"zones": {f"zone{n}": {"rect": [0, 0, 0.5, 0.5]}}, "masks": [[0.5, 0.5, 0.2, n / 100]]},
            _areas,
            lambda n: ([f"zone{n}"], [[0.5, 0.5, 0.2, n / 100]]),
        ),
        Save(
            "names",
            "PUT",
            "/api/names",
            lambda n: {"names": {"a thing": f"name {n}"}},
            lambda url: get_json(f"{url}/api/names")["names"],
            lambda n: {"a thing": f"name {n}"},
        ),
        Save("settings", "PATCH", "/api/settings", lambda n: {"events.gap_s": n + 1.0}, _setting, lambda n: n + 1.0),
        Save(
            "alerts",
            "PATCH",
            f"/api/alerts/{alert}",
            lambda n: {"for_s": float(n)},
            lambda url: get_json(f"{url}/api/alerts")["alerts"][0]["for_s"],
            float,
        ),
        Save(
            "model",
            "POST",
            "/api/model",
            lambda n: {"name": MODELS[n % 2]},
            lambda url: get_json(f"{url}/api/models")["name"],
            lambda n: MODELS[n % 2],
        ),
    )


def unsaved(running: Daemon) -> set[str]:
    """What the state says that a restart would undo."""
    return set(running.state()["unsaved"])


class FullDisk:
    """A daemon whose state lies on a small disk."""

    def __init__(self, disk: Path, camera: FaultyCamera) -> None:
        self._disk, self._state = disk, disk / "state"
        self._camera = camera
        self._number = 1
        self.did: Counter[str] = Counter()
        self._state.mkdir()
        (self._state / "settings.toml").write_text(f'[model]\nname = "{MODELS[1]}"\n')
        self.all: tuple[Save, ...] = ()

    def start(self) -> Any:
        """A run; a history would make room on the disk where a mask takes a picture away."""
        return daemon("--source", self._camera.url, "--set", "store.enabled=false", STATE_DIRECTORY=str(self._state))

    def round(self, pages: int) -> None:
        """pages: free on the disk at the first half. Raises AssertionError where something was not as it was said."""
        with self.start() as running:
            running.wait_for("ok")
            self._first_values(running)
            before, self._number = self._number, self._number + 1
            self._fill(pages)
            said = {each.what: each.change(running.url, self._number)["remembered"] for each in self.all}
            self._check_in_force(running)
            waiting = unsaved(running)
            running.process.kill()
            running.process.wait(30)
            assert "Traceback" not in running.errors(), running.errors()
        (self._disk / "filler").unlink()
        assert pages or not any(said.values()), said
        assert waiting <= {what for what, remembered in said.items() if not remembered}
        with self.start() as running:
            running.wait_for("ok")
            for each in self.all:
                found, new, old = each.read(running.url), each.value(self._number), each.value(before)
                allowed = [old] if each.what in waiting and not pages else [new, old] if each.what in waiting else [new]
                assert found in allowed, f"{each.what}: {found} after a restart, allowed is {allowed}"
                self.did["remembered" if found == new else "undone by the restart, as was said"] += 1
            self._room_comes(running)
        with self.start() as running:
            running.wait_for("ok")
            self._check_in_force(running)

    def _first_values(self, running: Daemon) -> None:
        """With room on the disk."""
        if not self.all:
            status, answer = answer_to(f"{running.url}/api/alerts", {"sound": True})
            assert status == 200, answer
            self.all = saves(answer["alert"]["id"])
        for each in self.all:
            answer = each.change(running.url, self._number)
            assert answer["remembered"], f"{each.what}: {answer['reason']}"

    def _room_comes(self, running: Daemon) -> None:
        """What was changed on a full disk is saved without anybody's doing once there is room."""
        self._number += 1
        self._fill(0)
        for each in self.all:
            answer = each.change(running.url, self._number)
            assert not answer["remembered"]
            assert "No space left" in answer["reason"], answer["reason"]
        self._check_in_force(running)
        assert unsaved(running) == {each.what for each in self.all}
        (self._disk / "filler").unlink()
        assert eventually(lambda: not unsaved(running), 30.0), running.state()["unsaved"]
        self.did["saved later by itself"] += len(self.all)
        running.process.kill()
        running.process.wait(30)

    def _check_in_force(self, running: Daemon) -> None:
        for each in self.all:
            found, wanted = each.read(running.url), each.value(self._number)
            assert found == wanted, f"{each.what}: {found} is in force, {wanted} was answered"

    def _fill(self, pages: int) -> None:
        fill(self._disk)
        with (self._disk / "filler").open("r+b") as filler:
            filler.truncate((self._disk / "filler").stat().st_size - pages * PAGE_BYTES)


def fill_at_each_save(rounds: int) -> dict[str, int]:
    """What was done; raises AssertionError at the first answer that did not hold."""
    with (
        tempfile.TemporaryDirectory() as name,
        small_disk(Path(name, "disk"), "4m") as disk,
        FaultyCamera(size=(96, 96)) as camera,
    ):
        full = FullDisk(disk, camera)
        for number in range(rounds):
            full.round(number % 4)
        return dict(full.did)


def main() -> None:
    """Print what was done."""
    options = argparse.ArgumentParser(prog="python -m tests.soak.full_disk")
    options.add_argument("--rounds", type=int, default=3)
    for what, count in fill_at_each_save(options.parse_args().rounds).items():
        print(f"{count:6} {what}")


if __name__ == "__main__":
    main()
