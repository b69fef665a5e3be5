"""The parent's end of a peer's process. A peer that fails, hangs or crashes gives a reason and stops no other."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.bench.peers.catalogue import PEERS, Home
from tests.bench.peers.material import Material

ROOT = Path(__file__).parents[3]
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class PeerFailed(Exception):
    """A peer that has no figures; the message is the reason that its row gives."""


def python_of(home: Home) -> Path:
    """The interpreter of a virtual environment below `.venv/`. Raises PeerFailed if that was not made."""
    if home == "peers":
        return Path(sys.executable)
    python = ROOT / ".venv" / home / "bin" / "python"
    if not python.exists():
        raise PeerFailed(f"its environment .venv/{home} could not be made: tflite-runtime needs Python 3.11")
    return python


class PeerProcess:
    """`child.py` at work for one peer; what it prints beside its answers goes to a log in the folder."""

    def __init__(self, name: str, action: str, material: Material, model: Path, threads: int) -> None:
        home: Home = "peers" if action == "build" else PEERS[name].home
        command = [str(python_of(home)), "-m", "tests.bench.peers.child", action, name]
        settings = dict.fromkeys(THREAD_VARIABLES, str(threads)) if action == "serve" else {}
        self._log = material.folder / f"{name}.{action}.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [*command, str(material.folder), str(model), str(threads)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=ROOT, text=True,
                env=os.environ | settings,
            )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue(maxsize=16)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, timeout_s: float, **command: Any) -> dict[str, Any]:
        """Send a command, wait for its answer."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise PeerFailed(self._end()) from error
        return self.answer(timeout_s)

    def answer(self, timeout_s: float) -> dict[str, Any]:
        """The next thing that it says. Raises PeerFailed if that is an error, or nothing comes in time."""
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            self.close()
            raise PeerFailed(f"gave no answer within {timeout_s:.0f} s") from None
        if not line:
            raise PeerFailed(self._end())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            self.close()
            raise PeerFailed(answer["error"])
        return answer

    def close(self) -> None:
        """End the process, by force if it does not go."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # what was not sent yet goes nowhere now
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
        self._reader.join(10)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.wait(10)

    def _end(self) -> str:
        self.close()
        code = self._process.returncode
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        return f"its process {how}; see {self._log}"

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put("")  # the end
