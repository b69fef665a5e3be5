"""What runs in the interpreter of a checkout, of this version or of an older one, and prints JSON.

Nothing but what is public is used of vitcam: the entry points of its programs, and `Classifier` and `open_source`.

    child.py where                       the folder of the checkout, and its version
    child.py options PROGRAM             every command of vitcam or vitcam-train with its options
    child.py run PROGRAM ARGUMENT...     the program itself
    child.py predictions MODEL SOURCE…   what a model says of every picture
"""

import dataclasses
import enum
import hashlib
import itertools
import json
import sys
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NoReturn

import vitcam

ROOT = Path(vitcam.__file__).parents[1]
ALL_LABELS = 100_000
MOST_FRAMES = 48
"""Of a source: the demo begins again at its end."""
OF_A_PREDICTION = (
    *("size", "crop", "top", "known", "familiarity", "certainty", "groups", "blank", "zone"),
    *("attention", "embedding", "rollout", "rows", "evidence", "evidence_share"),
)
OF_AN_OPTION = ("required", "multiple", "nargs", "is_flag", "metavar", "help", "hidden", "envvar")


def entry(program: str) -> Callable[[], None]:
    """What a console script calls. An editable installation may be older than pyproject.toml, so that comes first."""
    project = ROOT / "pyproject.toml"
    if project.exists():
        target = tomllib.loads(project.read_text("utf-8"))["project"]["scripts"][program]
    else:
        target = next(iter(entry_points(group="console_scripts", name=program))).value
    module, _, function = target.partition(":")
    found: Callable[[], None] = getattr(import_module(module), function)
    return found


def options(program: str) -> dict[str, Any]:
    """By the words that lead to it, such as `vitcam events list`, what each command takes."""
    from typer.core import TyperCommand, TyperGroup

    class Called(BaseException):
        """In place of a run."""

    def main(command: Any, *_: object, **__: object) -> NoReturn:
        raise Called(command)

    for kind in (TyperGroup, TyperCommand):
        setattr(kind, "main", main)  # noqa: B010 - mypy knows that it is another kind of function
    sys.argv = [program]
    try:
        entry(program)()
    except Called as called:
        return dict(described(called.args[0], program))
    raise AssertionError(f"{program} called no command of typer")


def described(command: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """A command, then those below it."""
    context = command.make_context(name, [], resilient_parsing=True)
    parameters = {parameter_name(each): parameter(each) for each in command.params}
    below = list(command.list_commands(context)) if hasattr(command, "list_commands") else []
    yield (
        name,
        {"help": command.help, "hidden": command.hidden, "below": below, "order": list(parameters)}
        | {"parameters": parameters},
    )
    for word in below:
        yield from described(command.get_command(context, word), f"{name} {word}")


def parameter_name(each: Any) -> str:
    """Of an option its first name; of an argument, whose own name nobody sees, its kind and its metavar."""
    return each.opts[0] if each.param_type_name == "option" else f"argument {each.metavar or each.name.upper()}"


def parameter(each: Any) -> dict[str, Any]:
    """What a person can see of an option or an argument."""
    return {
        "names": [*each.opts, *each.secondary_opts] if each.param_type_name == "option" else [],
        "default": plain(each.default),
        "type": each.type.name,
        "choices": [plain(choice) for choice in getattr(each.type, "choices", ())],
        "limits": [getattr(each.type, name, None) for name in ("min", "max")],
        **{name: plain(getattr(each, name, None)) for name in OF_AN_OPTION},
    }


def plain(value: Any) -> Any:
    """As JSON has it; what JSON does not know, as text without addresses in memory."""
    if isinstance(value, enum.Enum):
        return value.value if isinstance(value.value, str | int) else value.name
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else type(value).__name__


def predictions(model: str, sources: list[str]) -> dict[str, Any]:
    """By source, number and call, what the model says, with every bit of its numbers."""
    classifier: Any = vitcam.Classifier(model, threads=1, top_k=ALL_LABELS)
    found = {}
    for source in sources:
        with vitcam.open_source(source) as frames:
            for number, frame in enumerate(itertools.islice(frames, MOST_FRAMES)):
                name = f"{Path(frame.path).name if frame.path else source} {number}"
                found[name] = digest(classifier(frame))
                found[f"{name}, explained"] = digest(classifier(frame, explain=True))
    return found


def digest(prediction: Any) -> dict[str, Any]:
    """Of each part of a prediction a text that another value does not have."""
    return {name: exact(getattr(prediction, name, "missing")) for name in OF_A_PREDICTION}


def exact(value: Any) -> Any:
    """Every bit of it: a float as hexadecimal digits, an array as its SHA-256."""
    if isinstance(value, bool | int | str | None):
        return value
    if isinstance(value, float):
        return value.hex()
    if dataclasses.is_dataclass(value):
        return [exact(getattr(value, field.name)) for field in dataclasses.fields(value)]
    if isinstance(value, list | tuple):
        parts = [exact(each) for each in value]
        return parts if len(parts) < 10 else [*parts[:3], hashlib.sha256(json.dumps(parts).encode()).hexdigest()]
    return [str(value.dtype), list(value.shape), hashlib.sha256(value.tobytes()).hexdigest()]


def main(task: str, *given: str) -> None:
    """Print what is asked for, or run a program, which ends the process."""
    if task == "run":
        sys.argv = list(given)
        return entry(given[0])()
    answers: dict[str, Callable[[], Any]] = {
        "where": lambda: [str(ROOT), vitcam.__version__],
        "options": lambda: options(given[0]),
        "predictions": lambda: predictions(given[0], list(given[1:])),
    }
    found = answers[task]()
    print(json.dumps(found))
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
