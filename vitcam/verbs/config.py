"""`vitcam config …`: options and help."""

import typer

from vitcam.cli.options import ConfigOption, JsonOption, SetOption

config_app = typer.Typer(help="Show and check the configuration.", no_args_is_help=True)


@config_app.command("show")
def config_show(config: ConfigOption = None, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Show every setting, its value, and where the value comes from."""
    from vitcam.cli.config import show_settings

    show_settings(config, sets or [], as_json)


@config_app.command("check")
def config_check(config: ConfigOption = None, sets: SetOption = None, as_json: JsonOption = False) -> None:
    """Check whether the daemon would accept the configuration."""
    from vitcam.cli.config import check_settings

    check_settings(config, sets or [], as_json)


@config_app.command("schema")
def config_schema() -> None:
    """Print the JSON Schema of the configuration file."""
    from vitcam.cli.config import show_schema

    show_schema()
