"""`vitcam password` and `vitcam token`: what the HTTP interface asks for."""

import getpass
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
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
from vitcam.access.tokens import Scope, create_token, load_tokens, revoke_token, tokens_file
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import means_service, services_state, state_folder
from vitcam.storage.owner import OwnedFolder, owned
from vitcam.terminal.consoles import stderr_console, stdout_console


@dataclass(frozen=True, slots=True)
class Whose:
    """Of which daemon the password and the tokens are. Neither: of this user's own runs, for root of the service."""

    service: bool = False
    instance: str = ""
    """Of the service; empty: the service of one camera."""


def set_password(from_stdin: bool, whose: Whose) -> None:
    """Ask for a password, or make one, and keep its hash.

    from_stdin  read the first line of stdin
    raises      UsageError for a password that is not possible; VitcamError if it cannot be kept
    """
    place = owned_state(whose)
    password = _from_stdin() if from_stdin else _asked()
    made = not password
    password = password or new_password()
    check_password(password)
    kept = PasswordHash.of_password(password)
    _keep(place, password_file, lambda folder: save_password(folder, kept))
    if made:
        stdout_console().print(f"The new password is {password} (user name: {USER}). It is not shown again.")
    say = stderr_console().print
    say(f"Its hash is in {password_file(place.folder)}. A daemon that uses this folder takes it within some seconds.")


def add_token(name: str, scope: Scope, whose: Whose) -> None:
    """Print a new token. Raises UsageError for a name that is not possible or taken; VitcamError."""
    made: list[str] = []
    _keep(owned_state(whose), tokens_file, lambda folder: made.append(create_token(folder, name, scope)))
    stdout_console().print(made[0], highlight=False)
    stderr_console().print(
        f"This token may {scope.value}. It is not shown again: send it as `Authorization: Bearer …`."
    )


def show_tokens(as_json: bool, whose: Whose) -> None:
    """Print name, scope and date of every token."""
    with owned_state(whose).acting() as folder:
        tokens = load_tokens(folder)
    say = stdout_console().print
    if as_json:
        for token in tokens:
            print(json.dumps({"name": token.name, "scope": token.scope, "created": token.created}))  # noqa: T201
        return
    if not tokens:
        say("There are no tokens. `vitcam token create NAME` makes one.")
    for token in tokens:
        say(f"{token.name}: {token.scope.value}, created {token.created}", highlight=False)


def remove_token(name: str, whose: Whose) -> None:
    """Revoke a token. Raises UsageError if there is none of that name; VitcamError."""
    _keep(owned_state(whose), tokens_file, lambda folder: revoke_token(folder, name))
    stderr_console().print(f"The token {name!r} is revoked. A running daemon refuses it within some seconds.")


def owned_state(whose: Whose) -> OwnedFolder:
    """The state folder that is meant, to be worked in as its owner. Raises UsageError if it is not there."""
    return owned(folder_of(whose))


def folder_of(whose: Whose) -> Path:
    """The state folder that is meant. Raises UsageError if it is not there."""
    usual = services_state(whose.instance)
    if whose.service or whose.instance or means_service(os.environ, usual.is_dir()):
        if not usual.is_dir():
            option = f" --instance {whose.instance}" if whose.instance else ""
            raise UsageError(f"there is no {usual}; install the service first: `sudo vitcam service install{option}`")
        return usual
    folder = state_folder(os.environ)
    if folder is None:
        raise UsageError("there is no folder to keep it in; set XDG_STATE_HOME or HOME to a folder that can be written")
    return folder


def _keep(place: OwnedFolder, file: Callable[[Path], Path], write: Callable[[Path], None]) -> None:
    path = file(place.folder)
    try:
        with place.acting() as folder:
            write(folder)
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
