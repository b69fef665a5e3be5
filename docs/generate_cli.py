"""Write docs/use/cli.md and vitcam's manual page from the commands' own options; --check tells if they are fresh."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperOption

from vitcam.cli import app as vitcam_app
from vitcam_training.cli import app as training_app

PAGE = Path(__file__).parent / "use" / "cli.md"
MANUAL = Path(__file__).parents[1] / "vitcam" / "cli" / "vitcam.1"
"""In the package: what builds a wheel reads that folder, in older versions, too."""
PROGRAMS = {"vitcam": vitcam_app, "vitcam-train": training_app}
KINDS = {"str": "TEXT", "text": "TEXT", "int": "N", "integer": "N", "float": "NUMBER", "path": "PATH"}
"""A type as typer calls it, in older and newer versions -> the word on the page."""
ESCAPED_BAR = "\\|"  # a bar that ends no cell of a table
HEAD = """# Commands

All commands and their options. `python docs/generate_cli.py` (or `make docs`) writes this page from the commands
themselves. `--help` after any of them prints the same.

Settings that have no option of their own can be set with `--set section.key=value`, in the environment, or in a file:
[configuration.md](configuration.md).

`vitcam --install-completion` lets your shell complete verbs, options, names of models and sources when you press Tab;
open a new terminal after it. It knows bash, zsh, fish and PowerShell. `vitcam --show-completion` prints the script
instead. Both want `vitcam` to be on the path.

`man vitcam` shows the commands of `vitcam` where it was installed by pip and its environment is active.
"""
ROFF = {"\\": r"\e", "-": r"\-", "`": r"\(ga", "'": r"\(aq", "^": r"\(ha", "~": r"\(ti"}
"""Characters that mean something else in a manual page, or that a terminal shows as another one."""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for name, app in PROGRAMS.items():
        parts += _described(typer.main.get_command(app), name, 2)
    return "\n".join(parts)


def parameters(command: Any) -> list[TyperArgument | TyperOption]:
    """The arguments and options of a command, as they are declared."""
    return [each for each in command.params if isinstance(each, TyperArgument | TyperOption) and not each.hidden]


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


def manual() -> str:
    """The manual page of `vitcam`, in roff.

    source  man(7)
    """
    command = typer.main.get_command(vitcam_app)
    purpose = str(command.help)
    lines = [
        '.TH VITCAM 1 "" vitcam "User Commands"',
        ".SH NAME",
        rf"vitcam \- {_roff(purpose[:1].lower() + purpose[1:].rstrip('.'))}",
        ".SH SYNOPSIS",
        r"\fBvitcam\fR [OPTIONS] COMMAND [ARGS]...",
        ".SH DESCRIPTION",
        _roff(f"{purpose} `vitcam COMMAND --help` says the same of one command as this page."),
        ".SH OPTIONS",
        *_entries(command),
        ".SH COMMANDS",
        *_sections(command, "vitcam"),
    ]
    return "\n".join(lines) + "\n"


def _sections(command: Any, name: str) -> Iterator[str]:
    """Of each command below this one: its usage, purpose and options. A group is a heading for those below it."""
    for verb, inner in getattr(command, "commands", {}).items():
        below = getattr(inner, "commands", {})
        yield f".SS {_roff(f'{name} {verb}')}"
        yield _roff(inner.help.replace("\n\n", "\n.PP\n") if inner.help else "")
        if not below:
            yield ".PP"
            yield rf"\fB{_roff(f'{name} {verb}')}\fR {_roff(_usage(inner))}"
            yield from _entries(inner)
        yield from _sections(inner, f"{name} {verb}")


def _entries(command: Any) -> Iterator[str]:
    for parameter in parameters(command):
        yield ".TP"
        yield _bold(parameter)
        yield _roff(f"{parameter.help or ''}{_default(parameter)}".strip())


def _bold(parameter: TyperArgument | TyperOption) -> str:
    """As it is typed: names in bold, the word in place of the value in italics."""
    if isinstance(parameter, TyperArgument):
        return rf"\fI{_roff(_kind(parameter))}\fR"
    names = ", ".join(rf"\fB{_roff(name)}\fR" for name in (*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else rf"{names} \fI{_roff(_kind(parameter))}\fR"


def _roff(text: str) -> str:
    """Text as roff has it: ASCII, and no line begins with a request; `.PP` on a line of its own begins a paragraph."""
    lines = []
    for line in text.splitlines():
        escaped = "".join(
            ROFF.get(letter, letter if letter.isascii() else rf"\[u{ord(letter):04X}]") for letter in line
        )
        lines.append(line if line == ".PP" else rf"\&{escaped}" if escaped[:1] in (".", "'") else escaped)
    return "\n".join(lines)


def main() -> int:
    """Exit status: 1 if --check found a page stale."""
    stale = False
    for path, wanted in ((PAGE, page()), (MANUAL, manual())):
        if "--check" not in sys.argv[1:]:
            path.write_text(wanted, "utf-8")
        elif not path.exists() or path.read_text("utf-8") != wanted:
            print(f"{path} is stale; run docs/generate_cli.py", file=sys.stderr)
            stale = True
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
