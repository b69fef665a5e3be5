"""Where the parts of an installed service lie, and which of the units is meant."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vitcam.errors import UsageError

UNIT_FILES: Final = ("vitcam.service", "vitcam@.service")
"""The service of one camera, and the template of those of several."""


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of the machine that the service uses."""

    root: Path = Path("/")
    """The folder that the others lie in."""

    @property
    def home(self) -> Path:
        """A link to the release in use; the unit files name it."""
        return self.root / "opt/vitcam"

    @property
    def releases(self) -> Path:
        """One virtual environment for each installed version, in folders that are called 1, 2, 3 …"""
        return self.root / "opt/vitcam-releases"

    @property
    def package(self) -> Path:
        """The virtual environment of Debian's package; missing where that is not installed."""
        return self.root / "usr/lib/vitcam"

    @property
    def package_units(self) -> Path:
        """Where the package has its unit files. A file of the same name in `units` hides one."""
        return self.root / "usr/lib/systemd/system"

    @property
    def kept_package(self) -> Path:
        """Where an upgrade keeps the package of before."""
        return self.root / "var/cache/vitcam"

    @property
    def lock(self) -> Path:
        """Locked by the command that changes what is installed."""
        return self.root / "run/vitcam-service.lock"

    @property
    def units(self) -> Path:
        return self.root / "etc/systemd/system"

    @property
    def config(self) -> Path:
        return self.root / "etc/vitcam"

    @property
    def states(self) -> Path:
        """The folder above every service's own state folder."""
        return self.root / "var/lib"

    @property
    def announcements(self) -> Path:
        """Where Avahi reads what this machine offers; missing where there is no Avahi."""
        return self.root / "etc/avahi/services"

    @property
    def command(self) -> Path:
        """The link through which a shell finds `vitcam`."""
        return self.root / "usr/local/bin/vitcam"

    @property
    def system_config(self) -> Path:
        return self.config / "config.toml"


@dataclass(frozen=True, slots=True)
class Instance:
    """One service: of one camera, or, with a name, of one camera of several."""

    name: str = ""

    @classmethod
    def named(cls, name: str) -> "Instance":
        """Raises UsageError for a name that cannot be part of a unit's and a file's name."""
        if name == "config" or not re.fullmatch(r"[a-z0-9]([a-z0-9_]{0,30}[a-z0-9])?", name):
            raise UsageError(
                f"the instance is called {name!r}; allowed are 1 to 32 small letters, digits and _, but not 'config', "
                "whose file all cameras share"
            )
        return cls(name)

    @classmethod
    def of_unit(cls, unit: str) -> "Instance":
        """The instance of a unit's name."""
        return cls(unit.removeprefix("vitcam").removeprefix("@").removesuffix(".service"))

    @property
    def unit(self) -> str:
        return f"vitcam@{self.name}.service" if self.name else "vitcam.service"

    def config(self, places: Places) -> Path:
        """The file with its own settings."""
        return places.config / f"{self.name}.toml" if self.name else places.system_config

    def state(self, places: Places) -> Path:
        """Its state folder, as systemd names it for everybody; with DynamicUser= it is a link into private/."""
        return places.states / (f"vitcam-{self.name}" if self.name else "vitcam")
