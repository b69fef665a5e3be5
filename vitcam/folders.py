"""The folders for configuration, for state and for the user's own models and data sets."""

import os
from collections.abc import Mapping
from pathlib import Path

RESTORING = ".vitcam-restore"
"""In a folder: what a restore is about to put there."""


def state_folder(environ: Mapping[str, str]) -> Path | None:
    """Where the daemon keeps its state: the folder of systemd, else that of XDG; None if there is neither.

    source  systemd.exec(5) on StateDirectory=; XDG Base Directory Specification 0.8
    """
    given = environ.get("STATE_DIRECTORY", "").split(":")[0]  # systemd lists several like this
    return Path(given) if given else _below_home(environ, "XDG_STATE_HOME", ".local/state")


def config_folder(environ: Mapping[str, str]) -> Path | None:
    """Where users put their configuration; None for a user without a home."""
    return _below_home(environ, "XDG_CONFIG_HOME", ".config")


def data_folder(environ: Mapping[str, str]) -> Path | None:
    """Where users put models and data sets of their own; None for a user without a home."""
    return _below_home(environ, "XDG_DATA_HOME", ".local/share")


def services_state(instance: str = "") -> Path:
    """The state folder of the service as everybody sees it, or of one of its instances, as the units say."""
    return Path("/var/lib", f"vitcam-{instance}" if instance else "vitcam")


def means_service(environ: Mapping[str, str], there: bool) -> bool:
    """Whether a command is about the service, and not about this user's own runs, if nobody says so.

    Root's own runs are rare: where a service is `there`, root means it, unless a variable names another folder.
    """
    explicit = environ.get("STATE_DIRECTORY") or environ.get("XDG_STATE_HOME")
    return there and os.geteuid() == 0 and not explicit


def _below_home(environ: Mapping[str, str], variable: str, otherwise: str) -> Path | None:
    base = Path(environ.get(variable, ""))  # a relative one is ignored, as its specification says
    if not base.is_absolute():
        base = Path(environ.get("HOME", "")) / otherwise
    return base / "vitcam" if base.is_absolute() else None
