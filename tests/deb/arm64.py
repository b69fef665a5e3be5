"""The Debian package on arm64: apt installs it in a root of its Debian, its user runs the demo, and it is purged.

What the emulated root cannot show: systemd, and with it the unit and the start at once.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.arm64.daemon import end
from tests.arm64.root import Root, make_root
from tests.daemon import free_port
from tests.packaged import service_manager
from tests.pivm.report import Report

SUITES = {"~deb12_": "bookworm", "~deb13_": "trixie"}
PACKAGES = (
    "apt,base-files,base-passwd,bash,coreutils,diffutils,dpkg,findutils,grep,init-system-helpers,libc-bin,libgcc-s1,"
    "libstdc++6,perl-base,procps,python3,python3-numpy,sed,systemd-standalone-sysusers,tar,util-linux,zlib1g"
)
AS_INSTALLED = Path(__file__).with_name("as_installed.sh").resolve()
INSTALL = "apt-get --option APT::Sandbox::User=root --yes --no-install-recommends"
"""Nobody has configured the root: it has no user for apt."""
SLOW_S = 1800


def said(root: Root, command: str, report: Report, name: str) -> str:
    """What a command inside says; it has to end well. Prints how long the emulator took."""
    began = time.monotonic()
    done = root.run(command)
    text = done.stdout + done.stderr
    report.check(name, done.returncode == 0, f"{time.monotonic() - began:.0f} s", "" if not done.returncode else text)
    return text


def ready(root: Root, report: Report) -> None:
    """Run the demo as the package's user until it says READY, and end it."""
    said(root, "install --directory --owner=vitcam --group=vitcam /var/lib/vitcam", report, "the package made its user")
    port, log, began = free_port(), Path(f"{root.path}-daemon.log"), time.monotonic()
    user = "setpriv --reuid=vitcam --regid=vitcam --init-groups"
    environ = "env HOME=/var/lib/vitcam NOTIFY_SOCKET=/run/notify STATE_DIRECTORY=/var/lib/vitcam"
    with service_manager(root.path / "run") as (address, heard):
        Path(address).chmod(0o777)
        running = root.start(
            f"{user} {environ} vitcam run --source demo --loop --port {port} --set model.threads=1", log
        )
        try:
            is_ready = False
            while not is_ready and running.poll() is None and time.monotonic() - began < SLOW_S:
                try:
                    is_ready = "READY=1" in heard().splitlines()
                except TimeoutError:
                    continue
            report.check(
                "the demo is ready", is_ready, f"{time.monotonic() - began:.0f} s", "" if is_ready else log.read_text()
            )
            if is_ready:
                end(running, port, report)
        finally:
            running.kill()
            running.wait()
            Path(address).unlink()
    report.check("the daemon wrote no traceback", "Traceback" not in log.read_text())


def examine(package: Path, root: Root, report: Report) -> None:
    """Install, run, verify, purge."""
    (root.path / "src").mkdir(exist_ok=True)
    shutil.copy(package, root.path / "src/vitcam.deb")
    said(root, f"{INSTALL} install ./vitcam.deb", report, "apt installs the package")
    version = said(root, "vitcam --version", report, "the program starts")
    print(f"     {version.strip()}", flush=True)
    ready(root, report)
    changed = said(root, "dpkg --verify vitcam", report, "dpkg --verify ends well")
    report.check("dpkg --verify finds no change", not changed.strip(), changed)
    said(root, f"{INSTALL} purge vitcam", report, "apt purges it")
    left = [name for name in ("usr/lib/vitcam", "usr/bin/vitcam") if (root.path / name).exists()]
    report.check(
        "no program is left, and what people have is", not left and (root.path / "var/lib/vitcam").exists(), left
    )


def main() -> int:
    """Exit status: 1 if something did not hold."""
    report = Report()
    folder = Path(os.environ.get("ARM64_DIR", "build/arm64-deb")).resolve()
    for package in map(Path, sys.argv[1:]):
        print(f"-- {package.name}, {package.stat().st_size / 1e6:.0f} MB", flush=True)
        suite = next(suite for mark, suite in SUITES.items() if mark in package.name)
        try:
            examine(package, make_root(suite, folder / suite, PACKAGES, str(AS_INSTALLED)), report)
        except (OSError, subprocess.SubprocessError) as error:
            report.check(f"{package.name} was examined to its end", False, repr(error))
    print(f"{report.failed} failed", flush=True)
    return int(report.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
