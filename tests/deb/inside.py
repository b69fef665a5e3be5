"""Runs as root in the machine that `machine.sh` boots: takes over a checkout's service, fails, goes back, is purged."""

import base64
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.pivm.report import Report

IO = Path("/io")
CONFIG = Path("/etc/vitcam/config.toml")
FIRST = "/root/first/bin/vitcam"
SETTINGS = '# a comment that stays\n[camera]\nsource = "demo"\n[model]\nthreads = 1\nfps = 2\n'


def run(*command: str, timeout_s: float = 600) -> tuple[int, str]:
    """Exit status, and all that was printed."""
    began = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s)
    said = done.stdout + done.stderr
    print(f"     $ {' '.join(command)}  ({time.monotonic() - began:.0f} s)\n{said[-4000:]}", flush=True)
    return done.returncode, said


def asked(path: str, password: str, change: dict[str, Any] | None = None) -> Any:
    """The JSON that the page's server answers with. Raises OSError."""
    login = base64.b64encode(f"vitcam:{password}".encode()).decode()
    request = urllib.request.Request(
        f"http://127.0.0.1:8420{path}",
        headers={"Authorization": f"Basic {login}", "Content-Type": "application/json"},
        data=json.dumps(change).encode() if change else None,
        method="PATCH" if change else "GET",
    )
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.load(reply)


def eventually(holds: Callable[[], bool], within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        try:
            if holds():
                return True
        except OSError:
            pass
        time.sleep(0.5)
    return False


def active() -> bool:
    return subprocess.run(["systemctl", "is-active", "--quiet", "vitcam"]).returncode == 0


def events(password: str) -> set[str]:
    return {event["id"] for event in asked("/api/events?limit=200", password)["events"]}


def kept(report: Report, when: str, password: str, before: set[str]) -> None:
    """What a person has is still there."""
    report.check(f"{when}: it answers to the password", eventually(lambda: bool(asked("/api/state", password)), 60))
    report.check(f"{when}: the history is there", before <= events(password), len(before), "events")
    setting = asked("/api/settings", password)
    report.check(f"{when}: what was set on the page is there", "0.65" in json.dumps(setting))
    report.check(f"{when}: the file of settings stays", CONFIG.read_text().startswith(SETTINGS))


def as_a_checkout_does(report: Report) -> tuple[str, set[str]]:
    """`vitcam service install --lan` from a wheel; the password, and the history."""
    run("python3", "-m", "venv", "--system-site-packages", "/root/first")
    run("/root/first/bin/pip", "install", "--quiet", "vitcam[mqtt,notify]")
    CONFIG.parent.mkdir()
    CONFIG.write_text(SETTINGS)
    code, said = run(FIRST, "service", "install", "--lan")
    found = re.search(r"Password: (\S+)", said)
    password = found[1] if found else ""
    report.check("a checkout installs its service", code == 0 and bool(password))
    report.check("the page changes a setting", bool(asked("/api/settings", password, {"events.enter": 0.65})))
    report.check("events come", eventually(lambda: len(events(password)) >= 2, 120))
    return password, events(password)


def package_takes_over(report: Report, password: str, before: set[str]) -> None:
    code, said = run("apt-get", "install", "--yes", "--no-install-recommends", "/io/vitcam.deb")
    report.check("the package installs", code == 0, code)
    report.check("it is ready", active() and "not ready" not in said)
    report.check("its own unit file is the one", "/usr/lib/systemd/" in run("systemctl", "cat", "vitcam")[1][:60])
    report.check("nothing is left in /opt", not [*Path("/opt").iterdir()])
    report.check("the command is the package's", Path(run("which", "vitcam")[1].strip()).resolve().parts[3] == "vitcam")
    kept(report, "taken over", password, before)
    report.check("dpkg --verify finds no change", run("dpkg", "--verify", "vitcam") == (0, ""))
    said = run("systemd-analyze", "security", "vitcam")[1]
    exposure = [float(found) for found in re.findall(r"exposure level for vitcam.service: ([0-9.]+)", said)]
    report.check("the unit's exposure is at most 1.3", bool(exposure) and exposure[0] <= 1.3, *exposure)
    for verb in ("install", "upgrade"):
        code, said = run(FIRST, "service", verb)
        report.check(f"a checkout's `service {verb}` is refused", code == 2 and said.count("\n") == 1)
    report.check("the package's own program shows the status", run("vitcam", "service", "status")[0] == 0)
    owner = run("stat", "--format=%U", "/var/lib/private/vitcam/password")[1].strip()
    report.check("the package's user owns what there is", owner == "vitcam", owner)


def bad_upgrade_and_back(report: Report, password: str, before: set[str]) -> None:
    code, said = run("apt-get", "install", "--yes", "--no-install-recommends", "/io/broken.deb")
    line = re.search(r"sudo (apt install --allow-downgrades \S+)", said)
    report.check("a version that fails says why", code == 0 and "fails on purpose" in said)
    report.check("and names the way back", line is not None)
    if line:
        code, _ = run(*line[1].split(), "--yes", "--no-install-recommends")
        report.check("the way back works", code == 0 and active())
        kept(report, "back", password, before)
        report.check("dpkg --verify finds no change again", run("dpkg", "--verify", "vitcam") == (0, ""))


def purged_and_again(report: Report, password: str, before: set[str]) -> None:
    code, _ = run("apt-get", "purge", "--yes", "vitcam")
    report.check("purge ends with success", code == 0)
    left = [path for path in ("/usr/lib/vitcam", "/usr/bin/vitcam", "/var/cache/vitcam") if Path(path).exists()]
    report.check("no program is left", not left and not active(), left)
    report.check("what people have is left", Path("/var/lib/vitcam/events.db").exists() and CONFIG.exists())
    code, _ = run("apt-get", "install", "--yes", "--no-install-recommends", "/io/vitcam.deb")
    report.check("it installs again, and is ready", code == 0 and active())
    kept(report, "installed again", password, before)


def takeover(report: Report) -> None:
    password, before = as_a_checkout_does(report)
    package_takes_over(report, password, before)
    bad_upgrade_and_back(report, password, before)
    purged_and_again(report, password, before)


def first_boot(report: Report) -> None:
    """cloud-init does all; the password is that of the file on the card."""
    run("cloud-init", "status", "--wait")
    print(Path("/var/log/cloud-init-output.log").read_text()[-3000:], flush=True)
    password = "nuthatch-and-wren"  # machine.sh writes it
    report.check("the service is ready", active())
    report.check("it answers to the password of the card", eventually(lambda: bool(asked("/api/state", password)), 60))
    report.check("and to no other one", not eventually(lambda: bool(asked("/api/state", "nuthatch-and-crow")), 2))
    report.check("the file with the password is gone", not Path("/boot/firmware/vitcam.txt").exists())
    above_login = Path("/etc/issue.d/vitcam.issue").read_text()
    report.check("the console says where to look", "http://birdhouse.local:8420" in above_login, above_login)
    report.check("the network can reach it", 'host = "0.0.0.0"' in CONFIG.read_text())


def main() -> int:
    report = Report()
    {"takeover": takeover, "first_boot": first_boot}[sys.argv[1]](report)
    if report.failed == 0:
        print("all that was checked holds", flush=True)
    return report.failed


if __name__ == "__main__":
    sys.exit(main())
