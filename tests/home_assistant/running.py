"""Starts the real Home Assistant of `core.py`, and asks it."""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from tests.daemon import free_port

_PYTHON = Path(__file__).parents[2] / ".venv" / "home-assistant" / "bin" / "python"
COMPONENTS = Path(__file__).parents[2] / "examples" / "home-assistant" / "custom_components"
_ANSWER_S = 600.0  # a start takes 10 s, and minutes on a machine that is busy
_CONFIGURATION = """
homeassistant:
  name: Test
http:
  server_host: 127.0.0.1
  server_port: {port}
logger:
  default: warning
automation: {automations}
"""


class HomeAssistant:
    """A running Home Assistant."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path, url: str) -> None:
        self.url = url
        self._process = process
        self._log = log
        self._answers: Queue[str] = Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def wait_until_up(self) -> str:
        """Its version."""
        return str(self._answer()["version"])

    def ask(self, command: str, **given: Any) -> Any:
        """The answer to a command of `core.py`. Raises AssertionError where it fails."""
        assert self._process.stdin is not None
        print(json.dumps({"do": command, **given}), file=self._process.stdin, flush=True)
        answer = self._answer()
        assert "error" not in answer, f"{answer}\n{self.log()}"
        return answer["answer"]

    def entities(self) -> dict[str, dict[str, Any]]:
        """Those that came over MQTT, by their unique id."""
        return {each["unique_id"]: each for each in self.ask("entities")}

    def end(self) -> None:
        """End it as its own page does, so that it keeps what it knows."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(_ANSWER_S)

    def log(self) -> str:
        """What it warned of."""
        return self._log.read_text()

    def _answer(self) -> dict[str, Any]:
        line = self._answers.get(timeout=_ANSWER_S)
        assert line, f"it ended\n{self.log()}"
        found: dict[str, Any] = json.loads(line)
        return found

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):  # a library may print, too
                self._answers.put(line)
        self._answers.put("")


def need_home_assistant() -> None:
    """Skip a test without it, also where all else must be there: it weighs 880 MB, and needs Python 3.13."""
    if not _PYTHON.exists():
        pytest.skip("Home Assistant is not installed; `make test-home-assistant` does it")


@contextmanager
def home_assistant(
    folder: Path, automations: list[dict[str, Any]] | None = None, more: str = ""
) -> Iterator[HomeAssistant]:
    """Start it with a configuration of its own, and `more` lines of it. It is ended at the end."""
    need_home_assistant()
    folder.mkdir(exist_ok=True)
    port = free_port()
    (folder / "configuration.yaml").write_text(
        _CONFIGURATION.format(port=port, automations=json.dumps(automations or [])) + more  # JSON is YAML, too
    )
    log = folder / "log"
    command = [str(_PYTHON), str(Path(__file__).with_name("core.py")), str(folder)]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        home = HomeAssistant(process, log, f"http://127.0.0.1:{port}")
        try:
            home.wait_until_up()
            yield home
        finally:
            process.kill()
            home.reader.join(10)
