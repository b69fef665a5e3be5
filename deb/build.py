"""Makes Debian's packages: a virtual environment of pinned wheels in /usr/lib/vitcam, and what a service needs beside.

    python -m deb.build                                  for this processor, Debian 12 and 13, into dist/
    python -m deb.build --suite deb13 --machine arm64    one package, also for another processor

dpkg-deb alone makes them. debhelper would compile, strip and look for libraries with the tools of the processor that a
package is for; here nothing is compiled, and one machine makes all four packages.
"""

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Final

from typer._completion_shared import get_completion_script

from deb.lock import MACHINES, ROOT, SUITES, Suite, public_packages_only
from vitcam._version import __version__
from vitcam.service.origin import installable
from vitcam.service.places import UNIT_FILES
from vitcam.service.units import for_machine

HERE: Final = ROOT / "deb"
HOME: Final = "usr/lib/vitcam"
MAINTAINER: Final = "the vitcam founders <vitcam@localhost>"
COMPLETIONS: Final = {
    "bash": "usr/share/bash-completion/completions/vitcam",
    "zsh": "usr/share/zsh/vendor-completions/_vitcam",
    "fish": "usr/share/fish/vendor_completions.d/vitcam.fish",
}
NOT_NEEDED: Final = (
    "bin",
    "share",
    "*/tests",
    "ai_edge_litert/libLiteRtWebGpuAccelerator.so",
    "ai_edge_litert/tools",
    "ai_edge_litert/vendors",
    "tqdm/completion.sh",
    "vitcam-*/direct_url.json",
)
"""Below the folder of libraries: programs and pages of others, tests, and what runs models on other processors."""
DESCRIPTION: Final = """\
camera daemon that says what it sees and shows where it looked
 vitcam classifies each frame of a camera with a Vision Transformer, remembers
 what it saw, and acts on it. A page in the browser shows the live picture, the
 answer, and which parts of the picture led to it. Everything happens on the
 device.
 .
 The service starts at once and at every boot. It is open to this machine only
 until "sudo vitcam service install --lan" opens it to the network."""


def debian_version(suite: Suite, version: str = __version__) -> str:
    """Such as 0.3.0~deb13; what comes before a release is older than it for dpkg, too."""
    before = re.sub(r"[.]?(a|b|rc|dev)", r"~~\1", version)
    return f"{before}~{suite.name}"


def file_name(suite: Suite, machine: str) -> str:
    """Such as vitcam_0.3.0~deb13_arm64.deb."""
    return f"vitcam_{debian_version(suite)}_{machine}.deb"


