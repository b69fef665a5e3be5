"""Every command that README and docs show is typed here as it stands there, or stands in a list with the reason."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.daemon import daemon
from tests.needs import need_program
from tests.unit.docs.pages import PAGES, ROOT, TAUGHT, Shown, console_lines, python_blocks, table_commands

pytestmark = pytest.mark.slow("README.md", "docs/use", "docs/program", "vitcam/cli")

NOT_RUN = {
    r"git (clone|pull)": "needs the network",
    r"git (tag|push) |\.venv/release/": "publishes a release: a person does it",
    r"sudo |systemctl |journalctl |hostname ": "needs root, or a service that runs; tests/pivm and tests/arm64 do it",
    r"make |source \.venv|\.venv/peers/": "is what started this test, or measures for long",
    r"pip install|wget ": "needs the network",
    r"\.venv/bin/ruff ": "changes the files of a contributor's checkout",
    r"rpicam-vid ": "needs a camera of a Raspberry Pi; the second half of the pipe is tested with ffmpeg",
    r"rpicam-hello |ssh ": "needs a Raspberry Pi",
    r"curl \S.* http://\S+/api/alerts/\w+/try": "needs an alert; tests/parts/alerts/integration tries one",
    r"TOKEN=\$TOKEN |ffprobe .* rtsp:": "needs a token and an RTSP server; tests/integration/web/clients runs it",
    r"vitcam run( --model \S+| --host 0\.0\.0\.0| --config \S+)?$": "needs a camera",
    r"vitcam password$": "asks on a terminal",
    r"pass show ": "needs a password manager",
    r"vitcam restore ": "wants the daemon to be ended first; tests/parts/backup/integration/test_backup.py runs it",
    r"vitcam actions test": "needs rules; tests/parts/alerts/integration/test_trials.py runs it",
    r"vitcam replay ": "wants an event or a video; tests/parts/replay/test_replay.py makes them",
    r"vitcam teach ": "needs photos; tests/parts/teach/integration/test_teach_command.py makes them",
    r"mosquitto_sub ": "needs a broker; tests/parts/mqtt/integration has one",
    r"vitcam service ": "needs the service; tests/pivm/service.sh installs it",
    r"(KERAS_BACKEND=\w+ )?vitcam-train ": "trains; tests/training/integration runs `draw` and those for your photos",
    r"(KERAS_BACKEND=\w+ )?python -m vitcam_training\.study": "trains or measures for long; its tests run small ones",
    r"pytest ": "belongs to these tests; tests/training/integration/test_taught.py looks for it",
    r"python docs/generate_notebook\.py": "tests/training/integration/test_notebook.py runs it",
}
ENDLESS = ("vitcam run --source demo", "curl -sN ")
"""They go on until somebody ends them."""
QUICKER = {
    "vitcam bench everyday --threads 1,2": " --threads 1",
    "vitcam bench --report": " --threads 1 --minutes 0.01",
}
"""What is put behind a command, so that it measures for a moment only."""
ALSO_RIGHT = {"vitcam doctor": 1}
"""An exit code beside 0: this machine may lack a camera."""
LENT = ("examples", "models", "systemd", "training", "vitcam")
_TIMEOUT_S = 120

RUN = [shown for page in PAGES for shown in console_lines(page)]
TABLED = [shown for shown in table_commands(TAUGHT) if shown.output or shown.line not in {run.line for run in RUN}]


def wanted(commands: list[Shown]) -> list[Shown]:
    return [shown for shown in commands if not any(re.match(pattern, shown.line) for pattern in NOT_RUN)]


@dataclass(frozen=True)
class Checkout:
    """A folder in which the commands find what they name, and write what they write."""

    root: Path
    daemon: str

    def start(self, line: str) -> "subprocess.Popen[str]":
        """A shell that runs the line with the program of this test, asking the daemon that runs."""
        for names in Path(os.environ["XDG_STATE_HOME"], "vitcam").glob("settings.toml*"):
            names.unlink()  # what an earlier command has set on the page
        environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "200"}
        environ |= {"CURL_HOME": str(self.root), "XDG_CONFIG_HOME": "/nonexistent"}
        command = line.replace("http://127.0.0.1:8420", self.daemon)
        return subprocess.Popen(
            ["bash", "-c", command],
            cwd=self.root,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


def finished(process: "subprocess.Popen[str]") -> tuple[str, str]:
    """What a command printed. One that does not end in time is ended with all that it has started."""
    try:
        return process.communicate(timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    for program in ("curl", "jq", "ffmpeg"):
        need_program(program)
    root = tmp_path_factory.mktemp("checkout")
    for name in LENT:
        (root / name).symlink_to(ROOT / name)
    photo = (ROOT / "models" / "golden" / "coffee.jpg").read_bytes()
    (root / "cup.jpg").write_bytes(photo)
    with ZipFile(root / "photos.zip", "w") as photos:
        photos.writestr("cup/1.jpg", photo)
    (root / ".curlrc").write_text("fail\n")  # a refusal of the daemon is a failure of the command
    with daemon("--source", "demo", "--loop") as served:
        served.wait_for("ok")
        yield Checkout(root, served.url)


@pytest.mark.parametrize("shown", wanted(RUN), ids=str)
def test_a_command_of_the_pages_runs_as_it_is_shown(shown: Shown, checkout: Checkout) -> None:
    process = checkout.start(shown.line + QUICKER.get(shown.line, ""))
    if shown.line.startswith(ENDLESS):
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip()
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=_TIMEOUT_S)
        return
    out, err = finished(process)

    assert process.returncode in (0, ALSO_RIGHT.get(shown.line, 0)), err + out
    if shown.output.startswith("wrote"):  # figures of speed are another every time
        assert out.strip() == shown.output


@pytest.mark.parametrize("shown", wanted(TABLED), ids=str)
def test_a_command_of_a_table_prints_what_stands_beside_it(shown: Shown, checkout: Checkout) -> None:
    process = checkout.start(shown.line + QUICKER.get(shown.line, ""))
    out, err = finished(process)

    assert process.returncode == 0, err + out
    missing = [part for part in shown.output.split(" … ") if part not in " ".join(out.split())]
    assert not missing, out


@pytest.mark.parametrize("number", [0, 1])
def test_the_python_of_the_page_about_it_prints_what_it_found(checkout: Checkout, number: int) -> None:
    (checkout.root / "shown.py").write_text(python_blocks(ROOT / "docs/program/python.md")[number])
    process = checkout.start("python -u shown.py")
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # the demo never ends
        _, err = process.communicate(timeout=_TIMEOUT_S)

    assert line.strip(), err


def test_every_reason_not_to_run_a_command_is_still_needed() -> None:
    assert not [pattern for pattern in NOT_RUN if not any(re.match(pattern, shown.line) for shown in RUN + TABLED)]
