"""The `vitcam-train` command: its log, and how it ends. A module for each verb holds its options, help and call.

Keras, JAX and TensorFlow are imported by the verb that needs them: `--help` takes no five seconds.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.logging import RichHandler
from typer.core import TyperGroup

from vitcam._version import __version__
from vitcam.errors import UsageError, VitcamError
from vitcam.terminal.consoles import exit_code, release_stdout
from vitcam.terminal.verbs import LazyVerbs
from vitcam_training.backend import choose_backend

MODULES = {"import": "import_weights"}
VERBS = {
    verb: f"{__name__}.{MODULES.get(verb, verb)}"
    for verb in ("finetune", "fit", "import", "export", "evaluate", "report", "words", "split", "draw")
}
"""In the order in which people come to need them -> the module, which has a function of its name."""
STUDIES = {
    "ablate": "ablation", "bias": "inductive_bias", "compare": "quantisation", "mistakes": "mistakes",
    "overlays": "faithfulness",
}  # fmt: skip
"""Verbs of version 0.1.0 -> the folders of training/study that they are in now."""
HELP_NAMES = {"help_option_names": ["-h", "--help"]}


class TrainingVerbs(TyperGroup):
    """The group of all verbs; it knows what became of those that are studies now."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**(attributes | {"commands": LazyVerbs(VERBS, interruptible)}))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Raises UsageError for a verb that is a study."""
        if cmd_name in STUDIES:
            study = f"python -m vitcam_training.study.{STUDIES[cmd_name]}"
            raise UsageError(f"{cmd_name} is a study, no verb any more: in a checkout of vitcam, run {study}")
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=TrainingVerbs,
    help="Make models for vitcam: train, import foreign weights, export, measure.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=HELP_NAMES,
)

OTHER_EXTRAS = {"jax": "vitcam[accelerators]", "onnx": "vitcam[onnx]", "torch": "torch", "sklearn": "scikit-learn"}
"""Packages that the extra `train` does not bring -> what installs them."""
LOGGED = ("vitcam", "vitcam_training")
LEVELS = {False: logging.INFO, True: logging.DEBUG}


def main() -> None:
    """Run the command line."""
    run(app, "vitcam-train")


def run(command: typer.Typer, program: str) -> None:
    """Run a command line; every refusal is one sentence on stderr and the exit code of its kind.

    program  its name, in front of the sentence
    """
    sys.unraisablehook = _interrupt_again
    try:
        command()
    except SystemExit as end:
        unwritten, code = release_stdout(), exit_code(end)
        if unwritten and not code and not isinstance(unwritten, BrokenPipeError):
            _end(program, f"the output cannot be written: {unwritten.strerror}", VitcamError.exit_code)
        sys.exit(code)
    except VitcamError as error:
        _end(program, str(error), error.exit_code)
    except OSError as error:  # a full disk, a folder without permission: not a bug
        _end(program, str(error), VitcamError.exit_code)
    except Exception as error:  # the outermost frame: a bug must not look like a crash to its user
        if (sentence := _not_installed(error)) is None:
            log = logging.getLogger("vitcam_training")
            if log.isEnabledFor(logging.DEBUG) or not sys.stderr.isatty():  # a file keeps the stack of a run of hours
                log.exception("failed unexpectedly")
            sentence = f"failed unexpectedly, please report it, with what --verbose says: {error!r}"
        _end(program, sentence, VitcamError.exit_code)


def _not_installed(error: Exception) -> str | None:
    """Which package is missing, and what installs it; None for any other error, and for a missing module of our own.

    The daemon is installed without the packages that train. Verbs import them where they need them, without a check.
    """
    package = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if package in ("", "vitcam", "vitcam_training") or package in sys.stdlib_module_names:
        return None
    source = OTHER_EXTRAS.get(package, "vitcam[train]")
    return f"this needs the package {package}, which is not installed; install it with: pip install '{source}'"


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Ctrl-C within a callback of the garbage collector, which JAX has, would be lost: it comes once more."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


def _end(program: str, message: str, code: int) -> None:
    release_stdout()
    print(f"{program}: {message}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def interruptible(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb that ends with a sentence when Ctrl-C comes where nothing else handles it.

    Keras' backend is chosen before it runs, by the recipe and the hosts of a verb that trains.
    """

    @wraps(verb)
    def run(*given: object, **named: Any) -> None:
        try:
            choose_backend(_measured_on(named.get("recipe")), several_hosts=named.get("hosts") is not None)
            verb(*given, **named)
        except KeyboardInterrupt:
            raise VitcamError("interrupted; what was saved before is kept, so run the same command again") from None

    return run


def _measured_on(recipe: str | Path | None) -> str:
    """The backend that a recipe's figures were measured on; empty: any. Raises UsageError if there is no recipe."""
    if not recipe:  # of a study, its own
        return ""
    from vitcam_training.recipes.recipe import read_recipe

    return read_recipe(recipe).backend


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vitcam-train {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens inside, too.")] = False,
) -> None:
    """Start the log before any verb runs."""
    begin(verbose)


def begin(verbose: bool) -> None:
    """Start the log: our own lines, and the warnings of others."""
    handler = RichHandler(console=Console(stderr=True), show_path=False, markup=False)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name in LOGGED:
        logging.getLogger(name).handlers = [handler]
        logging.getLogger(name).setLevel(LEVELS[verbose])
    others = logging.StreamHandler()
    others.setLevel(logging.WARNING)
    others.addFilter(lambda record: record.name.partition(".")[0] not in LOGGED)
    logging.basicConfig(handlers=[others])  # else TensorFlow's converter does, and each of our lines comes twice
