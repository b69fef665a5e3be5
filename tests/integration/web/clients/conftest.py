"""One vitcam that asks for a password, as other programs meet it, and the lines that docs/use/clients.md shows."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.needs import missing
from tests.secured import PASSWORD, ask, bearer

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs/use/clients.md").read_text("utf-8")
SHOWN_ADDRESS = "camera.local:8420"
PATIENCE_S = 120


@dataclass(frozen=True)
class Camera:
    """A daemon, and what its owner gave to other programs."""

    daemon: Daemon
    token: str

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return urlsplit(self.daemon.url).netloc

    @property
    def environment(self) -> dict[str, str]:
        """What the lines of the page read. The password stands in addresses, too."""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "TOKEN": self.token, "PASSWORD": PASSWORD.replace(" ", "%20")}

    def here(self, text: str) -> str:
        """A text of the page, for this daemon."""
        return text.replace(SHOWN_ADDRESS, self.address)

    def run(self, program: str, folder: Path, more: str = "", **changed: str) -> str:
        """Type the page's line of this program, and `more` behind it; what it printed.

        raises  AssertionError if the program fails or does not end
        """
        line = next(line for line in lines() if line.split()[0] == program)
        if shutil.which(program) is None:
            missing(f"{program} is not there: apt install {packages()[program]}")
        command = self.here(line) + more
        child = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=self.environment | changed,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert child.returncode == 0, child.stderr[-2000:] + child.stdout[-2000:]
        return child.stdout

    def events(self) -> list[str]:
        """The ids of what was seen and has ended, the oldest first."""
        answer = ask(self.daemon.url, "/api/events?limit=200", headers=bearer(self.token))
        assert answer.status == 200
        return re.findall(r'"id": "(\w+)", "phase": "end"', answer.body.decode())[::-1]


def lines() -> list[str]:
    """The last cell of each row of the page's table."""
    return re.findall(r"^\|.*\| `([^`]+)` \|$", PAGE, re.MULTILINE)


def packages() -> dict[str, str]:
    """Program -> Debian's packages of it, as the page says."""
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \| `(\S+) .*` \|$", PAGE, re.MULTILINE)
    return {program: names.replace("`", "").replace(",", "") for names, program in rows}


def block(language: str, word: str) -> str:
    """The piece of code of the page that has this word in it."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return next(text for text in found if word in text)


@pytest.fixture(scope="package")
def camera(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Camera]:
    """The demo as a camera of the network: protected, at few predictions a second, for programs that look at it."""
    states = str(tmp_path_factory.mktemp("states"))
    environment = {**os.environ, "XDG_STATE_HOME": states, "XDG_CONFIG_HOME": "/nonexistent"}
    vitcam = [sys.executable, "-m", "vitcam"]
    subprocess.run([*vitcam, "password", "--stdin"], input=PASSWORD, text=True, env=environment, check=True, timeout=60)
    made = subprocess.run(
        [*vitcam, "token", "create", "recorder"],
        env=environment,
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    token = made.stdout.split()[0]
    options = ("--source", "demo", "--loop", "--host", "0.0.0.0", "--fps", "4")
    with daemon(*options, XDG_STATE_HOME=states) as running:
        ready = eventually(lambda: running.process.poll() is not None or _serves(running, token), every_s=0.2)
        assert ready, running.errors()
        assert running.process.poll() is None, running.errors()
        assert ask(running.url, "/snapshot.jpg").status == 401
        yield Camera(running, token)


def _serves(running: Daemon, token: str) -> bool:
    try:
        return ask(running.url, "/readyz", headers=bearer(token)).status == 200
    except OSError:
        return False
