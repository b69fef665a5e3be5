"""`vitcam models …`: options and help."""

from typing import Annotated

import typer

from vitcam.cli.options import JsonOption

models_app = typer.Typer(help="Show and check the model files on this machine.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(help="Take this model: a name, or a .tflite file.")]


@models_app.command("list")
def models_list(as_json: JsonOption = False) -> None:
    """List every model that --model can name."""
    from vitcam.cli.models import show_list

    show_list(as_json)


@models_app.command("show")
def models_show(name: NameArgument, as_json: JsonOption = False) -> None:
    """Show what a model is, how it was measured, and what runs it here."""
    from vitcam.cli.models import show_card

    show_card(name, as_json)


@models_app.command("verify")
def models_verify(name: NameArgument, as_json: JsonOption = False) -> None:
    """Check a model with the golden images whose answers it carries."""
    from vitcam.cli.models import show_verification

    if not show_verification(name, as_json):
        raise typer.Exit(1)
