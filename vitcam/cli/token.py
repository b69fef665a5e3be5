"""`vitcam token …`."""

import json
from typing import Annotated

import typer

from vitcam.access.tokens import Scope
from vitcam.cli.options import JsonOption, StateOptions, write_state
from vitcam.cli.part_verbs import PartVerbs
from vitcam.parts import PARTS
from vitcam.run.part import load_each
from vitcam.terminal.verbs import grouped


class TokenVerbs(PartVerbs):
    """Those of `vitcam token`."""

    verb = "token"


token = typer.Typer(
    cls=TokenVerbs, help="Create, list and revoke tokens, and keep those of other cameras.", no_args_is_help=True
)


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
    from vitcam.terminal.consoles import stdout_console

    with state.owned_folder().acting() as folder:
        tokens = load_tokens(folder)
        others = [each for kept in load_each(part.tokens for part in PARTS) for each in kept(folder)]
    if as_json:
        rows = [{"name": each.name, "scope": each.scope, "created": each.created} for each in tokens]
        for row in (*rows, *(record for record, _ in others)):
            print(json.dumps(row))  # noqa: T201
        return
    say = stdout_console().print
    if not tokens:
        say("There are no tokens. `vitcam token create NAME` makes one.")
    for each in tokens:
        say(f"{each.name}: {each.scope.value}, created {each.created}", highlight=False)
    for _, sentence in others:
        say(sentence, highlight=False)


@token.command()
@grouped
def revoke(name: Annotated[str, typer.Argument(help="Revoke the token of this name.")], *, state: StateOptions) -> None:
    """Revoke a token. Programs that use it are refused from then on."""
    from vitcam.access.tokens import revoke_token, tokens_file
    from vitcam.terminal.consoles import stderr_console

    write_state(state.owned_folder(), tokens_file, lambda folder: revoke_token(folder, name))
    stderr_console().print(f"The token {name!r} is revoked. A running daemon refuses it within some seconds.")
