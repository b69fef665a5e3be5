"""Options that several verbs take."""

from pathlib import Path
from typing import Annotated

import typer

ConfigOption = Annotated[Path | None, typer.Option("--config", help="Read this configuration file (TOML), too.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Set one value of the configuration. May be repeated."),
]
ServiceOption = Annotated[
    bool,
    typer.Option(
        "--service", help="Do it for the service, not for your own runs. Default for root where it is installed."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
