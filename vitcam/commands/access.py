"""`vitcam password` and `vitcam token`: what the HTTP interface asks for."""

import getpass
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from vitcam.access.password import (
    MOST,
    USER,
    PasswordHash,
    check_password,
    new_password,
    password_file,
    save_password,
)
from vitcam.access.scope import Scope
from vitcam.access.tokens import create_token, load_tokens, revoke_token, tokens_file
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import state_folder
from vitcam.terminal.consoles import stderr_console, stdout_console

SERVICE_FOLDER = Path("/var/lib/vitcam")
"""The state folder of the service, as its unit says."""


def set_password(from_stdin: bool, service: bool) -> None:
    """Ask for a password, or make one, and keep its hash.

    from_stdin  read the first line of stdin
    service     of the service, not of this user's own runs
    raises      UsageError for a password that is not possible; VitcamError if it cannot be kept
    """
    folder = _folder(os.environ, service)
    password = _from_stdin() if from_stdin else _asked()
    made = not password
    password = password or new_password()
    check_password(password)
    _keep(password_file(folder), lambda: save_password(folder, PasswordHash.of_password(password)))
    if made:
        stdout_console().print(f"The new password is {password} (user name: {USER}). It is not shown again.")
    say = stderr_console().print
    say(f"Its hash is in {password_file(folder)}. A daemon that uses this folder takes it within some seconds.")


def add_token(name: str, scope: Scope, service: bool) -> None:
    """Print a new token. Raises UsageError for a name that is not possible or taken; VitcamError."""
    folder = _folder(os.environ, service)
    made: list[str] = []
    _keep(tokens_file(folder), lambda: made.append(create_token(folder, name, scope)))
    stdout_console().print(made[0], highlight=False)
    stderr_console().print(
        f"This token may {scope.value}. It is not shown again: send it as `Authorization: Bearer …`."
    )


def show_tokens(as_json: bool, service: bool) -> None:
    """Print name, scope and date of every token."""
    tokens = load_tokens(_folder(os.environ, service))
    say = stdout_console().print
    if as_json:
        for token in tokens:
            print(json.dumps({"name": token.name, "scope": token.scope, "created": token.created}))  # noqa: T201
        return
    if not tokens:
        say("There are no tokens. `vitcam token create NAME` makes one.")
    for token in tokens:
        say(f"{token.name}: {token.scope.value}, created {token.created}", highlight=False)


def remove_token(name: str, service: bool) -> None:
    """Revoke a token. Raises UsageError if there is none of that name; VitcamError."""
    folder = _folder(os.environ, service)
    _keep(tokens_file(folder), lambda: revoke_token(folder, name))
    stderr_console().print(f"The token {name!r} is revoked. A running daemon refuses it within some seconds.")


def _folder(environ: Mapping[str, str], service: bool) -> Path:
    """The state folder that is meant. Root's is the service's where that is installed, unless a variable names one."""
    explicit = environ.get("STATE_DIRECTORY") or environ.get("XDG_STATE_HOME")
    if service or (os.geteuid() == 0 and not explicit and SERVICE_FOLDER.is_dir()):
        if not SERVICE_FOLDER.is_dir():
            raise UsageError(f"there is no {SERVICE_FOLDER}; install the service first: `sudo vitcam service install`")
        return SERVICE_FOLDER
    folder = state_folder(environ)
    if folder is None:
        raise UsageError("there is no folder to keep it in; set XDG_STATE_HOME or HOME to a folder that can be written")
    return folder


def _keep(path: Path, write: Callable[[], None]) -> None:
    try:
        write()
    except PermissionError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}; for the service, use sudo") from error
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}") from error


def _from_stdin() -> str:
    line = sys.stdin.readline(MOST + 2).rstrip("\r\n")
    if not line:
        raise UsageError("stdin is empty; give the password as its first line")
    return line


def _asked() -> str:
    """Typed twice and not shown; empty for one that vitcam makes."""
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on; give the password as the first line of stdin, with --stdin")
    password = getpass.getpass("New password (empty: vitcam makes one): ")
    if password and getpass.getpass("The same once more: ") != password:
        raise UsageError("the two passwords are not the same; nothing was changed")
    return password
