"""Debian for arm64 in a folder: made by mmdebstrap, unpacked and not configured, and entered through enter.sh."""

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.cortex_a76 import processor

ENTER = Path(__file__).with_name("enter.sh")
PACKAGES = (
    "base-files,base-passwd,bash,coreutils,grep,sed,procps,ca-certificates,libgomp1,libstdc++6,python3,python3-venv,"
    "python3-numpy,python3-pywt"
)
"""PyWavelets is compiled against Debian's NumPy, as simplejpeg and picamera2 are on a Raspberry Pi."""
CAMERA_LIBRARY = "usr/lib/python3/dist-packages/picamera2/__init__.py"
"""Debian has no picamera2; this stands in for it, as far as NumPy is concerned."""


@dataclass(frozen=True)
class Root:
    """A root file system for arm64."""

    path: Path

    def run(self, command: str, timeout_s: float = 3600) -> "subprocess.CompletedProcess[str]":
        """A shell command inside, in the folder /src; returns what it said and its exit status."""
        return subprocess.run(
            [str(ENTER), str(self.path), "bash", "-c", f"cd /src && {command}"],
            capture_output=True, text=True, timeout=timeout_s, check=False,
        )  # fmt: skip

    def start(self, command: str, log: Path) -> "subprocess.Popen[bytes]":
        """The same in the background; stdout and stderr go to `log`."""
        with log.open("wb") as written:
            return subprocess.Popen(
                [str(ENTER), str(self.path), "bash", "-c", f"cd /src && exec {command}"],
                stdout=written, stderr=subprocess.STDOUT,
            )  # fmt: skip


def make_root(suite: str, path: Path, packages: str = PACKAGES, hook: str = "true") -> Root:
    """The root of that suite, made where it is not there yet.

    hook    a program that gets the root once it is unpacked, while its packages are still in var/cache/apt/archives
    raises  CalledProcessError if that fails
    """
    if not (path / "complete").exists():
        shutil.rmtree(path, ignore_errors=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        options = "--mode=root --variant=extract --skip=check/qemu --architectures=arm64 --quiet"
        subprocess.run(
            ["mmdebstrap", *shlex.split(options), f"--include={packages}", f"--extract-hook={hook}", suite, str(path)],
            check=True,
        )
        _finish(path)
        (path / "complete").touch()
    return Root(path)


def _finish(path: Path) -> None:
    """What the packages' own scripts would have made, and the look of a Raspberry Pi 5."""
    for folder, target in (("lib", "usr/lib"), ("bin", "usr/bin"), ("sbin", "usr/sbin")):
        if not (path / folder).exists():
            (path / folder).symlink_to(target)
    if not (path / "bin/sh").exists():
        (path / "bin/sh").symlink_to("bash")
    (path / "usr/local/bin").mkdir(parents=True, exist_ok=True)
    libraries = path / "usr/lib/aarch64-linux-gnu"
    for name in ("blas", "lapack"):
        (libraries / f"lib{name}.so.3").symlink_to(f"{name}/lib{name}.so.3")
    files = {name: text for name, text in processor().items() if name != "proc/cpuinfo"}  # /proc is mounted over
    files |= {"pi/cpuinfo": processor()["proc/cpuinfo"], CAMERA_LIBRARY: "import pywt"}
    files |= {
        f"etc/{name}": (path / f"usr/share/base-passwd/{name}.master").read_text() for name in ("passwd", "group")
    }
    files |= {name: Path("/", name).read_text() for name in ("etc/resolv.conf", "etc/hosts")}
    files["etc/ssl/certs/ca-certificates.crt"] = Path("/etc/ssl/certs/ca-certificates.crt").read_text()
    for name, text in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        file.write_text(f"{text}\n")
