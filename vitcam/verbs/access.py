"""`vitcam password` and `vitcam token …`: options and help."""

from typing import Annotated

import typer

from vitcam.access.tokens import Scope
from vitcam.cli.options import ServiceOption

token_app = typer.Typer(help="Create, list and revoke tokens: passwords for programs.", no_args_is_help=True)

InstanceOption = Annotated[
    str, typer.Option("--instance", metavar="NAME", help="Do it for this instance of the service.", show_default=False)
]


def password(
    stdin: Annotated[bool, typer.Option("--stdin", help="Read the password from stdin, one line.")] = False,
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """Set the password that the page asks for when the network can reach it."""
    from vitcam.cli.access import Whose, set_password

    set_password(stdin, Whose(service, instance))


@token_app.command("create")
def token_create(
    name: Annotated[str, typer.Argument(help="Call the token by this name.")],
    scope: Annotated[Scope, typer.Option("--scope", help="Allow to look only, or to do everything.")] = Scope.READ,
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """Print a new token for a program. It is shown only this once."""
    from vitcam.cli.access import Whose, add_token

    add_token(name, scope, Whose(service, instance))


@token_app.command("list")
def token_list(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")] = False,
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """List the tokens: name, scope and date."""
    from vitcam.cli.access import Whose, show_tokens

    show_tokens(as_json, Whose(service, instance))


@token_app.command("revoke")
def token_revoke(
    name: Annotated[str, typer.Argument(help="Revoke the token of this name.")],
    service: ServiceOption = False,
    instance: InstanceOption = "",
) -> None:
    """Revoke a token: it opens nothing any more."""
    from vitcam.cli.access import Whose, remove_token

    remove_token(name, Whose(service, instance))
