"""`vitcam token …`."""

import getpass
import json
import sys
from typing import Annotated

import typer

from vitcam.access.tokens import Scope
from vitcam.cli.options import JsonOption, StateOptions, write_state
from vitcam.errors import UsageError
from vitcam.terminal.verbs import grouped

token = typer.Typer(help="Create, list and revoke tokens, and keep those of other cameras.", no_args_is_help=True)


@token.command()
@grouped
def create(
    name: Annotated[str, typer.Argument(help="Call the token by this name.")],
    scope: Annotated[Scope, typer.Option("--scope", help="Allow to look only, or to do everything.")] = Scope.READ,
    *,
    state: StateOptions,
) -> None:
    """Print a new token for a program. It is shown only this once."""
    from vitcam.access.tokens import create_token, tokens_file
    from vitcam.terminal.consoles import stderr_console, stdout_console

    made: list[str] = []
    write_state(state.owned_folder(), tokens_file, lambda folder: made.append(create_token(folder, name, scope)))
    stdout_console().print(made[0], highlight=False)
    stderr_console().print(
        f"This token may {scope.value}. It is not shown again: send it as `Authorization: Bearer …`."
    )


@token.command("list")
@grouped
def list_(as_json: JsonOption = False, *, state: StateOptions) -> None:
    """List the tokens: name, scope and date. Then the cameras whose token is kept here."""
    from vitcam.access.tokens import load_tokens
    from vitcam.parts.peers.access import load_peer_access
    from vitcam.terminal.consoles import stdout_console

    with state.owned_folder().acting() as folder:
        tokens, peers = load_tokens(folder), load_peer_access(folder)
    if as_json:
        rows = [{"name": each.name, "scope": each.scope, "created": each.created} for each in tokens]
        rows += [{"peer": name, "kept": access.kept} for name, access in peers.items()]
        for row in rows:
            print(json.dumps(row))  # noqa: T201
        return
    say = stdout_console().print
    if not tokens:
        say("There are no tokens. `vitcam token create NAME` makes one.")
    for each in tokens:
        say(f"{each.name}: {each.scope.value}, created {each.created}", highlight=False)
    for name, access in peers.items():
        say(f"{name}: of another camera, kept since {access.kept}", highlight=False)


@token.command()
@grouped
def revoke(name: Annotated[str, typer.Argument(help="Revoke the token of this name.")], *, state: StateOptions) -> None:
    """Revoke a token: it opens nothing any more."""
    from vitcam.access.tokens import revoke_token, tokens_file
    from vitcam.terminal.consoles import stderr_console

    write_state(state.owned_folder(), tokens_file, lambda folder: revoke_token(folder, name))
    stderr_console().print(f"The token {name!r} is revoked. A running daemon refuses it within some seconds.")


@token.command()
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


@token.command()
@grouped
def forget(
    name: Annotated[str, typer.Argument(help="Forget the token of this other camera.")], *, state: StateOptions
) -> None:
    """Forget the token of another camera. It stays valid there until it is revoked there."""
    from vitcam.parts.peers.access import forget_peer_access, peer_tokens_file
    from vitcam.terminal.consoles import stderr_console

    write_state(state.owned_folder(), peer_tokens_file, lambda folder: forget_peer_access(folder, name))
    stderr_console().print(f"The token of {name!r} is forgotten here. At the other camera, revoke it.")


def _token_from_stdin() -> str:
    """The first line; empty for a camera that asks for none."""
    return sys.stdin.readline(1000).strip()


def _asked_token(name: str) -> str:
    """Typed and not shown; empty for a camera that asks for none."""
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on; give the token as the first line of stdin, with --stdin")
    return getpass.getpass(f"Token of {name} (empty: it asks for none): ").strip()
