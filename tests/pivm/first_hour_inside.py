"""Runs as root in the machine that `first_hour.sh` starts: types the page first-hour.md, as a user who is new to it."""

import re
import subprocess
import sys
from pathlib import Path

from tests.eventually import eventually
from tests.pivm.report import Report
from tests.pivm.service_inside import CONFIG, HERE_ONLY, IO, SHARED, answers, prop

PAGE = IO / "first-hour.md"
USER = "pi"
HOME = Path("/home", USER)
PIP = Path("/etc/pip.conf")
NOT_RUN = {
    r"ssh ": "is typed on another computer",
    r"sudo reboot": "would end this script",
    r"sudo vitcam password": "asks on a terminal",
    r"rpicam-hello |sudo apt install rpicam-apps-lite": "belongs to Raspberry Pi OS; Debian has no such package",
}
"""Commands of the page that cannot be run here -> why."""
QUICKER = {"vitcam bench --report": " mnist --threads 1 --minutes 0.01"}
"""What is put behind a command: an emulated machine measures nothing."""
ALSO_RIGHT = {"vitcam doctor": (1,)}
"""Exit codes beside 0: it finds faults of an emulated machine."""
_TIMEOUT_S = 3000


def blocks(page: str) -> list[str]:
    """The commands of the page's console blocks, in order."""
    found = re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for block in found for line in block.splitlines() if line.startswith("$ ")]


def inline(page: str) -> list[str]:
    """Commands that the page names in its text and tables, in order, and that no block has."""
    known = blocks(page)
    named = dict.fromkeys(re.findall(r"`((?:sudo|vitcam|make) [^`]+)`", page))
    return [line for line in named if line not in known]


def why_not(line: str) -> str:
    """Why a command cannot be run in the machine; empty: it can."""
    return next((why for pattern, why in NOT_RUN.items() if re.match(pattern, line)), "")


class Shell:
    """The user's shell, which stays in the folder of the clone once it is there."""

    def __init__(self, report: Report) -> None:
        self._report = report

    def type(self, line: str) -> str:
        """Run it as it stands on the page, answering questions with yes. What it printed."""
        if why := why_not(line):
            print(f"     $ {line}\n     not run: it {why}", flush=True)
            return ""
        code, said = self.run(line.replace("ADDRESS", f"file://{IO}/vitcam.git") + QUICKER.get(line, ""))
        self._report.check(f"`{line}` ends well", code in (0, *ALSO_RIGHT.get(line, ())), code)
        return said

    def run(self, line: str) -> tuple[int, str]:
        """Exit status, and all that it printed."""
        clone = HOME / "vitcam"
        typed = f"cd {clone if clone.exists() else HOME} && {line}"
        done = subprocess.run(
            ["su", "--login", USER, "--command", typed],
            input="y\n" * 5, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_TIMEOUT_S,
        )  # fmt: skip
        print(f"     $ {line}\n{done.stdout}", flush=True)
        return done.returncode, done.stdout


def prepare() -> None:
    """A Pi after its first boot: a user who may do everything with sudo; and a network, which is folders here."""
    Path("/etc/apt/sources.list").write_text(f"deb [trusted=yes] file:{IO}/debs ./\n")
    for command in ("apt-get -qq update", "apt-get -qq --yes install sudo", f"useradd --create-home {USER}"):
        subprocess.run(command.split(), check=True, timeout=_TIMEOUT_S)
    Path("/etc/sudoers.d/pi").write_text(f"{USER} ALL=(ALL) NOPASSWD: ALL\n")
    Path("/etc/gitconfig").write_text("[safe]\n\tdirectory = *\n")  # the repository is another user's
    CONFIG.mkdir()
    (CONFIG / "config.toml").write_text(SHARED)
    drop_in = Path("/etc/systemd/system/vitcam.service.d/test.conf")
    drop_in.parent.mkdir()
    drop_in.write_text(HERE_ONLY)


def network(wheels: str) -> None:
    """Say where pip finds what it would fetch."""
    PIP.write_text(f"[global]\nno-index = true\nfind-links = {IO}/{wheels}\n")


def walk(report: Report, page: str) -> None:
    """The whole page, in its order; what its text names comes before the measuring at its end."""
    shell = Shell(report)
    *before, measuring = blocks(page)
    for line in before:
        if line == "make .venv":
            network("nothing")
            code, _ = shell.run(line)
            report.check("without a network `make .venv` fails", code != 0, code)
            network("wheels")
        said = shell.type(line)
        if "service install" in line:
            check_service(report, said, lan="--lan" in line)
    for line in inline(page):
        shell.type(line)
    said = shell.type(measuring)
    report.check("the measuring kit names the machine's system", "Debian" in said)


def check_service(report: Report, said: str, lan: bool) -> None:
    """What the page promises of the last command."""
    report.check("it prints an address, and that it is ready", "Address: http://" in said and "is ready" in said)
    report.check("systemd says that it runs", prop("ActiveState") == "active", prop("StatusText"))
    report.check("and will at boot", prop("UnitFileState") == "enabled", prop("UnitFileState"))
    password = re.search(r"Password: (\S+)", said)
    report.check("a password is printed if the network may watch, and else none", bool(password) == lan)
    secret = password[1] if password else ""
    report.check("the page is there", eventually(lambda: answers(8420, "/", secret), 120))
    report.check("it classifies the camera's frames", eventually(lambda: answers(8420, "/readyz", secret), 240))
    if lan:
        report.check("nobody watches without the password", not answers(8420, "/", "a-wrong-password"))


def main() -> int:
    report = Report()
    prepare()
    try:
        walk(report, PAGE.read_text("utf-8"))
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        report.check("every part ran to its end", False, repr(error))
    if report.failed:
        subprocess.run(["journalctl", "--no-pager", "--lines=100", "-u", "vitcam"], timeout=60)
    print(f"{report.failed} failed")
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
