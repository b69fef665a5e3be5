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
SUITES = {"3.13": ("trixie", 41), "3.11": ("bookworm", 36)}
"""Python -> the Debian that has it, as Raspberry Pi OS does, and the minor version of its glibc 2."""
DEBIAN = "python3,ca-certificates,libgomp1,libstdc++6"
LLVM_OF = "3.13"
"""The guest whose LLVM knows the core."""
_LIBRARIES = ("executorch", "executorch_threadpool", "executorch_backend_xnnpack")
_KERNELS = ("executorch_kernels_optimized", "executorch_kernels_quantized")


def check_programs() -> None:
    """Raise UsageError that names what to install."""
    missing = sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None})
    if missing:
        raise UsageError(f"not everything is installed; run: apt-get install {' '.join(missing)}")


def make_guest(folder: Path, wheels: Sequence[str], site_name: str = "site", python: str = LLVM_OF) -> Guest:
    """The guest in `folder`, made where it is not there yet.

    wheels     what its Python shall import, pinned
    site_name  of the folder for these
    python     a key of SUITES
    raises     VitcamError if a step fails, with that step's last words
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = folder / ("root" if python == LLVM_OF else f"root-{python}")
    site, plugin = folder / site_name, folder / "insn.so"
    if not (root / "complete").exists():
        _make_root(root, python)
    numpy = () if any(wheel.startswith("numpy") for wheel in wheels) else ("numpy>=2.2",)
    _install(site, [*numpy, *wheels], (), python)
    source = HERE / "insn.c"
    flags = ("-std=c11", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden", f"-DAPI={_api()}")
    _run("the counting plugin", "gcc", *flags, "-o", plugin, source)
    return Guest(root, plugin, {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"})


def make_runner(folder: Path, wheel: str) -> tuple[Path, Path]:
    """ExecuTorch's runner for aarch64, and the folder of the libraries that it loads; `wheel` is pinned."""
    package, runner = folder / "executorch", folder / "runner"
    _install(package, [wheel], ("--no-deps",), LLVM_OF)  # its Python half needs PyTorch, its C++ half nothing
    include, library = package / "executorch/include", package / "executorch/lib"
    c10 = include / "executorch/runtime/core/portable_type/c10"
    links = [f"-l{name}" for name in (*_LIBRARIES, *_KERNELS)]
    _run(
        "ExecuTorch's runner", "aarch64-linux-gnu-g++", "-std=c++17", "-O2", "-DC10_USING_CUSTOM_GENERATED_MACROS",
        "-isystem", include, "-isystem", c10, "-o", runner, HERE / "runner.cpp", "-L", library,
        "-Wl,--no-as-needed", *links, "-Wl,--allow-shlib-undefined",
    )  # fmt: skip
    return runner, library


def _make_root(root: Path, python: str) -> None:
    shutil.rmtree(root, ignore_errors=True)
    options = ("--mode=root", "--variant=extract", "--skip=check/qemu", "--architectures=arm64", "--quiet")
    include = f"{DEBIAN},llvm" if python == LLVM_OF else DEBIAN
    _run("Debian for arm64", "mmdebstrap", *options, f"--include={include}", SUITES[python][0], root)
    if not (root / "lib").exists():
        (root / "lib").symlink_to("usr/lib")  # what base-files would have made
    for name, text in processor().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{text}\n")
    (root / "complete").touch()


def _install(target: Path, wheels: Sequence[str], options: Sequence[str], python: str) -> None:
    stamp = target / "complete"
    if stamp.exists() and stamp.read_text() == " ".join(wheels):
        return
    shutil.rmtree(target, ignore_errors=True)
    platforms = [word for name in _platforms(python) for word in ("--platform", name)]
    _run(
        f"the wheels of {', '.join(wheels)}", sys.executable, "-m", "pip", "install", "--quiet",
        "--disable-pip-version-check", "--only-binary=:all:", *platforms, "--python-version", python,
        "--target", target, *options, *wheels,
    )  # fmt: skip
    stamp.write_text(" ".join(wheels))


def _platforms(python: str) -> list[str]:
    """What pip takes there: wheels for its glibc and for every older one."""
    return [f"manylinux_2_{minor}_aarch64" for minor in range(SUITES[python][1], 16, -1)] + ["manylinux2014_aarch64"]


def _api() -> int:
    """Which plugin interface this QEMU has; see insn.c."""
    said = subprocess.run(["qemu-aarch64", "--version"], capture_output=True, text=True, check=True).stdout
    return 1 if int(said.split()[2].partition(".")[0]) < 9 else 3


def _run(what: str, *command: str | Path) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise VitcamError(f"{what} could not be made: {command[0]} says: {last}")
