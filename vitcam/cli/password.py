"""`vitcam password`."""

import getpass
import sys
from typing import Annotated

import typer

from vitcam.cli.options import StateOptions, write_state
from vitcam.errors import UsageError
from vitcam.terminal.verbs import grouped


@grouped
def password(
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the password from stdin, one line.")] = False,
    *,
    state: StateOptions,
) -> None:
    """Set the password that the page asks for when the network can reach it."""
    from vitcam.access.password import USER, PasswordHash, check_password, new_password, password_file, save_password
    from vitcam.terminal.consoles import stderr_console, stdout_console

    place = state.owned_folder()  # that it is not there is said before anybody types
    given = _from_stdin() if stdin else _asked()
    chosen = given or new_password()
    check_password(chosen)
    kept = PasswordHash.of_password(chosen)
    path = write_state(place, password_file, lambda folder: save_password(folder, kept))
    if not given:
        stdout_console().print(f"The new password is {chosen} (user name: {USER}). It is not shown again.")
    say = stderr_console().print
    say(f"Its hash is in {path}. A daemon that uses this folder takes it within some seconds.")


def _from_stdin() -> str:
    from vitcam.access.password import MOST

    line = sys.stdin.readline(MOST + 2).rstrip("\r\n")
    if not line:
        raise UsageError("stdin is empty; give the password as its first line")
    return line


def _asked() -> str:
    """Typed twice and not shown; empty for one that vitcam makes."""
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on; give the password as the first line of stdin, with --stdin")
    typed = getpass.getpass("New password (empty: vitcam makes one): ")
    if typed and getpass.getpass("The same once more: ") != typed:
        raise UsageError("the two passwords are not the same; nothing was changed")
    return typed
