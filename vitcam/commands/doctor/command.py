"""`vitcam doctor`: every check there is, in one table. A check that fails itself is reported like any other finding."""

import json
import logging
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import asdict

from rich.text import Text

from vitcam.commands.doctor import camera, machine, model, python, service
from vitcam.commands.doctor.check import Check, Examination, Examined
from vitcam.config.settings import Settings
from vitcam.errors import TOLD_ELSEWHERE
from vitcam.machine import Machine
from vitcam.terminal.consoles import for_results

log = logging.getLogger(__name__)

CHECKS: dict[str, Examination] = {
    "python": python.python,
    "picamera2": python.picamera2,
    "camera": camera.camera,
    "model": model.model,
    "runtime": model.runtime,
    "port": service.port,
    "service": service.unit,
    "disk": machine.disk,
    "memory": machine.memory,
    "temperature": machine.temperature,
    "power": machine.power,
}

_MARKS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "bold red")}


def run_checks(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Check]:
    """Every check, in the order of the table; takes a few seconds, more where something hangs. Raises nothing."""
    examined = Examined(settings, Machine(environ))
    return [examine(name, examination, examined) for name, examination in CHECKS.items()]


def examine(name: str, examination: Examination, examined: Examined) -> Check:
    """One check; what it raises is its finding, since the worst machine needs the other checks most."""
    try:
        with redirect_stdout(sys.stderr):  # a broken OpenCV prints its complaint between our JSON
            finding = examination(examined)
    except Exception as error:
        log.exception("the check %s failed unexpectedly", name, extra=TOLD_ELSEWHERE)
        sentence = " ".join(str(error).split()) or "no reason given"
        return Check(name, "fail", f"could not be checked: {type(error).__name__}: {sentence}", "vitcam -v doctor")
    return Check(name, finding.status, finding.found, finding.fix)


def any_failed(checks: Iterable[Check]) -> bool:
    """Whether the exit status is 1."""
    return any(check.status == "fail" for check in checks)


def render(checks: list[Check], as_json: bool) -> None:
    """On stdout: one JSON object, or a list for people."""
    if as_json:
        record = {"type": "doctor", "ok": not any_failed(checks), "checks": [asdict(check) for check in checks]}
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    console = for_results()
    width = max(len(check.name) for check in checks)
    for check in checks:
        mark, style = _MARKS[check.status]
        console.print(Text.assemble((mark, style), f"  {check.name:<{width}}  {check.found}"), highlight=False)
        if check.fix:
            console.print(Text(f"      {'':<{width}}  → {check.fix}", style="cyan"), highlight=False)
