"""Runs as root in the machine that `service.sh` starts: installs, upgrades and removes the service as a user does."""

import base64
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.eventually import eventually
from tests.pivm.report import Report

IO = Path("/io")
FIRST = Path("/root/first")
HOME = Path("/opt/vitcam")
VITCAM = "/usr/local/bin/vitcam"
CONFIG = Path("/etc/vitcam")
PASSWORD = Path("/var/lib/vitcam/password")
# libcamera's virtual cameras take their memory from udmabuf; a Pi's from dma_heap, as the units allow
HERE_ONLY = "[Service]\nDeviceAllow=/dev/udmabuf rw\nEnvironment=PIVM_FORMATS=1\n"
# all of it small: an emulated machine has little time for inferences, which must not look hung
SHARED = """# a comment that stays
[model]
name = "mnist"
threads = 1
fps = 1

[camera]
source = "picamera"
width = 320
height = 240
fps = 5
"""
OWN = '[camera]\nsource = "picamera:{index}"\n[web]\nhost = "127.0.0.1"\nport = {port}\n'


def run(*command: str, timeout_s: float = 900) -> tuple[int, str]:
    """Exit status, and all that was printed."""
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(IO / "wheels")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, env=os.environ | pip)
    print(f"     $ {' '.join(command)}\n{done.stdout}{done.stderr}", flush=True)
    return done.returncode, done.stdout + done.stderr


def prop(name: str, unit: str = "vitcam") -> str:
    shown = subprocess.run(
        ["systemctl", "show", unit, "--property", name, "--value"], capture_output=True, text=True, timeout=60
    )
    return shown.stdout.strip()


