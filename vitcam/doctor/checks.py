"""`vitcam doctor`: every check there is, in one table. A check that raises is reported like any other result."""

import json
import logging
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import asdict

from rich.text import Text

from vitcam.config.settings import Settings
from vitcam.doctor import access, camera, clips, machine, model, python, service
from vitcam.doctor.check import Check, CheckContext, CheckFunction
from vitcam.errors import TOLD_ELSEWHERE
from vitcam.machine import Machine
from vitcam.terminal.consoles import stdout_console

log = logging.getLogger(__name__)

CHECKS: dict[str, CheckFunction] = {
    "python": python.python,
    "picamera2": python.picamera2,
    "camera": camera.camera,
    "model": model.model,
    "runtime": model.runtime,
    "port": service.port,
    "access": access.access,
    "service": service.unit,
    "clips": clips.clips,
    "disk": machine.disk,
    "memory": machine.memory,
    "temperature": machine.temperature,
    "power": machine.power,
}

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red")}


def run_checks(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Check]:
    """Every check, in the order of the table; takes a few seconds, more where something hangs. Raises nothing."""
    context = CheckContext(settings, Machine(environ))
    return [examine(name, function, context) for name, function in CHECKS.items()]


def examine(name: str, function: CheckFunction, context: CheckContext) -> Check:
    """One check; what it raises is its result, since the other checks must still run."""
    try:
        with redirect_stdout(sys.stderr):  # a broken OpenCV prints its complaint between our JSON
            result = function(context)
    except Exception as error:
        log.exception("the check %s failed unexpectedly", name, extra=TOLD_ELSEWHERE)
        sentence = " ".join(str(error).split()) or "no reason given"
        return Check(name, "fail", f"could not be checked: {type(error).__name__}: {sentence}", "vitcam -v doctor")
    return Check(name, result.status, result.found, result.fix)


def any_failed(checks: Iterable[Check]) -> bool:
    """Whether the exit status is 1."""
    return any(check.status == "fail" for check in checks)


def render(checks: list[Check], as_json: bool) -> None:
    """On stdout: one JSON object, or a list for people."""
    if as_json:
        record = {"type": "doctor", "ok": not any_failed(checks), "checks": [asdict(check) for check in checks]}
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    console = stdout_console()
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark, style = _MARKS[check.status]
        console.print(Text.assemble((mark, style), f"  {check.name:<{width}}  {check.found}"), highlight=False)
        if check.fix:
            console.print(Text(f"      {'':<{width}}  → {check.fix}", style="cyan"), highlight=False)
