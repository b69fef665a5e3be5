"""`vitcam doctor`: every check there is, in one table. A check that raises is reported like any other result."""

import logging
import os
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout

from vitcam.config.settings import Settings
from vitcam.doctor import camera, kept, machine, model, python, service
from vitcam.doctor.check import Check, CheckContext, CheckFunction
from vitcam.errors import TOLD_ELSEWHERE
from vitcam.machine import Machine
from vitcam.parts import PARTS
from vitcam.run.part import load_each

log = logging.getLogger(__name__)

CHECKS: dict[str, CheckFunction] = {
    "python": python.python,
    "picamera2": python.picamera2,
    "camera": camera.camera,
    "model": model.model,
    "models": model.installed,
    "runtime": model.runtime,
    "port": service.port,
    "access": service.access,
    "service": service.unit,
    "disk": machine.disk,
    "databases": kept.databases,
    "memory": machine.memory,
    "temperature": machine.temperature,
    "power": machine.power,
}


def run_checks(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[Check]:
    """Every check, in the order of the table; takes a few seconds, more where something hangs. Raises nothing."""
    context = CheckContext(settings, Machine(environ))
    return [examine(name, function, context) for name, function in all_checks(context).items()]


def all_checks(context: CheckContext) -> Mapping[str, CheckFunction]:
    """Those of the base and of the parts, by their names."""
    found = dict(CHECKS)
    for checks in load_each(part.checks for part in PARTS):
        found |= checks(context) if callable(checks) else checks
    return found


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
