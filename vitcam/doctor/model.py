"""The model: whether its answers are right on this machine, and what runs it.

NumPy, OpenCV and LiteRT are imported late, since the doctor must also work where one of them is broken.
"""

import os
from typing import TYPE_CHECKING

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import VitcamError
from vitcam.model.files import list_models, unreadable_models

if TYPE_CHECKING:
    from vitcam.model.classifier import Classifier

_RUNTIME = "ai-edge-litert"
"""With the older one, a model has operators outside of the delegate however it was exported."""


def model(context: CheckContext) -> CheckResult:
    """Whether the golden images in the model file are answered rightly."""
    name = context.settings.model.name
    try:
        results = _load(context).verify()
    except VitcamError as error:
        return CheckResult("fail", str(error), "vitcam models list")
    if not results:
        return CheckResult("warn", f"{name} carries no golden images, so its answers cannot be checked", "")
    wrong = [result for result in results if not result.same]
    if wrong:
        first = wrong[0]
        found = (
            f"{len(wrong)} of {len(results)} golden images are answered wrongly: "
            f"{first.name} is {first.answer}, not {first.right_answer}"
        )
        return CheckResult("fail", found, "pip install --force-reinstall vitcam ai-edge-litert")
    untrue = [result for result in results if not result.right]
    if untrue:
        first = untrue[0]
        found = f"{name} calls {first.name} {first.shown or 'nothing'}, and the picture shows {first.true}"
        return CheckResult("warn", found, "a model that knows it better: vitcam models list")
    return CheckResult("ok", f"{name}: {len(results)} golden images answered rightly")


def installed(_: CheckContext) -> CheckResult:
    """Whether every installed model can be read."""
    if unreadable := unreadable_models():
        return CheckResult("fail", "; ".join(unreadable), "vitcam models list")
    return CheckResult("ok", f"{', '.join(list_models())} can be read")


def runtime(context: CheckContext) -> CheckResult:
    """What runs the model, with how many threads, and whether one delegate runs the whole graph."""
    try:
        info = _load(context).runtime
    except VitcamError as error:
        return CheckResult("fail", str(error), "vitcam models list")
    found = (
        f"{info.name} {info.version}, {info.threads} thread(s), {info.partitions} delegate partition(s), "
        f"{info.outside} operator(s) outside"
    )
    cores = len(os.sched_getaffinity(0))
    if info.threads > cores:
        return CheckResult(
            "warn", f"{found}; this machine has {cores} core(s)", f"--threads {cores}, or 0 to let vitcam choose"
        )
    if info.partitions != 1 or info.outside:
        remedy = "export it again: vitcam-train export" if info.name == _RUNTIME else f"pip install {_RUNTIME}"
        return CheckResult("warn", f"{found}; the model runs slower than it could", remedy)
    return CheckResult("ok", found)


def _load(context: CheckContext) -> "Classifier":
    from vitcam.open_model import open_classifier

    return open_classifier(context.settings.model)
