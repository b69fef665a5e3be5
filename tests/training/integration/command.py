"""`vitcam-train` as a user calls it, in this process: starting one of its own takes seconds each time."""

import typer
from typer.testing import CliRunner

from vitcam_training.cli import app


def call(*arguments: object, program: typer.Typer = app) -> str:
    """What a call that succeeds prints for programs; `program` may be a study."""
    result = CliRunner().invoke(program, [str(argument) for argument in arguments], catch_exceptions=False)

    assert result.exit_code == 0, result.output

    return result.stdout
