"""`vitcam service install` and `uninstall`."""

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import ConfigError
from vitcam.parts import PARTS
from vitcam.run.part import load_each
from vitcam.service.announce import announce, end_announcements
from vitcam.service.network import bind_to_network, ensure_password, local_name, reachable_address, settings_of
from vitcam.service.places import UNIT_FILES, Instance, Places
from vitcam.service.releases import (
    Release,
    adopt,
    build,
    current_release,
    exclusive,
    packaged_release,
    refuse_beside_package,
    use,
)
from vitcam.service.systemctl import (
    SETTLE_S,
    bring_up,
    enabled_units,
    properties,
    systemctl,
    systemctl_checked,
    units_in_use,
)
from vitcam.service.units import carried_units, write_units


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation came to."""

    unit: str
    version: str
    address: str
    """To open in a browser; empty if there is no page, or its port is not known."""
    password: str | None
    """A new one, to be shown once; None: no password was made."""
    failure: str
    """Why the service did not become ready; empty: it runs."""
    fresh: bool
    """False: this version was there before."""
    name: str = ""
    """By which the local network finds this machine, such as camera.local; empty: nothing is announced."""


def install(
    places: Places,
    instance: Instance,
    lan: bool,
    tell: Callable[[str], None],
    origin: Path | None,
    settle_s: float = SETTLE_S,
) -> Installed:
    """Install vitcam, unless a version is installed, and start it. A second call changes nothing.

    Of Debian's package, its own program only enables the service, opens it to the network and starts it.

    lan      bind it to the network, and make a password unless `web.open` lets everybody watch
    origin   what is installed: a wheel, a folder with the source, or None: the distribution that runs
    tell     gets a sentence before something that takes long
    raises   VitcamError, ConfigError, UsageError, OSError; what was installed before continues to run
    """
    packaged = packaged_release(places)
    if packaged is None or not packaged.runs_now:
        refuse_beside_package(places, "use that one (/usr/bin/vitcam), or remove it first: sudo apt remove vitcam")
    with exclusive(places):
        _check_config(places, instance)
        changed = fresh = False
        release = packaged
        if release is None:
            adopt(places)
            release, fresh = _release(places, origin, tell)
            changed = _set_up(places, release) or fresh
        if lan:
            changed |= bind_to_network(instance.config(places))
        web = settings_of(places, instance).web  # a mistake in the file is found before a password is made
        password = ensure_password(instance.state(places)) if lan and not web.open else None
        systemctl_checked("enable", instance.unit)
        failure = ""
        if changed or password or properties(instance.unit).get("ActiveState") != "active":
            tell(f"Starting {instance.unit}.")
            failure = bring_up(instance.unit, settle_s)
        name = local_name() if _announced(places, instance, release, tell) else ""
    return Installed(instance.unit, release.version, reachable_address(web), password, failure, fresh, name)


def uninstall(places: Places, tell: Callable[[str], None]) -> list[str]:
    """Stop and remove units and programs. Configuration, passwords and history stay.

    tell     gets a sentence on what could not be taken back
    returns  the units that were stopped
    raises   VitcamError, OSError
    """
    refuse_beside_package(places, "it is removed with: sudo apt remove vitcam")
    with exclusive(places):
        adopt(places)
        units = sorted({*units_in_use(), *enabled_units(places)})
        if units:
            systemctl_checked("disable", "--now", *units)
        take_back(places, units, tell)
        write_units(places, dict.fromkeys(UNIT_FILES))
        systemctl_checked("daemon-reload")
        systemctl("reset-failed", "vitcam.service", "vitcam@*")
        remove_releases(places)  # this very program may lie in one: nothing is imported after this
    return units


def take_back(places: Places, units: Iterable[str], tell: Callable[[str], None]) -> None:
    """Take back what others were told of these services, which have ended; `tell` gets what could not be."""
    end_announcements(places)
    for instance in map(Instance.of_unit, units):
        for withdraw in load_each(part.uninstalled for part in PARTS):
            if trouble := withdraw(places, instance):
                tell(trouble)


def remove_releases(places: Places) -> None:
    """Remove all that `install` puts below /opt, and the command's link. Raises OSError."""
    if is_our_link(places):
        places.command.unlink()
    places.home.unlink(missing_ok=True)
    if places.releases.exists():
        shutil.rmtree(places.releases)


def _check_config(places: Places, instance: Instance) -> None:
    own = instance.config(places)
    if instance.name and not own.exists():
        raise ConfigError(
            f"{own} is not there; write a port of its own into it, such as [web] and below it port = 8421, and the "
            "camera as source below [camera]"
        )


def _release(places: Places, origin: Path | None, tell: Callable[[str], None]) -> tuple[Release, bool]:
    """The release in use, made first if there is none; whether it was made."""
    release = current_release(places)
    if release is not None:
        return release, False
    tell("Installing vitcam and what it needs into /opt/vitcam. This takes some minutes.")
    release = build(places, origin)
    use(places, release)
    return release, True


def _set_up(places: Places, release: Release) -> bool:
    """Unit files, and the command on everybody's path; whether systemd must start the unit again."""
    changed = write_units(places, carried_units(release))
    systemctl_checked("daemon-reload")
    if not places.command.exists():
        places.command.parent.mkdir(parents=True, exist_ok=True)
        places.command.unlink(missing_ok=True)  # a link that leads nowhere
        places.command.symlink_to(places.home / "bin/vitcam")
    places.config.mkdir(0o755, parents=True, exist_ok=True)
    return changed


def _announced(places: Places, instance: Instance, release: Release, tell: Callable[[str], None]) -> bool:
    """Whether the local network is told of the page; a failure is told, and the service runs without it."""
    try:
        return announce(places, instance, release.version)
    except OSError as error:
        tell(f"Other machines do not find the page by itself: {error.filename}: {error.strerror}.")
        return False


def is_our_link(places: Places) -> bool:
    """Whether the command on everybody's path leads to a release."""
    return places.command.is_symlink() and places.command.readlink() == places.home / "bin/vitcam"
