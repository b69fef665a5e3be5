"""The folders that a backup carries: those of the service, or those of one user."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vitcam.config.load import SYSTEM_FILE
from vitcam.folders import config_folder, data_folder, state_folder
from vitcam.storage.owner import OwnedFolder, owned

CONFIG, STATE, DATA, SYSTEM = "config", "state", "data", "system"
_SERVICES_KEEP = Path("/var/lib")
"""Below it lies the state of the service, `vitcam`, and of each instance of it, `vitcam-NAME`."""
_SERVICE = "vitcam"
_INSTANCE = re.compile(rf"{STATE}-(\w[\w.:-]*)", re.ASCII)
_READABLE, _PRIVATE = 0o755, 0o750


@dataclass(frozen=True, slots=True)
class CarriedFolder:
    """A folder on this machine, and its name in every backup."""

    name: str
    folder: Path
    mode: int = _PRIVATE
    """Of the folder if it has to be made."""
    optional: bool = False
    """True: what this user may not read or write is left out, with a sentence."""

    named: Path | None = None
    """As it was chosen, where that leads to `folder` by links."""

    def owned(self) -> OwnedFolder:
        """To be worked in as its owner. Raises VitcamError if the owner cannot reach it."""
        return owned(self.folder, self.named)


@dataclass(frozen=True, slots=True)
class ChosenFolders:
    """Folders that the command line names; None: the usual one."""

    config: Path | None = None
    state: Path | None = None
    data: Path | None = None


def has_service() -> bool:
    """Whether vitcam's service, or an instance of it, has run on this machine."""
    return (_SERVICES_KEEP / _SERVICE).exists() or bool(service_instances())


def service_instances() -> list[str]:
    """The names that the state of each instance of the service has in a backup, such as `state-front`."""
    return sorted(path.name.replace(_SERVICE, STATE, 1) for path in _SERVICES_KEEP.glob(f"{_SERVICE}-*"))


def carried_folders(
    chosen: ChosenFolders, environ: Mapping[str, str], service: bool, instances: Iterable[str] = ()
) -> tuple[CarriedFolder, ...]:
    """Those of the service, or of this user; a chosen one takes the place of the usual one.

    instances  of the service, as `service_instances` names them; other names are ignored

    The user's own come with the folder of the system's configuration: its settings are in force for the user, too.
    """
    usual = _of_service(() if chosen.state else instances) if service else _of_user(environ)
    named = {CONFIG: chosen.config, STATE: chosen.state, DATA: chosen.data}
    folders = {each.name: each for each in usual}
    for name, folder in named.items():
        if folder is not None:
            folders[name] = CarriedFolder(name, folder, _READABLE if name == CONFIG else _PRIVATE)
    if chosen.config is not None:
        folders.pop(SYSTEM, None)
    return tuple(
        replace(each, folder=Path(os.path.realpath(each.folder)), named=each.folder) for each in folders.values()
    )


def _of_service(instances: Iterable[str]) -> tuple[CarriedFolder, ...]:
    named = {name: f"{_SERVICE}-{found[1]}" for name in instances if (found := _INSTANCE.fullmatch(name))}
    states = [CarriedFolder(name, _SERVICES_KEEP / folder) for name, folder in ({STATE: _SERVICE} | named).items()]
    return CarriedFolder(CONFIG, SYSTEM_FILE.parent, _READABLE), *states


def _of_user(environ: Mapping[str, str]) -> tuple[CarriedFolder, ...]:
    own = {CONFIG: config_folder(environ), STATE: state_folder(environ), DATA: data_folder(environ)}
    found = [CarriedFolder(name, folder) for name, folder in own.items() if folder is not None]
    return *found, CarriedFolder(SYSTEM, SYSTEM_FILE.parent, _READABLE, optional=True)
