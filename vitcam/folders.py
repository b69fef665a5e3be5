"""The folders for configuration, for state and for the user's own models and data sets."""

from collections.abc import Mapping
from pathlib import Path


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


def _below_home(environ: Mapping[str, str], variable: str, otherwise: str) -> Path | None:
    base = Path(environ.get(variable, ""))  # a relative one is ignored, as its specification says
    if not base.is_absolute():
        base = Path(environ.get("HOME", "")) / otherwise
    return base / "vitcam" if base.is_absolute() else None
