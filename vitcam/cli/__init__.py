"""The `vitcam` command. A module for each verb holds its options, help and call. Only this file prints errors."""

import errno
import logging
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from vitcam._version import __version__
from vitcam.errors import TOLD_ELSEWHERE, UsageError, VitcamError
from vitcam.parts import PARTS
from vitcam.terminal.consoles import exit_code, prepare_streams, release_stdout
from vitcam.terminal.verbs import LazyVerbs
from vitcam.text import printable, shortened

VERBS = (
    *("run", "explain", "events", "models", "words"),
    *("doctor", "bench", "config", "service", "password", "token"),
)
"""In the order in which people come to need them. A module of that name has a function or a typer of that name. Those
of a part stand where it says.
"""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Verbs(TyperGroup):
    """The group of all verbs."""

    def __init__(self, **attributes: Any) -> None:
        modules = {verb: f"{__name__}.{verb}" for verb in VERBS}
        modules |= {verb: module for part in PARTS for verb, module in part.verbs.items() if " " not in verb}
        modules = {verb: modules[verb] for verb in _in_order()}
        super().__init__(**(attributes | {"commands": LazyVerbs(modules)}))


def _in_order() -> list[str]:
    """Those of the base, with those of a part behind the one that it names, else at the end."""
    order = [*VERBS]
    for part in PARTS:
        place = order.index(part.after) + 1 if part.after else len(order)
        order[place:place] = [verb for verb in part.verbs if " " not in verb]
    return order


app = typer.Typer(
    cls=Verbs,
    help="A camera that says what it sees and shows where it looked.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line. Every error is one sentence on stderr, with the exit code of its class."""
    prepare_streams()
    code = _ended()
    unwritten = release_stdout()
    if unwritten and not code and not isinstance(unwritten, BrokenPipeError):
        code = _said(unwritten)
    sys.exit(code)


def _ended() -> int | str | None:
    """Run the verb, and return the exit code."""
    try:
        app()
    except SystemExit as end:
        return exit_code(end)
    except VitcamError as error:
        print(f"vitcam: {printable(str(error))}", file=sys.stderr)  # noqa: T201
        return error.exit_code
    except KeyboardInterrupt:
        return 130  # as a shell reports it; a daemon has its own handler, and ends with 0
    except BrokenPipeError:  # `vitcam … | head`: the reader has what it wanted
        return 0
    except Exception as error:  # the outermost function: a bug must not look like a crash
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            return _said(error)
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            name = shortened(printable(str(error.filename)))
            print(f"vitcam: {name} is too long for the name of a file; a disk takes 255 bytes", file=sys.stderr)  # noqa: T201
            return UsageError.exit_code
        _ensure_log()
        logging.getLogger("vitcam").exception("failed unexpectedly", extra=TOLD_ELSEWHERE)
        print(f"vitcam: failed unexpectedly, please report it: {printable(repr(error))}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _said(error: OSError) -> int:
    """Say that there is no room for the output; returns the exit code."""
    where = f"{error.filename} cannot be written" if error.filename else "the output cannot be written"
    print(f"vitcam: {printable(where)}: {error.strerror}; make room or write elsewhere", file=sys.stderr)  # noqa: T201
    return 1


def _ensure_log() -> None:
    """Start the log where an error came before `root` could do so."""
    if not logging.getLogger("vitcam").handlers:
        from vitcam.terminal.logs import start_logging

        start_logging()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vitcam {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens inside, too.")] = False,
) -> None:
    """Start the log before any verb runs."""
    from vitcam.terminal.logs import start_logging

    start_logging(verbose)
