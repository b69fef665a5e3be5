"""A machine below a folder, with programs on PATH that do what systemctl, journalctl and pip do there."""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from vitcam.service.install import Installed, install
from vitcam.service.places import Instance, Places
from vitcam.service.releases import current_release
from vitcam.service.upgrade import Upgraded, upgrade

PROGRAMS = Path(__file__).parent / "programs"
UNITS = Path(__file__).parents[3] / "systemd"
NO_TIME_S = 0.0
"""How long a service must stay up here: what the fake systemctl says never changes by itself."""


@dataclass(frozen=True)
class FakeMachine:
    """Its folders, and what was said to the person."""

    root: Path
    told: list[str] = field(default_factory=list)

    @property
    def places(self) -> Places:
        return Places(self.root)

    @property
    def calls(self) -> list[str]:
        """What systemctl was called with."""
        path = self.root / "calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def version(self) -> str:
        """Of the release in use; empty: none is."""
        release = current_release(self.places)
        return release.version if release else ""

    @property
    def releases(self) -> list[str]:
        return sorted(folder.name for folder in self.places.releases.iterdir() if not folder.name.startswith("."))

    def wheel(self, version: str, start: str = "exit 0") -> Path:
        """A wheel as the fake pip reads it. start: what the daemon does, in the shell's language."""
        path = self.root / f"vitcam-{version}.whl"
        path.write_text(f"{version}\n{start}\n")
        return path

    def install(self, lan: bool = False, instance: str = "", origin: Path | None = None) -> Installed:
        """Of version 1.0, unless another origin is given."""
        origin = origin or self.wheel("1.0")
        return install(self.places, Instance(instance), lan, self.told.append, origin, NO_TIME_S)

    def upgrade(self, origin: Path | None) -> Upgraded:
        return upgrade(self.places, origin, self.told.append, NO_TIME_S)

    def is_active(self, unit: str = "vitcam.service") -> bool:
        path = self.root / "units" / unit
        return path.exists() and "ActiveState=active" in path.read_text()

    def unit_text(self, name: str = "vitcam.service") -> str:
        """The unit file that systemd would read."""
        return (self.places.units / name).read_text()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """One on which nothing is installed."""
    shutil.copytree(PROGRAMS, tmp_path / "programs")
    shutil.copytree(UNITS, tmp_path / "programs", dirs_exist_ok=True)
    (tmp_path / "usr/bin").mkdir(parents=True)
    (tmp_path / "usr/bin/python3").symlink_to(tmp_path / "programs/python3")
    (tmp_path / "opt").mkdir()
    monkeypatch.setenv("FAKE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "programs"), prepend=os.pathsep)
    return FakeMachine(tmp_path)


@pytest.fixture
def installed(machine: FakeMachine) -> FakeMachine:
    """One on which version 1.0 is installed and runs."""
    machine.install()
    (machine.root / "calls").unlink()
    return machine
