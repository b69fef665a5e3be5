"""SIGTERM, SIGINT and SIGKILL at any step of what saves: all of it is as it was, or all of it is new.

python -m tests.soak.step_kills [--times 25] [--seed 0]    of each kind; exit status 1 at the first that does not hold

A step is one change of the disk. Killed are restores, backups, teachings and changes of the tokens; what comes next,
another command or a start of the daemon, has to find all in order, and to leave nothing of it.
"""

import argparse
import random
import signal
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.backups import archive, in_place, machine, manifest
from tests.command import vitcam
from tests.daemon import daemon
from tests.parts.teach.taught import drawn
from tests.stepped import stepped
from vitcam.access.tokens import load_tokens
from vitcam.folders import RESTORING
from vitcam.model import bundle

OLD = {
    "config/config.toml": b"[web]\nport = 8421\n",
    "data/notes/old": b"old",
    "state/crops.json": b"{}",
    "state/datasets/desk/lock/1.jpg": b"old",
    "state/names.json": b"{}",
}
NEW = {
    "config/config.toml": b'[camera]\ncrop = "0,0,0.5,0.5"\n',
    "data/notes/new": b"new",
    "state/crops.json": b'{"demo": "0,0,0.2,0.2"}',
    "state/datasets/desk/lock/2.jpg": b"new",
}
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
_STARTED_EVERY = 5


class Kills:
    """Kills one command after the other, each in a folder of its own.

    folder  an empty one
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._chance = folder, random.Random(seed)
        self._steps: dict[str, int] = {}
        self.did = Counter[str]()

    def run(self, times: int) -> Counter[str]:
        """Kill each kind of command so often. Raises AssertionError at the first that does not hold."""
        kinds: tuple[Callable[[Path, int], None], ...] = (self._restore, self._backup, self._token, self._teach)
        for kind in kinds:
            for number in range(times):
                kind(self._folder / f"{kind.__name__} {number}", number)
        return self.did

    def _killed(self, kind: str, folder: Path, *arguments: str, **environment: str) -> signal.Signals:
        """Kill a command at a random step in a folder. Raises AssertionError for one that fails."""
        number = self._chance.choice(_SIGNALS)
        if kind not in self._steps:  # the first one comes to its end, and tells how many steps there are
            ended = stepped(folder, 0, number, *arguments, **environment)
            self._steps[kind] = ended.steps
        else:
            ended = stepped(folder, self._chance.randint(1, self._steps[kind]), number, *arguments, **environment)
            self.did[f"{kind} {number.name}"] += 1
        assert ended.code in (0, 130, -number), ended.err
        assert "Traceback" not in ended.err, ended.err
        return number

    def _restore(self, root: Path, turn: int) -> None:
        there, file = machine(root, OLD), archive(self._folder / f"{turn}.tar", manifest(NEW), NEW)
        self._killed("restore", root, "restore", str(file), *there.options)
        if turn % _STARTED_EVERY:
            followed = there.backup(self._folder / f"after {turn}.tar")
            assert followed.code == 0, followed.err
            files, kept = in_place(there.files())
        else:
            files, kept = in_place(self._started(root, there.files))
        assert files in (OLD, NEW), f"{root} is torn"
        assert kept == (OLD if files == NEW else {}), f"{root} has lost what was there"
        assert not (left := [*root.rglob(RESTORING)]), f"{left} is left"
        self.did["restores that came to their end" if files == NEW else "restores that changed nothing"] += 1

    def _started(self, root: Path, files: Callable[[], dict[str, bytes]]) -> dict[str, bytes]:
        """The files of a machine once a daemon has started there, without those that it has made itself."""
        home = {"STATE_DIRECTORY": str(root / "state")}
        for variable, name in (("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data")):
            link = root / ".home" / name / "vitcam"
            link.parent.mkdir(parents=True)
            link.symlink_to(root / name)
            home[variable] = str(link.parent)
        before = files().keys() | NEW.keys()
        with daemon("--source", "demo", "--model", "mnist", "--set", "store.enabled=false", **home) as running:
            running.wait_for("ok")
        self.did["starts of a daemon afterwards"] += 1
        return {name: data for name, data in files().items() if name in before or "/before-restore-" in name}

    def _backup(self, root: Path, turn: int) -> None:
        there, out = machine(root / "machine", OLD), root / "out"
        out.mkdir()
        number = self._killed("backup", out, "backup", str(out / "b.tar"), *there.options)
        left = {path.name for path in out.iterdir()} - {"b.tar"}
        assert not left or number == signal.SIGKILL, f"{number.name} has left {left}"
        if (out / "b.tar").exists():
            target = machine(root / "target", {})
            restored = target.restore(out / "b.tar")
            assert (restored.code, target.files()) == (0, OLD), restored.err
            (out / "b.tar").unlink()
        assert there.backup(out / "next.tar").code == 0
        assert [path.name for path in out.iterdir()] == ["next.tar"], "the next backup has left something"
        self.did["backups that the next one found in order"] += 1

    def _token(self, root: Path, turn: int) -> None:
        root.mkdir()
        home: Any = {"STATE_DIRECTORY": str(root)}
        assert vitcam("token", "create", "first", **home).code == 0
        self._killed("token", root, "token", "create", "second", **home)
        names = [each.name for each in load_tokens(root)]
        assert names in (["first"], ["first", "second"]), names
        assert vitcam("token", "create", "third", **home).code == 0
        assert [each.name for each in load_tokens(root)] == [*names, "third"]
        assert not list(root.glob(".*")), "a token has left something"
        self.did["tokens that were all there"] += 1

    def _teach(self, root: Path, turn: int) -> None:
        models = self._folder / "data" / "vitcam" / "models"
        photos = self._folder / "photos"
        if not photos.exists():
            drawn(photos, photos=2)
        before = self._taught(models)
        self._killed("teach", models, "teach", str(photos), "-o", "shapes", XDG_DATA_HOME=str(self._folder / "data"))
        assert not before or self._taught(models), "the model that was there is gone"
        taught = vitcam("teach", str(photos), "-o", "shapes", XDG_DATA_HOME=str(self._folder / "data"))
        assert taught.code == 0, taught.err
        assert [path.name for path in models.iterdir()] == ["shapes.tflite"], "a teaching has left something"
        self.did["models that were whole"] += bool(self._taught(models))

    def _taught(self, models: Path) -> bool:
        """Whether there is a model. It must be whole, so that it can be read."""
        path = models / "shapes.tflite"
        return path.exists() and bundle.read(path) is not None


def main() -> None:
    """Print what was done."""
    options = argparse.ArgumentParser(prog="python -m tests.soak.step_kills")
    options.add_argument("--times", type=int, default=25)
    options.add_argument("--seed", type=int, default=0)
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for what, count in sorted(Kills(Path(name), o.seed).run(o.times).items()):
            print(f"{count:6} {what}")


if __name__ == "__main__":
    main()