def answers(port: int, path: str, password: str = "") -> bool:
    login = base64.b64encode(f"vitcam:{password}".encode()).decode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers={"Authorization": f"Basic {login}"})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return bool(reply.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def wheel(folder: str) -> str:
    return str(next((IO / folder).glob("vitcam-*.whl")))


def prepare() -> None:
    """A machine with Debian's packages, and vitcam in some environment of the user's own."""
    # the machine's libraries lie in a venv; they stand for Debian's packages, which every Python of Debian's sees
    libraries = Path("/usr/lib/python3/dist-packages/machine.pth")
    libraries.write_text("import site; site.addsitedir('/opt/venv/lib/python3.13/site-packages')\n")
    run("python3", "-m", "venv", "--without-pip", "--system-site-packages", str(FIRST))
    run("/opt/venv/bin/pip", "--python", f"{FIRST}/bin/python", "install", "--quiet", "vitcam")
    CONFIG.mkdir()
    (CONFIG / "config.toml").write_text(SHARED)
    for unit in ("vitcam.service", "vitcam@.service"):
        drop_in = Path("/etc/systemd/system", f"{unit}.d", "test.conf")
        drop_in.parent.mkdir()
        drop_in.write_text(HERE_ONLY)


def installs_in_one_command(report: Report) -> str:
    began = time.monotonic()
    code, said = run(f"{FIRST}/bin/vitcam", "service", "install", "--lan")
    print(f"     took {time.monotonic() - began:.0f} s", flush=True)
    found = re.search(r"Password: (\S+)", said)
    password = found[1] if found else ""
    report.check("install ends with success", code == 0 and "vitcam.service is ready" in said, code)
    report.check("systemd says that it is ready", prop("ActiveState") == "active", prop("StatusText"))
    report.check("it prints address and password", "Address: http://" in said and bool(password))
    report.check("and the address as a QR code", sum(map(said.count, "█▀▄")) > 50)
    config = (CONFIG / "config.toml").read_text()
    report.check("the user's settings and comments stay", config.startswith(SHARED) and 'host = "0.0.0.0"' in config)
    report.check("it answers", eventually(lambda: answers(8420, "/healthz", password), 60))
    report.check("it answers to the password", answers(8420, "/api/state", password))
    report.check("and to no other one", not answers(8420, "/api/state", "a-wrong-password"))
    process = prop("MainPID")
    seen = Path(f"/proc/{process}/root{PASSWORD}").stat()
    report.check("the service's user owns the password's file", seen.st_uid == Path(f"/proc/{process}").stat().st_uid)
    report.check("nobody else may read it", seen.st_mode & 0o777 == 0o600, oct(seen.st_mode))
    code, said = run(f"{FIRST}/bin/vitcam", "service", "install", "--lan")
    report.check(
        "a second install changes nothing", code == 0 and prop("MainPID") == process and "Password" not in said
    )
    return password


def keeps_what_the_page_sets(report: Report, password: str) -> None:
    """A setting that the page changes is in force, and still after a restart."""
    status, _ = asks("PATCH", password, {"events.enter": 0.65})
    report.check("the page changes a setting", status == 200, status)
    process = prop("MainPID")
    run("systemctl", "restart", "vitcam")
    report.check("it starts again", prop("MainPID") != process and prop("ActiveState") == "active")
    report.check("it answers again", eventually(lambda: answers(8420, "/healthz", password), 60))
    _, record = asks("GET", password)
    rows = {row["name"]: row for row in record.get("settings", ())}
    report.check("the setting survives", rows.get("events.enter", {}).get("value") == 0.65, rows.get("events.enter"))


def asks(method: str, password: str, values: dict[str, float] | None = None) -> tuple[int, dict[str, Any]]:
    """Status and JSON of /api/settings."""
    login = base64.b64encode(f"vitcam:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}
    body = None if values is None else json.dumps(values).encode()
    request = urllib.request.Request("http://127.0.0.1:8420/api/settings", body, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return reply.status, json.load(reply)
    except urllib.error.HTTPError as refusal:
        return refusal.code, {}


def goes_back_from_a_broken_version(report: Report, password: str) -> None:
    before = HOME.readlink()
    began = time.monotonic()
    code, said = run(VITCAM, "service", "upgrade", wheel("broken"))
    print(f"     took {time.monotonic() - began:.0f} s", flush=True)
    report.check("an upgrade to a broken version fails", code == 1, code)
    wanted = "vitcam 99.0 did not become ready: version 99.0 fails on purpose"
    report.check("and says why in the version's own words", wanted in said)
    report.check("the old version is in place", HOME.readlink() == before, HOME.readlink())
    report.check("and ready again", prop("ActiveState") == "active" and answers(8420, "/healthz", password))
    report.check("with the password of before", answers(8420, "/api/state", password))
    report.check("nothing of the broken version is left", len(list(Path("/opt/vitcam-releases").glob("[0-9]*"))) == 1)
    _, said = run(VITCAM, "service", "status")
    report.check("status knows the last failure", "exit-code: version 99.0 fails on purpose" in said)
    _, said = run(VITCAM, "service", "logs", "--lines", "20")
    report.check("logs shows the journal", "systemd[1]: " in said)


def takes_a_version_that_works(report: Report, password: str) -> None:
    process = prop("MainPID")
    code, said = run(VITCAM, "service", "upgrade", wheel("wheels"))
    report.check("an upgrade to a good version works", code == 0 and "Ready: vitcam.service" in said, code)
    report.check("it is another process, and ready", prop("MainPID") != process and prop("ActiveState") == "active")
    report.check("the password stays", answers(8420, "/api/state", password))


def serves_two_cameras(report: Report) -> None:
    run("systemctl", "disable", "--now", "vitcam")
    cameras = {"front": (0, 8431), "back": (1, 8432)}
    for name, (index, port) in cameras.items():
        (CONFIG / f"{name}.toml").write_text(OWN.format(index=index, port=port))
        code, _ = run(VITCAM, "service", "install", "--instance", name)
        report.check(
            f"the camera {name} becomes ready", code == 0 and prop("ActiveState", f"vitcam@{name}") == "active"
        )
    for name, (_, port) in cameras.items():
        unit = f"vitcam@{name}"
        report.check(f"{name} classifies on its own port", eventually(lambda p=port: answers(p, "/readyz"), 200))  # type: ignore[misc]
        report.check(f"{name} has a state folder of its own", Path(f"/var/lib/vitcam-{name}").is_dir())
        eventually(lambda u=unit: " fps" in prop("StatusText", u), 30)  # type: ignore[misc]
        report.check(f"{name} has its own camera", " fps" in prop("StatusText", unit), prop("StatusText", unit))
    report.check("they are two processes", prop("MainPID", "vitcam@front") != prop("MainPID", "vitcam@back"))
    code, said = run(VITCAM, "service", "status")
    report.check("status shows both", code == 0 and said.count(": active (running)") == 2)
    for unit in ("vitcam.service", "vitcam@front.service"):
        _, judged = run("systemd-analyze", "security", "--no-pager", unit)
        score = float(re.findall(r"exposure level for \S+: ([\d.]+)", judged)[-1])
        report.check(f"systemd-analyze security of {unit} is at most 1.3", score <= 1.3, score)


def removes_itself(report: Report) -> None:
    code, _ = run(VITCAM, "service", "uninstall")
    report.check("uninstall ends with success", code == 0)
    gone = (
        Path("/opt/vitcam"),
        Path("/opt/vitcam-releases"),
        Path("/etc/systemd/system/vitcam@.service"),
        Path(VITCAM),
    )
    report.check("programs and units are gone", not any(path.exists() or path.is_symlink() for path in gone))
    report.check("nothing runs", prop("ActiveState", "vitcam@front") == "inactive")
    report.check("settings and passwords stay", (CONFIG / "front.toml").exists() and PASSWORD.exists())


def main() -> int:
    report = Report()
    prepare()
    try:
        password = installs_in_one_command(report)
        keeps_what_the_page_sets(report, password)
        goes_back_from_a_broken_version(report, password)
        takes_a_version_that_works(report, password)
        serves_two_cameras(report)
        removes_itself(report)
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        report.check("every part ran to its end", False, repr(error))
    if report.failed:
        run("journalctl", "--no-pager", "--lines=150", "-u", "vitcam", "-u", "vitcam@*")
    print(f"{report.failed} failed")
    return report.failed > 0


if __name__ == "__main__":
    sys.exit(main())