def commit() -> str:
    """The commit of this checkout, with "-dirty" where a file has changed since; "unknown" where git knows none."""
    asked = ["git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def control(suite: Suite, machine: str, installed_kib: int) -> str:
    """The control file. installed_kib: what the files take on the disk, in KiB."""
    major, minor = suite.python.split(".")
    numpy = suite.numpy.rpartition(".")[0]
    depends = [
        f"python3 (>= {suite.python}~)",
        f"python3 (<< {major}.{int(minor) + 1}~)",
        f"python3-numpy (>= 1:{numpy})",
        f"libc6 (>= 2.{suite.glibc_minor})",
        "libgcc-s1",
        "libstdc++6",
        "zlib1g",
        "systemd | systemd-standalone-sysusers | systemd-sysusers",
    ]
    fields = {
        "Package": "vitcam",
        "Version": debian_version(suite),
        "Architecture": machine,
        "Maintainer": MAINTAINER,
        "Installed-Size": str(installed_kib),
        "Depends": ", ".join(depends),
        "Recommends": "python3-picamera2, avahi-daemon",
        "Suggests": "python3-gpiozero, python3-lgpio",
        "Section": "video",
        "Priority": "optional",
        "Description": DESCRIPTION,
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def unit(name: str) -> bytes:
    """The unit file of that name as the package has it; the package makes the group of the pins."""
    text = for_machine((ROOT / "systemd" / name).read_bytes(), pins=True).decode()
    _, head, rest = text.partition("[Unit]")
    rest = rest.replace("/opt/vitcam/bin/vitcam", f"/{HOME}/bin/vitcam")
    return f"# From the package vitcam. Put changes into `systemctl edit {name}`.\n\n{head}{rest}".encode()


def small_files(suite: Suite, since_epoch_s: int) -> Iterator[tuple[str, bytes]]:
    """Path and content of all that is neither a library nor a program."""
    changes = (
        f"vitcam ({debian_version(suite)}) stable; urgency=medium\n\n  * CHANGELOG.md.gz says what is different.\n"
        f"  * Commit {commit()}.\n\n"
        f" -- {MAINTAINER}  {formatdate(since_epoch_s)}\n"
    )
    documents = "usr/share/doc/vitcam"
    for name in UNIT_FILES:
        yield f"usr/lib/systemd/system/{name}", unit(name)
    for shell, path in COMPLETIONS.items():
        script = get_completion_script(prog_name="vitcam", complete_var="_VITCAM_COMPLETE", shell=shell)
        yield path, f"{script}\n".encode()
    yield "usr/lib/sysusers.d/vitcam.conf", (HERE / "vitcam.sysusers").read_bytes()
    yield "usr/share/man/man1/vitcam.1.gz", _packed((ROOT / "vitcam/cli/vitcam.1").read_bytes())
    yield "usr/share/lintian/overrides/vitcam", (HERE / "vitcam.lintian-overrides").read_bytes()
    yield f"{documents}/copyright", (HERE / "copyright").read_bytes()
    yield f"{documents}/changelog.gz", _packed(changes.encode())
    yield f"{documents}/CHANGELOG.md.gz", _packed((ROOT / "CHANGELOG.md").read_bytes())
    yield f"{documents}/examples/config.toml", (ROOT / "examples/config.toml").read_bytes()
    yield (
        f"{HOME}/pyvenv.cfg",
        (f"home = /usr/bin\ninclude-system-site-packages = true\nversion = {suite.python}\n".encode()),
    )
    yield (
        f"{HOME}/bin/vitcam",
        (f"#!/{HOME}/bin/python3\nimport sys\n\nfrom vitcam.cli import main\n\nsys.exit(main())\n".encode()),
    )


def build(suite: Suite, machine: str, out: Path, level: int) -> Path:
    """Make one package.

    level    of xz: 1 is fast, 9 is small
    returns  the file
    raises   CalledProcessError where pip or dpkg-deb fails
    """
    since_epoch_s = int((ROOT / "vitcam/_version.py").stat().st_mtime)
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work, "tree")
        site = tree / HOME / f"lib/python{suite.python}/site-packages"
        site.mkdir(parents=True)
        _install_libraries(site, suite, machine, Path(work))
        for path, content in small_files(suite, since_epoch_s):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(content)
        (tree / HOME / "bin/vitcam").chmod(0o755)
        (tree / HOME / "bin/python3").symlink_to("../../../bin/python3")
        (tree / "usr/bin").mkdir()
        (tree / "usr/bin/vitcam").symlink_to(f"../{HOME.removeprefix('usr/')}/bin/vitcam")
        _write_control(tree, suite, machine)
        out.mkdir(parents=True, exist_ok=True)
        package = out / file_name(suite, machine)
        packing = ["dpkg-deb", "--root-owner-group", "-Zxz", f"-z{level}", "--threads-max=1", "--build"]
        environ = os.environ | {"SOURCE_DATE_EPOCH": str(since_epoch_s)}
        subprocess.run([*packing, str(tree), str(package)], check=True, env=environ, stdout=subprocess.DEVNULL)
    return package


def _install_libraries(site: Path, suite: Suite, machine: str, work: Path) -> None:
    """All wheels of the lock, and vitcam's own, made of this checkout."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    source, wheels = work / "copy", work / "wheels"
    source.mkdir()
    own = installable(ROOT, source)
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(own)], check=True)
    (wheel,) = wheels.glob("vitcam-*.whl")
    into = [*pip, "install", "--no-deps", "--no-compile", "--target", str(site)]
    locked = ["--require-hashes", *suite.wheels(machine), "--requirement", str(suite.lock)]
    subprocess.run([*into, *locked], check=True, env=public_packages_only())
    for wanted in NOT_NEEDED[:2]:
        shutil.rmtree(site / wanted, ignore_errors=True)
    subprocess.run([*into, *suite.wheels(machine), str(wheel)], check=True)
    for pattern in NOT_NEEDED:
        for path in site.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for module in site.rglob("*.py"):
        if (content := module.read_bytes()).startswith(b"#!"):
            # it names an interpreter that Debian does not have, and nobody runs a library's file
            module.write_bytes(content.partition(b"\n")[2])


def _write_control(tree: Path, suite: Suite, machine: str) -> None:
    files = sorted(path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    for path in files:
        path.chmod(0o755 if path.parent == tree / HOME / "bin" else 0o644)
    kib = sum(-(-path.stat().st_size // 1024) for path in files)
    sums = [
        f"{hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()}  {path.relative_to(tree)}\n"
        for path in files
    ]
    shutil.copytree(HERE / "scripts", tree / "DEBIAN")
    (tree / "DEBIAN/md5sums").write_text("".join(sums), "utf-8")
    (tree / "DEBIAN/control").write_text(control(suite, machine, kib), "utf-8")


def _packed(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def main() -> None:
    """Make what was asked for."""
    here = subprocess.run(
        ["/usr/bin/dpkg", "--print-architecture"], check=True, capture_output=True, text=True
    ).stdout.strip()
    parser = argparse.ArgumentParser(description="Make Debian's packages of vitcam.")
    parser.add_argument("--suite", choices=SUITES, action="append", help="Default: all.")
    parser.add_argument("--machine", choices=MACHINES, action="append", help=f"Default: {here}.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="The folder of the packages.")
    parser.add_argument("--level", type=int, default=1, help="Of xz, 0 to 9; 9 is smaller and takes long.")
    chosen = parser.parse_args()
    for name in chosen.suite or SUITES:
        for machine in chosen.machine or [here]:
            made = build(SUITES[name], machine, chosen.out, chosen.level)
            print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
