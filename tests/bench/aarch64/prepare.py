"""Makes, once, what the guest needs: Debian for arm64, a Pi's /proc and /sys, wheels, plugin, ExecuTorch's runner."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.bench.aarch64.emulate import Guest
from tests.cortex_a76 import processor
from vitcam.errors import UsageError, VitcamError

HERE = Path(__file__).parent
PROGRAMS = {
    "qemu-aarch64": "qemu-user", "mmdebstrap": "mmdebstrap", "gcc": "gcc",
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
}  # fmt: skip
"""Each with Debian's package that has it."""
SUITE, PYTHON = "trixie", "3.13"
DEBIAN = "python3,ca-certificates,libgomp1,libstdc++6,llvm"
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64")
_LIBRARIES = ("executorch", "executorch_threadpool", "executorch_backend_xnnpack")
_KERNELS = ("executorch_kernels_optimized", "executorch_kernels_quantized")


def check_programs() -> None:
    """Raise UsageError that names what to install."""
    missing = sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})
    if missing:
        raise UsageError(f"not everything is installed; run: apt-get install {' '.join(missing)}")


def make_guest(folder: Path, wheels: Sequence[str], site_name: str = "site") -> Guest:
    """The guest in `folder`, made where it is not there yet.

    wheels     what its Python shall import, pinned
    site_name  of the folder for these
    raises     VitcamError if a step fails, with that step's last words
    """
    folder.mkdir(parents=True, exist_ok=True)
    root, site, plugin = folder / "root", folder / site_name, folder / "insn.so"
    if not (root / "complete").exists():
        _make_root(root)
    _install(site, ["numpy>=2.2", *wheels], ())
    source = HERE / "insn.c"
    flags = ("-std=c11", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden", f"-DAPI={_api()}")
    _run("the counting plugin", "gcc", *flags, "-o", plugin, source)
    return Guest(root, plugin, {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"})


def make_runner(folder: Path, wheel: str) -> tuple[Path, Path]:
    """ExecuTorch's runner for aarch64, and the folder of the libraries that it loads; `wheel` is pinned."""
    package, runner = folder / "executorch", folder / "runner"
    _install(package, [wheel], ("--no-deps",))  # its Python half needs PyTorch, its C++ half nothing
    include, library = package / "executorch/include", package / "executorch/lib"
    c10 = include / "executorch/runtime/core/portable_type/c10"
    links = [f"-l{name}" for name in (*_LIBRARIES, *_KERNELS)]
    _run(
        "ExecuTorch's runner", "aarch64-linux-gnu-g++", "-std=c++17", "-O2", "-DC10_USING_CUSTOM_GENERATED_MACROS",
        "-isystem", include, "-isystem", c10, "-o", runner, HERE / "runner.cpp", "-L", library,
        "-Wl,--no-as-needed", *links, "-Wl,--allow-shlib-undefined",
    )  # fmt: skip
    return runner, library


def _make_root(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    options = ("--mode=root", "--variant=extract", "--skip=check/qemu", "--architectures=arm64", "--quiet")
    _run("Debian for arm64", "mmdebstrap", *options, f"--include={DEBIAN}", SUITE, root)
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")  # what base-files would have made
    for name, text in processor().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    (root / "complete").touch()


def _install(target: Path, wheels: Sequence[str], options: Sequence[str]) -> None:
    stamp = target / "complete"
    if stamp.exists() and stamp.read_text() == " ".join(wheels):
        return
    shutil.rmtree(target, ignore_errors=True)
    platforms = [word for name in PLATFORMS for word in ("--platform", name)]
    _run(
        f"the wheels of {', '.join(wheels)}", sys.executable, "-m", "pip", "install", "--quiet",
        "--disable-pip-version-check", "--only-binary=:all:", *platforms, "--python-version", PYTHON,
        "--target", target, *options, *wheels,
    )  # fmt: skip
    stamp.write_text(" ".join(wheels))


def _api() -> int:
    """Which plugin interface this QEMU has; see insn.c."""
    said = subprocess.run(["qemu-aarch64", "--version"], capture_output=True, text=True, check=True).stdout
    return 1 if int(said.split()[2].partition(".")[0]) < 9 else 3


def _run(what: str, *command: str | Path) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise VitcamError(f"{what} could not be made: {command[0]} says: {last}")
