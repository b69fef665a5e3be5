"""What Debian's package does beside unpacking its files: its maintainer scripts, in deb/scripts/, call this.

python -m vitcam.service.package configure [VERSION]    the files are there; VERSION was installed before
python -m vitcam.service.package keep                   another version is about to be unpacked
python -m vitcam.service.package leave                  the package is about to be removed
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from vitcam._version import __version__
from vitcam.errors import VitcamError
from vitcam.processes.command import CommandResult, run_with_timeout
from vitcam.service.announce import announce_all
from vitcam.service.install import is_our_link, remove_releases, take_back
from vitcam.service.places import UNIT_FILES, Places
from vitcam.service.releases import exclusive
from vitcam.service.systemctl import SETTLE_S, bring_all_up, enabled_units, systemctl, systemctl_checked, units_in_use

_NAME: Final = "vitcam"
_READY_WITHIN_S: Final = 60.0
_BUILT_WITHIN_S: Final = 600.0
_OURS: Final = b"\nExecStart=/opt/vitcam/bin/vitcam "
"""In a unit file of `vitcam service install`. A file without this line is the administrator's, and stays."""

_OF_ONE_INSTALLATION: Final = ("Status:", "Config-Version:")
"""Fields that dpkg adds to those of a package."""


def configure(places: Places, before: str, tell: Callable[[str], None], settle_s: float = SETTLE_S) -> None:
    """Take over what `vitcam service install` left, enable the service, and start what is enabled.

    before  the version of the package that was installed before; empty: none was
    tell    gets sentences for the person at the terminal
    raises  VitcamError if another command is at work, or systemd or Debian's tools refuse; OSError

    A service that does not become ready is told, and is no error: dpkg has done its part.
    """
    with exclusive(places):
        there = places.home.exists()
        take_over(places)
        # a machine on which only instances were enabled keeps it so
        _enable(update_only=there)
        if not (places.root / "run/systemd/system").exists():
            return
        systemctl_checked("daemon-reload")
        units = list(dict.fromkeys([*enabled_units(places), *units_in_use()]))
        announce_all(places, units, __version__)
        why = bring_all_up(units, settle_s, _READY_WITHIN_S)
        if why:
            tell(f"vitcam {__version__} is installed, but was not ready within a minute: {why}.")
            tell(_way_back(places, before))
        else:
            remove_releases(places)


def take_over(places: Places) -> None:
    """Let the package's unit files and command be found in place of those of `service install`. Raises OSError."""
    for name in UNIT_FILES:
        path = places.units / name
        if path.exists() and _OURS in path.read_bytes():
            path.unlink()
    for link in places.units.glob("*.wants/vitcam*.service"):
        if not link.exists():  # it led to one of those files
            template = UNIT_FILES["@" in link.name]
            link.unlink()
            link.symlink_to(Path("/") / (places.package_units / template).relative_to(places.root))
    if is_our_link(places):
        places.command.unlink()


def keep(places: Places) -> Path:
    """Make the installed package again, as the one to go back to; an older one that was kept is removed.

    returns  the file
    raises   VitcamError if one of Debian's tools refuses; OSError if the disk is full
    """
    places.kept_package.mkdir(0o755, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places.kept_package, prefix=".work-") as work:
        tree = Path(work, "tree")
        tree.mkdir(0o755)
        for line in _said("dpkg-query", "--listfiles", _NAME).splitlines():
            _copy(places.root / line.lstrip("/"), tree / line.lstrip("/"))
        control = tree / "DEBIAN"
        control.mkdir(0o755)
        for name in _said("dpkg-query", "--control-list", _NAME).split():
            shutil.copy2(_said("dpkg-query", "--control-path", _NAME, name).strip(), control / name)
        status = _said("dpkg-query", "--status", _NAME)
        fields = [line for line in status.splitlines() if not line.startswith(_OF_ONE_INSTALLATION)]
        (control / "control").write_text("\n".join(fields) + "\n", "utf-8")
        # it is for an emergency: fast, and a little larger than the package was
        _said("dpkg-deb", "--root-owner-group", "-Zzstd", "-z1", "--build", str(tree), work)
        (made,) = Path(work).glob("*.deb")
        for older in places.kept_package.glob("*.deb"):
            older.unlink()
        return made.rename(places.kept_package / made.name)


def leave(places: Places, tell: Callable[[str], None]) -> None:
    """Stop the services, and take back what others were told of them. Raises VitcamError, OSError."""
    with exclusive(places):
        units = sorted({*units_in_use(), *enabled_units(places)})
        if units:
            systemctl("stop", *units)
        take_back(places, units, tell)


def _enable(update_only: bool) -> None:
    """As Debian's packages do: a service that the administrator has switched off stays off."""
    _said("deb-systemd-helper", "unmask", UNIT_FILES[0])
    if not update_only and _reply("deb-systemd-helper", "--quiet", "was-enabled", UNIT_FILES[0]).code == 0:
        _said("deb-systemd-helper", "enable", UNIT_FILES[0])
    else:
        _said("deb-systemd-helper", "update-state", UNIT_FILES[0])


def _way_back(places: Places, before: str) -> str:
    kept = sorted(places.kept_package.glob("*.deb")) if before else []
    if kept:
        return f"The way back to {before}: sudo apt install --allow-downgrades {kept[-1]}"
    if places.home.exists():
        return "The way back: sudo apt remove vitcam, then sudo /opt/vitcam/bin/vitcam service install"
    return "`vitcam service status` and `vitcam doctor` say more."


def _copy(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        target.mkdir(0o755, exist_ok=True)
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # on another disk
        shutil.copy2(source, target, follow_symlinks=False)


def _said(*command: str) -> str:
    reply = _reply(*command)
    if reply.code != 0:
        raise VitcamError(f"{' '.join(command)} failed: {reply.last_words}")
    return reply.out


def _reply(*command: str) -> CommandResult:
    return run_with_timeout(command, _BUILT_WITHIN_S)


def main(arguments: list[str]) -> int:
    """The exit status: 1 if it failed, which is said on stderr."""
    places = Places()
    try:
        match arguments:
            case ["configure", *before]:
                configure(places, "".join(before), _tell)
            case ["keep"]:
                keep(places)
            case ["leave"]:
                leave(places, _tell)
            case _:
                raise VitcamError(f"{arguments} is none of: configure [VERSION], keep, leave")
    except (VitcamError, OSError) as error:
        _tell(f"vitcam: {error}")
        return 1
    return 0


def _tell(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
