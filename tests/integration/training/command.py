"""`vitcam-train` as a user calls it, in this process: starting one of its own takes seconds each time."""

from typer.testing import CliRunner

from vitcam_training.cli import app


def call(*arguments: object) -> str:
    """What a call that succeeds prints for programs."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)

    assert result.exit_code == 0, result.output

    return result.stdout
