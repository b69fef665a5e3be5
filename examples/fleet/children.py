"""Child processes that are started, started again where they end, and ended together."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 30.0
_GOOD_S = 60.0
_END_S = 10.0


@dataclass(frozen=True, slots=True)
class Command:
    """What is run."""

    name: str
    words: tuple[str, ...]
    log: Path
    """Gets what it says to people; emptied at each start of the fleet."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Beside that of this process."""


class Child:
    """One process. Its log says why it ended."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self._pause_s = _FIRST_PAUSE_S
        command.log.write_bytes(b"")
        self._start()

    def _start(self) -> None:
        with self.command.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*_ends_with_its_parent(), *self.command.words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # a camera's events are at the broker, and in its history
                stderr=log,
                env={**os.environ, **self.command.environment},
                start_new_session=True,  # Ctrl-C is for the fleet, which ends its children itself
            )
        self._started_s = time.monotonic()
        self._again_s: float | None = None

    def look_after(self) -> str:
        """Start it again where it has ended; returns a sentence for people where it has just ended, else nothing."""
        if self.process.poll() is None:
            return ""
        now_s = time.monotonic()
        if self._again_s is None:
            self._pause_s = _FIRST_PAUSE_S if now_s - self._started_s > _GOOD_S else self._pause_s
            self._again_s = now_s + self._pause_s
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
            return f"{self.command.name} ended with {self.process.returncode} and is started again: {self._last_word()}"
        if now_s >= self._again_s:
            self._start()
        return ""

    def _last_word(self) -> str:
        lines = self.command.log.read_bytes()[-4096:].decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"it said nothing; see {self.command.log}"


class Children:
    """All of them, by name."""

    def __init__(self) -> None:
        self._children: dict[str, Child] = {}

    def pid(self, name: str) -> int:
        """Of the process that runs, or ran last."""
        return self._children[name].process.pid

    def keep(self, commands: Iterable[Command]) -> list[str]:
        """Start what is new, end what is gone or different, start again what has ended; returns what happened."""
        wanted = {each.name: each for each in commands}
        gone = {name: each for name, each in self._children.items() if wanted.get(name) != each.command}
        _end(gone.values())
        said = [f"{name} was ended" for name in gone]
        for name in gone:
            del self._children[name]
        for name, command in wanted.items():
            if name in self._children:
                said.append(self._children[name].look_after())
            else:
                self._children[name] = Child(command)
                said.append(f"{name} was started")
        return [each for each in said if each]

    def hang_up(self, name: str) -> None:
        """Let one read its configuration again."""
        if name in self._children:
            self._children[name].process.send_signal(signal.SIGHUP)

    def end(self) -> None:
        """End all of them."""
        _end(self._children.values())
        self._children.clear()


def _end(children: Iterable[Child]) -> None:
    processes = [each.process for each in children]
    for process in processes:
        process.terminate()
    until_s = time.monotonic() + _END_S
    for process in processes:
        try:
            process.wait(max(0.1, until_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _ends_with_its_parent() -> list[str]:
    """So that a fleet that is killed leaves nothing behind: setpriv(1) of util-linux, which Debian always has."""
    return ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
