"""Where the HTTP interface listens, and who may use it: this machine alone, everybody, or who knows the password.

What counts is the address that the server is bound to. Where a request seems to come from does not count: a proxy on
this machine passes on requests of the whole network.
"""

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from vitcam.access.guard import Guard
from vitcam.access.password import (
    USER,
    VARIABLE,
    PasswordHash,
    check_password,
    load_password,
    new_password,
    password_file,
    save_password,
)
from vitcam.config.web import WebSettings
from vitcam.errors import ConfigError, UsageError
from vitcam.folders import state_folder
from vitcam.web.given import Binding
from vitcam.web.requests.allowed_hosts import is_loopback
from vitcam.web.tls import CertificateFiles

log = logging.getLogger(__name__)


def binding(web: WebSettings, environ: Mapping[str, str], show: Callable[[str], None] | None) -> Binding:
    """As the settings say. Arguments and errors as in `protection`."""
    return Binding(
        host=web.host,
        port=web.port,
        host_names=web.names,
        proxies=web.proxies,
        base=web.base,
        frame_ancestors=web.frames,
        certificate=CertificateFiles.named(web.certificate, web.key),
        guard=protection(web, environ, show),
    )


def protection(web: WebSettings, environ: Mapping[str, str], show: Callable[[str], None] | None) -> Guard | None:
    """Who knows the password. None: everybody who reaches the address may do everything.

    show    prints a sentence on the terminal and nowhere else; None: there is no terminal
    raises  ConfigError if a password is needed and there is none, or if it cannot be read
    """
    if is_loopback(web.host):
        return None
    if web.open:
        log.warning("everybody who reaches %s may watch and change settings: web.open is true", web.host)
        return None
    folder = state_folder(environ)
    if given := environ.get(VARIABLE):
        return Guard(_given(given), folder, is_fixed=True)
    stored = load_password(folder) if folder else None
    if stored is None:
        stored = _first(folder, show, web.host)
    return Guard(stored, folder)


def _given(password: str) -> PasswordHash:
    try:
        check_password(password)
    except UsageError as error:
        raise ConfigError(f"{VARIABLE}: {error}") from error
    return PasswordHash.of_password(password)


def _first(folder: Path | None, show: Callable[[str], None] | None, host: str) -> PasswordHash:
    """Make a password, keep what is needed of it, and show it this once."""
    if show is None:
        raise ConfigError(
            f"web.host is {host}, which the network can reach, and there is no password: set one with "
            f"`vitcam password`, or in the variable {VARIABLE}; `--no-password` lets everybody watch"
        )
    password = new_password()
    hashed = PasswordHash.of_password(password)
    where = "It is for this run only, since there is no folder to keep it in."
    if folder is not None:
        try:
            save_password(folder, hashed)
            where = "It is not shown again; `vitcam password` sets another one."
        except OSError as error:
            where = f"It is for this run only, since {password_file(folder)} cannot be written: {error.strerror}."
    show(f"The network can reach this vitcam, so it asks for a password: {password} (user name: {USER}). {where}")
    return hashed
