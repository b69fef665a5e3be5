"""Whether the packages in a folder hold what they must, and work where nothing else is installed.

python tests/packaged.py contents FOLDER   what is in the wheel and in the source distribution
python tests/packaged.py run FOLDER        install each in a clean environment of this Python, and start the demo
"""

import os
import socket
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
MADE = {"PKG-INFO", "setup.cfg"}
"""What setuptools adds to a source distribution, beside the folder of metadata."""
FOLDERS = {
    "vitcam/": "vitcam/",
    "training/": "vitcam_training/",
    "models/": "vitcam/bundled/",
    "systemd/": "vitcam/units/",
}
"""A folder of the repository -> where it is in a wheel."""
ELSEWHERE = {"vitcam/cli/vitcam.1": "share/man/man1/vitcam.1"}
"""A file -> where it is below the folder of an environment."""
NOT_INSTALLED = ("training/study/", "models/golden/")
NOT_INSTALLED_FILES = (".safetensors", ".overlays.json")
_READY_WITHIN_S = 120


def tracked(*options: str) -> set[str]:
    """The files that git knows; options: of `git ls-files`."""
    listed = subprocess.run(["git", "ls-files", *options], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name for name in listed.splitlines() if (ROOT / name).exists()}


def wanted_in_wheel(names: set[str]) -> set[str]:
    """Programs with their data, and int8 file, card and curves of every model."""
    installed = {
        name for name in names if not name.startswith(NOT_INSTALLED) and not name.endswith(NOT_INSTALLED_FILES)
    }
    return {
        ELSEWHERE.get(name, target + name.removeprefix(folder))
        for folder, target in FOLDERS.items()
        for name in installed
        if name.startswith(folder)
    }


def in_wheel(wheel: Path) -> set[str]:
    """Its files without the metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    return {name.partition(".data/data/")[2] or name for name in names}


def in_sdist(sdist: Path) -> set[str]:
    """Its files without the folder above them all and without the metadata."""
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    return {name for name in names if name not in MADE and ".egg-info/" not in name}


def check_contents(folder: Path) -> int:
    """Print what is missing and what is too much. Exit status: 1 if anything is."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    known = tracked()
    wrong = 0
    for path, wanted, found in ((wheel, wanted_in_wheel(known), in_wheel(wheel)), (sdist, known, in_sdist(sdist))):
        for what, names in (("lacks", wanted - found), ("must not have", found - wanted)):
            for name in sorted(names):
                print(f"{path.name} {what} {name}", file=sys.stderr)
                wrong = 1
        print(f"{path.name}: {len(found)} files, {path.stat().st_size / 1e6:.1f} MB")
    return wrong


@contextmanager
def service_manager(folder: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """A stand-in for systemd: the value of NOTIFY_SOCKET, and what gives the next message."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(folder / "notify"))
        listening.settimeout(_READY_WITHIN_S)
        yield str(folder / "notify"), lambda: listening.recv(4096).decode()


def try_installed(package: Path) -> None:
    """Install a package into a new environment, and run the demo until it says READY.

    raises  CalledProcessError if something cannot be installed; TimeoutError
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        python = str(folder / "venv/bin/python")
        pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        subprocess.run([*pip, str(package)], check=True)
        environ = {"PATH": os.environ["PATH"], "HOME": name}
        program = str(folder / "venv/bin/vitcam")
        said = subprocess.run([program, "--version"], env=environ, cwd=name, capture_output=True, text=True, check=True)
        subprocess.run(
            [program, "models", "verify", "everyday"], env=environ, cwd=name, stdout=subprocess.DEVNULL, check=True
        )
        with service_manager(folder) as (address, heard):
            command = [program, "run", "--source", "demo", "--port", "0"]
            running = subprocess.Popen(
                command, env=environ | {"NOTIFY_SOCKET": address}, cwd=name, stdout=subprocess.DEVNULL
            )
            try:
                while "READY=1" not in heard().splitlines():
                    pass
            finally:
                running.terminate()
                code = running.wait(30)
        if code:
            raise subprocess.CalledProcessError(code, command)
    print(
        f"{package.name} on Python {sys.version.split()[0]}: {said.stdout.strip()} is installed, READY, and ends with 0"
    )


def main(task: str, where: str) -> int:
    """Exit status: 1 if something is wrong."""
    folder = Path(where).absolute()
    if task == "contents":
        return check_contents(folder)
    for package in sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")]):
        try_installed(package)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
