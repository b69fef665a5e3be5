"""vitcam in a root as `vitcam service install` puts it there, and a venv that the doctor's words mend."""

import json
import shutil
import subprocess
from pathlib import Path

from tests.arm64.root import Root
from tests.pivm.report import Report

PYTHON = "/opt/vitcam/bin/python"
NUMPY = f"{PYTHON} -c 'import numpy; print(numpy.__version__, numpy.__file__)'"
DEBIAN = "/usr/lib/python3/dist-packages"
STEPS = (
    "python3 -I -m venv --system-site-packages /opt/vitcam",
    f"{PYTHON} -I -m pip install --no-input --disable-pip-version-check /src",
    "ln -s /opt/vitcam/bin/vitcam /usr/local/bin/vitcam",
)
"""What `vitcam service install` does, but for the units: nothing runs systemd here."""


def install(root: Root, report: Report) -> bool:
    """Bring the committed tree and install it; whether that went well."""
    for old in ("src", "opt/vitcam"):
        shutil.rmtree(root.path / old, ignore_errors=True)
    (root.path / "usr/local/bin/vitcam").unlink(missing_ok=True)
    (root.path / "src").mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(root.path / "src")], input=archive, check=True)
    for step in STEPS:
        print(f"     {step}", flush=True)
        done = root.run(step)
        report.check(f"the step ends well: {step}", done.returncode == 0, done.stderr[-2000:])
        if done.returncode:
            return False
    keeps_numpy(root, report)
    return True


def keeps_numpy(root: Root, report: Report) -> None:
    """Whether Debian's NumPy is still the one that is imported."""
    said = root.run(NUMPY).stdout.strip()
    report.check("the venv keeps Debian's NumPy", DEBIAN in said, said)


def ask_doctor(root: Root) -> dict[str, dict[str, str]]:
    """The doctor's checks by their names."""
    said = root.run("vitcam doctor --json").stdout
    lines = [line for line in said.splitlines() if line.startswith("{")]
    return {check["name"]: check for check in json.loads(lines[0])["checks"]} if lines else {}


def doctor_is_content(root: Root, report: Report) -> None:
    found = ask_doctor(root)
    for name in ("python", "picamera2", "model", "runtime"):
        check = found.get(name, {})
        report.check(f"the doctor finds {name} as it should be", check.get("status") == "ok", check)


def doctor_mends(root: Root, report: Report) -> None:
    """Bring the packages that an older vitcam brought; then do what the doctor says, until it says nothing."""
    broken = root.run(f"{PYTHON} -m pip install --quiet 'numpy>=2' 'ml_dtypes>=0.6'")
    said = root.run(NUMPY).stdout.strip()
    report.check("a NumPy 2 in the venv hides Debian's", DEBIAN not in said, said, broken.stderr[-500:])
    for _ in range(2):
        found = ask_doctor(root)
        bad = [found[name] for name in ("python", "picamera2") if found.get(name, {}).get("status") != "ok"]
        if not bad:
            break
        print(f"     the doctor says: {bad[0]['found']}\n     and advises: {bad[0]['fix']}", flush=True)
        done = root.run(bad[0]["fix"])
        report.check("the doctor's advice can be followed", done.returncode == 0, done.stderr[-1000:])
    keeps_numpy(root, report)
    doctor_is_content(root, report)


def pictures_folder(root: Root, photos: list[Path]) -> None:
    """Put the photos into /photos of the root."""
    target = root.path / "photos"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for photo in photos:
        shutil.copy(photo, target)
