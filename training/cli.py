"""The `vitcam-train` command: what it is called with, its log, and how it ends. Its verbs are in `verbs/`.

Keras, JAX and TensorFlow are imported by the verb that needs them: `--help` takes no five seconds.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer
from rich.console import Console
from rich.logging import RichHandler

from vitcam.errors import UsageError, VitcamError
from vitcam_training.verbs.drawing import draw
from vitcam_training.verbs.learn import finetune, fit
from vitcam_training.verbs.make import compare, export, import_weights
from vitcam_training.verbs.measure import ablate, bias, evaluate, overlays, report, split_data
from vitcam_training.verbs.mistakes import mistakes
from vitcam_training.verbs.words import words

app = typer.Typer(
    help="Make models for vitcam: train, import foreign weights, export, measure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

BACKENDS = ("jax", "torch", "tensorflow")
LEVELS = {False: logging.INFO, True: logging.DEBUG}


def main() -> None:
    """Run the command line; every refusal is one sentence on stderr and the exit code of its kind."""
    sys.unraisablehook = _interrupt_again
    try:
        app()
    except VitcamError as error:
        _end(str(error), error.exit_code)
    except OSError as error:  # a full disk, a folder without permission: not a bug
        _end(str(error), VitcamError.exit_code)
    except Exception as error:  # the outermost frame: a bug must not look like a crash to its user
        log = logging.getLogger("vitcam_training")
        if log.isEnabledFor(logging.DEBUG) or not sys.stderr.isatty():  # a file keeps the stack of a run of hours
            log.exception("failed unexpectedly")
        _end(f"failed unexpectedly, please report it, with what --verbose says: {error!r}", VitcamError.exit_code)


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Ctrl-C within a callback of the garbage collector, which JAX has, would be lost: it comes once more."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


def _end(message: str, code: int) -> None:
    print(f"vitcam-train: {message}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def _interruptible(verb: Callable[..., None]) -> Callable[..., None]:
    """A verb that ends with a sentence when Ctrl-C comes where nothing else handles it."""

    @wraps(verb)
    def run(*given: object, **named: object) -> None:
        try:
            verb(*given, **named)
        except KeyboardInterrupt:
            raise VitcamError("interrupted; what was saved before is kept, so run the same command again") from None

    return run


@app.callback()
def root(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens inside, too.")] = False,
) -> None:
    """Start the log and choose Keras' backend before any verb imports it."""
    backend = os.environ.setdefault("KERAS_BACKEND", "jax")
    if backend not in BACKENDS:
        raise UsageError(f"KERAS_BACKEND is {backend!r}; allowed: {', '.join(BACKENDS)}")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    if backend != "tensorflow":  # it only converts then, and greets on stderr where oneDNN is on
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    handler = RichHandler(console=Console(stderr=True), show_path=False, markup=False)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name in ("vitcam", "vitcam_training"):
        logging.getLogger(name).handlers = [handler]
        logging.getLogger(name).setLevel(LEVELS[verbose])


VERBS: dict[str, Callable[..., None]] = {
    "finetune": finetune, "fit": fit, "import": import_weights, "export": export, "compare": compare,
    "evaluate": evaluate, "report": report, "ablate": ablate, "bias": bias, "overlays": overlays, "split": split_data,
    "words": words, "draw": draw, "mistakes": mistakes,
}  # fmt: skip
for name, verb in VERBS.items():
    app.command(name)(_interruptible(verb))
