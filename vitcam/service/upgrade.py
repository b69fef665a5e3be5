"""`vitcam service upgrade`: the new version beside the old one, and the way back."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError, VitcamError
from vitcam.service.announce import announce_all
from vitcam.service.origin import checked_origin, checkout, is_source
from vitcam.service.places import Places
from vitcam.service.releases import (
    Release,
    adopt,
    build,
    current_release,
    exclusive,
    refuse_beside_package,
    remove_all_but,
    use,
)
from vitcam.service.systemctl import SETTLE_S, bring_all_up, enabled_units, systemctl_checked, units_in_use
from vitcam.service.units import UnitTexts, carried_units, installed_units, write_units


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What an upgrade came to."""

    old: str
    """Its version."""
    new: str
    units: tuple[str, ...]
    """Those that were restarted and became ready."""


def upgrade(places: Places, given: Path | None, tell: Callable[[str], None], settle_s: float = SETTLE_S) -> Upgraded:
    """Replace the version in use; if the new one does not become ready, the old one runs again.

    given    a wheel or a folder; None: what runs now, or the folder that the installed version came from
    tell     gets a sentence before something that takes long
    raises   UsageError if nothing is installed or there is nothing to install; VitcamError if the new version cannot
             be installed, or does not become ready, with the reason; OSError if the disk is full
    """
    refuse_beside_package(places, "another version is installed with: sudo apt install ./vitcam_….deb")
    with exclusive(places):
        adopt(places)
        old = current_release(places)
        if old is None:
            raise UsageError("vitcam is not installed as a service; install it: sudo vitcam service install")
        origin = checked_origin(given) if given else _own_origin(old)
        tell("Installing the new version beside the old one. This takes some minutes.")
        new = build(places, origin)
        units = tuple(dict.fromkeys([*enabled_units(places), *units_in_use()]))
        tell(f"Starting vitcam {new.version}.")
        _replace(places, old, new, units, settle_s)
        remove_all_but(places, old, new)  # this very program may lie in the old one
    return Upgraded(old.version, new.version, units)


def _own_origin(old: Release) -> Path | None:
    """What runs now; for the installed version itself, the folder that it came from. None: the running distribution."""
    if not old.runs_now:
        return checkout()
    if old.origin is not None and is_source(old.origin):
        return old.origin
    raise UsageError("name what to install: sudo vitcam service upgrade with a wheel or a folder behind it")


def _replace(places: Places, old: Release, new: Release, units: tuple[str, ...], settle_s: float) -> None:
    """Raises VitcamError if the new version does not become ready; whatever is raised, the old one runs again."""
    texts = installed_units(places)
    try:
        _switch(places, new, carried_units(new))
        announce_all(places, units, new.version)
        why = bring_all_up(units, settle_s)
    except BaseException:
        _roll_back(places, old, texts, units, settle_s)
        shutil.rmtree(new.folder, ignore_errors=True)
        raise
    if why:
        again = _roll_back(places, old, texts, units, settle_s)
        version = new.version
        shutil.rmtree(new.folder, ignore_errors=True)
        state = f"but does not become ready either: {again}" if again else "and runs"
        raise VitcamError(f"vitcam {version} did not become ready: {why}; vitcam {old.version} is back, {state}")


def _roll_back(places: Places, old: Release, texts: UnitTexts, units: tuple[str, ...], settle_s: float) -> str:
    _switch(places, old, texts)
    announce_all(places, units, old.version)
    return bring_all_up(units, settle_s)


def _switch(places: Places, release: Release, texts: UnitTexts) -> None:
    use(places, release)
    write_units(places, texts)
    systemctl_checked("daemon-reload")
