"""`vitcam actions …`: options and help."""

from typing import Annotated

import typer

from vitcam.cli.options import ConfigOption, JsonOption, SetOption

actions_app = typer.Typer(help="Try what rules do.", no_args_is_help=True)


@actions_app.callback()
def actions() -> None:
    """Try what rules do."""


@actions_app.command("test")
def actions_test(
    rules: Annotated[list[str] | None, typer.Argument(metavar="[RULE]...", help="Names of rules. None: all.")] = None,
    config: ConfigOption = None,
    sets: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Do the actions of rules now, with an event that is made up.

    The conditions of the rules are ignored. The event carries `"test": true`. A command runs as you, not inside the
    sandbox of the service.
    """
    from vitcam.cli.actions import try_rules

    try_rules(rules or [], config, sets or [], as_json)
