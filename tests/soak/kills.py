"""SIGKILL at random moments, again and again: it starts every time, and what was acknowledged is there.

python -m tests.soak.kills [--times 100] [--seed 0]    exit status 1 at the first that does not hold

Meanwhile crops and words are changed over HTTP, and tokens and passwords are made by another process, which is killed,
too: most moments lie within a write.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.daemon import Daemon, daemon
from tests.soak.camera import FaultyCamera
from tests.worded import worded_model
from vitcam.access.password import load_password
from vitcam.access.tokens import load_tokens
from vitcam.model import bundle

_EARLY = 0.4
"""Share of kills that come while it starts."""
_START_S, _RUN_S = 1.0, 0.6  # a kill comes within this time after the start, or after it serves
_MAKES_TOKENS = """
import sys
from pathlib import Path
from vitcam.access.password import PasswordHash, _derived, save_password
from vitcam.access.tokens import Scope, create_token, load_tokens, revoke_token

folder, number = Path(sys.argv[1]), int(sys.argv[2])
while True:
    number += 1
    print("try", number, flush=True)
    if len(load_tokens(folder)) > 20:
        revoke_token(folder, load_tokens(folder)[0].name)
    create_token(folder, f"token {number}", Scope.READ)
    salt = bytes(16)  # a cheap hash: it is the writing that is tested
    save_password(folder, PasswordHash(salt, _derived(f"password {number}", salt, 2, 1, 1), 2, 1, 1))
    print("done", number, flush=True)
"""


@dataclass
class Value:
    """Something that is kept: what was acknowledged last, and what was sent after that without an answer."""

    acknowledged: str = ""
    sent: list[str] = field(default_factory=list)
    changes: int = 0

    def check(self, name: str, found: str) -> None:
        """Raises AssertionError if neither is there. What is there counts as acknowledged from now on."""
        if found not in (self.acknowledged, *self.sent):
            raise AssertionError(f"{name}: {found!r} is there, {self.acknowledged!r} was acknowledged last")
        self.acknowledged, self.sent = found, []


@dataclass
class Kept:
    """All of the state, as those know it who were told so."""

    folder: Path
    model: Path
    crop: Value = field(default_factory=Value)
    words: Value = field(default_factory=Value)
    made: Value = field(default_factory=lambda: Value("0"))
    """The number of the newest token."""
    password: Value = field(default_factory=lambda: Value("0"))

    def check(self) -> None:
        """Read everything back. Raises AssertionError, or the reader's own error if something is half-written."""
        crops = self.folder / "crops.json"
        kept = next(iter(json.loads(crops.read_text()).values())) if crops.exists() else ""
        self.crop.check("crop", ",".join(f"{float(side):g}" for side in kept.split(",") if side))
        described = bundle.read(self.model)
        self.words.check("words", ",".join(described.labels if described else ()))
        tokens, password = load_tokens(self.folder), load_password(self.folder)
        newest = tokens[-1].name.removeprefix("token ") if tokens else "0"
        self.made.check("newest token", newest)
        known = (self.password.acknowledged, *self.password.sent)
        fitting = [each for each in known if password is not None and password.fits(f"password {each}")]
        self.password.check("password", fitting[0] if fitting else "0")


class Changes:
    """Changes crop, words, tokens and passwords as fast as they are acknowledged, until `end`."""

    def __init__(self, running: Daemon, kept: Kept, number: int) -> None:
        self._url, self._kept, self._number = running.url, kept, 1000 * number
        self._ending = threading.Event()
        command = [sys.executable, "-c", _MAKES_TOKENS, str(kept.folder), kept.made.acknowledged]
        self._maker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._threads = [threading.Thread(target=each) for each in (self._crops, self._words, self._made)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Kill the maker; the others end with the daemon."""
        self._ending.set()
        self._maker.kill()
        self._maker.wait(30)
        for thread in self._threads:
            thread.join(30)

    def _crops(self) -> None:
        for number in range(self._number, self._number + 1000):
            x, y = number % 50 / 100, number // 50 % 50 / 100
            if not self._change(self._kept.crop, f"{x:g},{y:g},0.5,0.5", "crop", [x, y, 0.5, 0.5]):
                return

    def _words(self) -> None:
        for number in range(self._number, self._number + 1000):
            colours = ("a red", "a green", "a blue", "a white")[number % 4], ("a black", "a pink")[number // 4 % 2]
            words = [f"{colours[0]} thing", f"{colours[1]} circle"]
            if not self._change(self._kept.words, ",".join(words), "words", words):
                return

    def _change(self, value: Value, text: str, name: str, wanted: object) -> bool:
        """Whether it was acknowledged."""
        if self._ending.is_set():
            return False
        value.sent.append(text)
        try:
            body = json.dumps({name: wanted}).encode()
            with urlopen(Request(f"{self._url}/api/{name}", body), timeout=30) as answer:
                if json.load(answer)["remembered"]:
                    value.acknowledged, value.sent = text, []
                    value.changes += 1
        except (HTTPError, OSError, ValueError):
            return not self._ending.wait(0.05)  # it does not listen yet, or not any more
        return True

    def _made(self) -> None:
        assert self._maker.stdout is not None
        with self._maker.stdout as lines:
            for line in lines:
                word, _, number = line.strip().partition(" ")
                if word == "done":
                    self._kept.made.changes += 1
                for value in (self._kept.made, self._kept.password):
                    if word == "done":
                        value.acknowledged, value.sent = number, []
                    else:
                        value.sent.append(number)


def kill_often(times: int, seed: int = 0) -> dict[str, int]:
    """What was done and survived; raises AssertionError at the first state that is not whole."""
    chance, did = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name, FaultyCamera(size=(96, 96)) as camera:
        kept = Kept(Path(name, "state"), worded_model(Path(name)))
        described = bundle.read(kept.model)
        kept.words.acknowledged = ",".join(described.labels if described else ())
        options = ("--source", camera.url, "--model", str(kept.model), "--wait")
        for number in range(times):
            with daemon(*options, STATE_DIRECTORY=str(kept.folder)) as running:
                early = chance.random() < _EARLY
                if not early:
                    running.wait_for("ok")
                changes = Changes(running, kept, number)
                time.sleep(chance.uniform(0, _START_S if early else _RUN_S))
                running.process.kill()
                running.process.wait(30)
                changes.end()
                assert "Traceback" not in running.errors(), running.errors()
                assert "cannot be read" not in running.errors(), running.errors()
            kept.check()
            did["killed while it started" if early else "killed while it ran"] += 1
        with daemon(*options, STATE_DIRECTORY=str(kept.folder)) as running:
            crop = ",".join(f"{side:g}" for side in running.wait_for("ok")["view"]["crop"])
            assert crop == kept.crop.acknowledged, f"{crop} is in force, {kept.crop.acknowledged} was acknowledged"
        left = [path.name for path in kept.folder.iterdir()]
        did["left-over files"] = len(left) - len({"crops.json", "tokens.json", "password"}.intersection(left))
    acknowledged = {"crops": kept.crop, "words": kept.words, "tokens and passwords": kept.made}
    return dict(did) | {f"{name} acknowledged": value.changes for name, value in acknowledged.items()}


def main() -> None:
    """Print what was done."""
    options = argparse.ArgumentParser(prog="python -m tests.soak.kills")
    options.add_argument("--times", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    o = options.parse_args()
    for what, count in kill_often(o.times, o.seed).items():
        print(f"{count:6} {what}")


if __name__ == "__main__":
    main()
