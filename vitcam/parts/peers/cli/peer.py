"""`vitcam token peer`."""

import getpass
import sys
from typing import Annotated

import typer

from vitcam.cli.options import StateOptions, write_state
from vitcam.errors import UsageError
from vitcam.terminal.verbs import grouped


@grouped
def peer(
    name: Annotated[str, typer.Argument(help="Name of the other camera, as below [peers] in the configuration.")],
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the token from stdin, one line.")] = False,
    fingerprint: Annotated[
        str,
        typer.Option(
            "--fingerprint", help="Trust the certificate with this SHA-256, and no other.", show_default=False
        ),
    ] = "",
    *,
    state: StateOptions,
) -> None:
    """Keep the token of another camera, so that the page can show its pictures. Asks for the token."""
    from vitcam.certificates import read_fingerprint
    from vitcam.parts.peers.access import keep_peer_access, peer_tokens_file
    from vitcam.terminal.consoles import stderr_console

    place = state.owned_folder()  # that it is not there is said before anybody types
    read_fingerprint(fingerprint)
    given = _token_from_stdin() if stdin else _asked_token(name)
    path = write_state(place, peer_tokens_file, lambda folder: keep_peer_access(folder, name, given, fingerprint))
    stderr_console().print(f"What {name!r} asks for is in {path}. A running daemon takes it within some seconds.")


def _token_from_stdin() -> str:
    """The first line; empty for a camera that asks for none."""
    return sys.stdin.readline(1000).strip()


def _asked_token(name: str) -> str:
    """Typed and not shown; empty for a camera that asks for none."""
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on; give the token as the first line of stdin, with --stdin")
    return getpass.getpass(f"Token of {name} (empty: it asks for none): ").strip()
