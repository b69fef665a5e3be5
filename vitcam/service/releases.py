"""Installed versions: each has a virtual environment of its own, and a link names the one in use.

Two commands that change them at once would undo each other's work, so that one excludes the others.
"""

import fcntl
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

from vitcam.errors import UsageError, VitcamError
from vitcam.parts import PARTS
from vitcam.processes.command import run_with_timeout
from vitcam.service.origin import installable
from vitcam.service.places import Places

_VENV_WITHIN_S, _PIP_WITHIN_S, _START_WITHIN_S = 600, 7200, 120  # a slow SD card, a slow network
_ORIGIN = "installed-from"


@dataclass(frozen=True, slots=True)
class Release:
    """One installed version."""

    folder: Path

    @property
    def version(self) -> str:
        """Empty if vitcam is not complete in it."""
        found = sorted(self.folder.glob("lib/python3*/site-packages/vitcam-*.dist-info"))
        return found[0].name.removeprefix("vitcam-").removesuffix(".dist-info") if found else ""

    @property
    def package(self) -> Path | None:
        """The folder of the package `vitcam`; None if vitcam is not complete in it."""
        return next(iter(self.folder.glob("lib/python3*/site-packages/vitcam")), None)

    @property
    def origin(self) -> Path | None:
        """The folder or wheel that it was installed from, if that is known."""
        try:
            text = (self.folder / _ORIGIN).read_text("utf-8")
        except OSError:
            return None
        return Path(text) if text else None

    @property
    def runs_now(self) -> bool:
        """Whether this very program runs from it."""
        return Path(sys.prefix).resolve() == self.folder.resolve()


def current_release(places: Places) -> Release | None:
    """The release in use; None if vitcam is not installed."""
    release = packaged_release(places) or Release(places.home.resolve())
    return release if release.version else None


def packaged_release(places: Places) -> Release | None:
    """That of Debian's package; None where the package is not installed."""
    return Release(places.package) if (places.package / "pyvenv.cfg").exists() else None


def refuse_beside_package(places: Places, instead: str) -> None:
    """Raises UsageError where vitcam is installed as a package. instead: what to do there, as the end of a sentence."""
    if packaged_release(places) is not None:
        raise UsageError(f"vitcam is installed as the Debian package vitcam; {instead}")


def adopt(places: Places) -> None:
    """Make a release of a folder /opt/vitcam that was installed by hand, so that there is a way back to it.

    raises  UsageError if the folder is something else
    """
    if places.home.is_dir() and not places.home.is_symlink():
        if not (places.home / "pyvenv.cfg").exists():
            raise UsageError(f"{places.home} is not a virtual environment of vitcam; move it away, then try again")
        release = _next_folder(places)
        places.home.rename(release)
        use(places, Release(release))


def use(places: Places, release: Release) -> None:
    """Make it the release in use, in one step."""
    link = places.home.with_name("vitcam.new")
    link.unlink(missing_ok=True)
    link.symlink_to(os.path.relpath(release.folder, places.home.parent))
    link.replace(places.home)


def build(places: Places, origin: Path | None) -> Release:
    """Install a version beside the others; if that fails, nothing of it is left.

    origin  as in `installable`
    raises  VitcamError with pip's own words; OSError if the disk is full
    """
    release = Release(_next_folder(places))
    with _readable_for_all(), tempfile.TemporaryDirectory(dir=places.releases, prefix=".work-") as work:
        try:
            _fill(_system_python(places), release, installable(origin, Path(work)))
            (release.folder / _ORIGIN).write_text(str(origin or ""), "utf-8")
            os.sync()  # before the link names it: a power cut must not leave a release of empty files in use
        except BaseException:
            shutil.rmtree(release.folder, ignore_errors=True)
            raise
    return release


def remove_all_but(places: Places, *kept: Release) -> None:
    """Remove the other releases, and what an interrupted installation has left."""
    for folder in places.releases.iterdir():
        if folder.is_dir() and folder not in [release.folder for release in kept]:
            shutil.rmtree(folder, ignore_errors=True)


def _fill(python: str, release: Release, wanted: Path) -> None:
    # -I: nothing of the folder that the user is in
    venv = ["-I", "-m", "venv", "--system-site-packages", str(release.folder)]
    _run([python, *venv], _VENV_WITHIN_S, "no virtual environment can be made (is python3-venv installed?)")
    extras = ",".join(filter(None, (part.extra for part in PARTS)))
    named = f"{wanted}[{extras}]" if extras else str(wanted)
    pip = ["-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", named]
    _run([str(release.folder / "bin/python"), *pip], _PIP_WITHIN_S, "pip could not install it")
    if not release.version:
        raise VitcamError(f"{wanted.name} was installed, but vitcam is not in it; name a wheel or a folder of vitcam")
    asked = [str(release.folder / "bin/vitcam"), "--version"]
    _run(asked, _START_WITHIN_S, f"vitcam {release.version} was installed, but cannot start")


def _run(command: Sequence[str], timeout_s: float, failure: str) -> None:
    try:
        reply = run_with_timeout(command, timeout_s)
    except FileNotFoundError:
        raise VitcamError(f"{failure}: there is no program {command[0]}") from None
    if reply.code != 0:
        raise VitcamError(f"{failure}: {_reason(reply.err, reply.out) or reply.last_words}; nothing was changed")


def _reason(err: str, out: str) -> str:
    """pip's last error. Behind it stand hints, and venv writes to stdout."""
    lines = [line.strip() for line in (err or out).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or [""])[-1].removeprefix("ERROR: ").rstrip(".")


def _system_python(places: Places) -> str:
    """Debian's own, where there is one, because it sees Debian's picamera2."""
    return shutil.which("python3", path=str(places.root / "usr/bin")) or str(Path(sys.base_prefix) / "bin/python3")


def _next_folder(places: Places) -> Path:
    places.releases.mkdir(0o755, parents=True, exist_ok=True)
    numbers = [int(folder.name) for folder in places.releases.iterdir() if folder.name.isdecimal()]
    return places.releases / str(max(numbers, default=0) + 1)


@contextmanager
def _readable_for_all() -> Iterator[None]:
    """The service runs as a user of its own, which must be able to read what root installs."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def exclusive(places: Places) -> Iterator[None]:
    """Be the only command that changes releases. What ends this program, such as a lost ssh, ends it as Ctrl-C does.

    raises  VitcamError if another command is at work; OSError if the file of the lock cannot be made
    """
    places.lock.parent.mkdir(0o755, parents=True, exist_ok=True)
    with places.lock.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise VitcamError("another `vitcam service` command is at work; wait until it has ended") from None
        before = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
