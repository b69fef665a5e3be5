"""Write docs/use/cli.md from the commands' own options; --check tells if the page is fresh."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperOption

from vitcam.cli import app as vitcam_app
from vitcam_training.cli import app as training_app

PAGE = Path(__file__).parent / "use" / "cli.md"
PROGRAMS = {"vitcam": vitcam_app, "vitcam-train": training_app}
KINDS = {"str": "TEXT", "text": "TEXT", "int": "N", "integer": "N", "float": "NUMBER", "path": "PATH"}
"""A type as typer calls it, in older and newer versions -> the word on the page."""
ESCAPED_BAR = "\\|"  # a bar that ends no cell of a table
HEAD = """# Commands

For people who look up an option. `python docs/generate_cli.py` (or `make docs`) writes this page from the commands
themselves. `--help` after any of them prints the same.

Settings that have no option of their own can be set with `--set section.key=value`, in the environment, or in a file:
[configuration.md](configuration.md).
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for name, app in PROGRAMS.items():
        parts += _described(typer.main.get_command(app), name, 2)
    return "\n".join(parts)


def parameters(command: Any) -> list[TyperArgument | TyperOption]:
    """The arguments and options of a command, as they are declared."""
    return [each for each in command.params if isinstance(each, TyperArgument | TyperOption)]


def _described(command: Any, name: str, level: int) -> Iterator[str]:
    """The heading, purpose, usage and options of a command, then the same of each command below it.

    command  typer's own object; its class lies in another module from version to version
    """
    below: dict[str, Any] = getattr(command, "commands", {})
    yield f"{'#' * level} {name}\n"
    yield f"{command.help}\n"
    yield f"```text\n{name} {_usage(command)}{' COMMAND' if below else ''}\n```\n"
    if rows := [_row(parameter) for parameter in parameters(command)]:
        yield "\n".join(["| argument or option | meaning |", "|---|---|", *rows]) + "\n"
    for verb, inner in below.items():
        yield from _described(inner, f"{name} {verb}", 3)


def _usage(command: Any) -> str:
    places = [each for each in parameters(command) if isinstance(each, TyperArgument)]
    return " ".join(["[OPTIONS]", *(_kind(each) if each.required else f"[{_kind(each)}]" for each in places)])


def _row(parameter: TyperArgument | TyperOption) -> str:
    cells = (_names(parameter), f"{parameter.help or ''}{_default(parameter)}".strip())
    return f"| {' | '.join(cell.replace('|', ESCAPED_BAR) for cell in cells)} |"


def _names(parameter: TyperArgument | TyperOption) -> str:
    """How it is typed, such as `--top-k N`."""
    if isinstance(parameter, TyperArgument):
        return f"`{_kind(parameter)}`"
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} `{_kind(parameter)}`"


def _kind(parameter: TyperArgument | TyperOption) -> str:
    """The word in place of the value."""
    choices = getattr(parameter.type, "choices", None)
    if parameter.metavar or choices:
        return parameter.metavar or "|".join(choices or ())
    if isinstance(parameter, TyperArgument):
        return str(parameter.name).upper()
    return KINDS[parameter.type.name.partition(" ")[0]]


def _default(parameter: TyperArgument | TyperOption) -> str:
    if parameter.required:
        return " Required." if isinstance(parameter, TyperOption) else ""
    if any(parameter.default is nothing for nothing in (None, False)) or parameter.default in ("", []):
        return ""
    return f" Default: {parameter.default}."


def main() -> int:
    """Exit status: 1 if --check found the page stale."""
    wanted = page()
    if "--check" in sys.argv[1:]:
        stale = not PAGE.exists() or PAGE.read_text("utf-8") != wanted
        if stale:
            print(f"{PAGE} is stale; run docs/generate_cli.py", file=sys.stderr)
        return int(stale)
    PAGE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
