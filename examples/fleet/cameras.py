"""The file that says which cameras there are."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_MOST = 200


class FleetError(Exception):
    """One sentence for people."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A vitcam that is started here, or that runs elsewhere."""

    name: str
    options: tuple[str, ...] = ()
    """Of `vitcam run`, the source first."""
    address: str = ""
    """Of one that runs elsewhere."""


def cameras_in(file: Path) -> tuple[Camera, ...]:
    """Every line of it. Raises FleetError for what is not a list of cameras."""
    try:
        found = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise FleetError(f"{file} cannot be read: {error.strerror}; name another file with --cameras") from error
    except ValueError as error:  # of TOML, or of UTF-8
        raise FleetError(f"{file} is not valid TOML: {error}") from error
    if other := sorted(set(found) - {"here", "elsewhere"}):
        raise FleetError(f"{file}: there is no section [{other[0]}]; use [here] and [elsewhere]")
    sections = {name: found.get(name, {}) for name in ("here", "elsewhere")}
    if wrong := [name for name, section in sections.items() if not isinstance(section, dict)]:
        raise FleetError(f"{file}: [{wrong[0]}] must be a section with a line for each camera")
    cameras = [_here(file, *line) for line in sections["here"].items()]
    cameras += [_elsewhere(file, *line) for line in sections["elsewhere"].items()]
    if twice := {each.name for each in cameras if each.name in sections["here"] and each.address}:
        raise FleetError(f"{file}: {min(twice)} stands in [here] and in [elsewhere]; give one of them another name")
    if len(cameras) > _MOST:
        raise FleetError(f"{file} has {len(cameras)} cameras; {_MOST} are allowed")
    return tuple(cameras)


def _checked(file: Path, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise FleetError(f"{file}: {name!r} is not a name; use up to 32 of a-z, 0-9, - and _")
    return name


def _here(file: Path, name: str, said: Any) -> Camera:
    options = [said] if isinstance(said, str) else said
    if not isinstance(options, list) or not options or not all(isinstance(each, str) and each for each in options):
        raise FleetError(f'{file}: {name} must be a source such as "demo", or a list with the source and options')
    return Camera(_checked(file, name), tuple(options))


def _elsewhere(file: Path, name: str, said: Any) -> Camera:
    try:
        parts = urlsplit(said if isinstance(said, str) else "")
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) and parts.username is None
    except ValueError:  # a port that is not a number
        valid = False
    if not valid:
        raise FleetError(f'{file}: {name} must be an address such as "http://shed.local:8420", without a password')
    return Camera(_checked(file, name), address=said)
