"""The unit files: those that a release carries, and those that systemd reads."""

import grp
import os
from pathlib import Path
from typing import Final

from vitcam.errors import VitcamError
from vitcam.service.places import UNIT_FILES, Places
from vitcam.service.releases import Release

PINS: Final = "gpio"
"""The group that may use the pins, where there is one. systemd does not start a unit that names a missing group."""
UnitTexts = dict[str, bytes | None]
"""Name of a unit file -> its content; None: there is no such file."""


def carried_units(release: Release) -> UnitTexts:
    """Those of the release, fit for this machine; for one that carries none, those of the program that runs.

    raises  VitcamError if there are none in either
    """
    package = Path(__file__).parents[1]
    folders = (release.package / "units" if release.package else None, package / "units", package.parent / "systemd")
    folder = next((folder for folder in folders if folder and (folder / UNIT_FILES[0]).exists()), None)
    if folder is None:
        raise VitcamError("this vitcam carries no unit files; install it again from a wheel or a checkout")
    pins = _has_group(PINS)
    return {name: text and for_machine(text, pins) for name, text in _read(folder).items()}


def for_machine(text: bytes, pins: bool) -> bytes:
    """A unit for a machine with or without a group that may use the pins."""
    line = b"SupplementaryGroups=video"
    return text.replace(line + b"\n", line + b" " + PINS.encode() + b"\n") if pins else text


def installed_units(places: Places) -> UnitTexts:
    """Those that systemd reads."""
    return _read(places.units)


def write_units(places: Places, texts: UnitTexts) -> bool:
    """Put them where systemd reads them; whether anything has changed. Raises OSError."""
    if texts == installed_units(places):
        return False
    for name, text in texts.items():
        path = places.units / name
        if text is None:
            path.unlink(missing_ok=True)
        else:
            write_whole(path, text)
    return True


def _read(folder: Path) -> UnitTexts:
    return {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in UNIT_FILES}


def _has_group(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True


def write_whole(path: Path, data: bytes) -> None:
    """All of it or nothing, also when the power fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.new")
    try:
        with partial.open("wb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        raise
