"""Whether the second models that the settings ask for are there."""

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import VitcamError
from vitcam.model.files import find_model
from vitcam.parts.second.settings import SecondRule, SpeciesSettings


def second_models(context: CheckContext) -> CheckResult:
    """The first one that cannot be used, with what to do."""
    from vitcam.model.bundle import read  # other checks speak also where NumPy is broken
    from vitcam.parts.second.published import PUBLISHED

    settings = context.settings
    rules = (*settings.rules_of(SecondRule), *settings[SpeciesSettings].rules)
    for rule in rules:
        try:
            read(find_model(rule.model))
        except (VitcamError, OSError) as error:
            fix = f"vitcam models get {rule.model}" if rule.model in PUBLISHED else "vitcam models list"
            return CheckResult("warn", f"nothing more is said of {rule.when}: {error}", fix)
    return CheckResult("ok", ", ".join(f"{rule.model} at {rule.when}" for rule in rules) or "none is asked for")


CHECKS = {"second models": second_models}
