"""`vitcam doctor`."""

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from vitcam.cli.options import ConfigOptions, JsonOption
from vitcam.terminal.consoles import stdout_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.doctor.check import Check

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red")}


@grouped
def doctor(as_json: JsonOption = False, *, config: ConfigOptions) -> None:
    """Check camera, model, runtime, port and machine, and say how to repair what is wrong."""
    from vitcam.doctor.checks import run_checks

    checks = run_checks(config.load({}).settings)
    render(checks, as_json)
    if _any_failed(checks):
        raise typer.Exit(1)


def render(checks: "list[Check]", as_json: bool) -> None:
    """On stdout: one JSON object, or a list for people."""
    if as_json:
        record = {"type": "doctor", "ok": not _any_failed(checks), "checks": [asdict(check) for check in checks]}
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    from rich.text import Text

    console = stdout_console()
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark, style = _MARKS[check.status]
        console.print(Text.assemble((mark, style), f"  {check.name:<{width}}  {check.found}"), highlight=False)
        if check.fix:
            console.print(Text(f"      {'':<{width}}  → {check.fix}", style="cyan"), highlight=False)


def _any_failed(checks: "list[Check]") -> bool:
    return any(check.status == "fail" for check in checks)
