"""Whether every rule of the configuration does something."""

from vitcam.doctor.check import CheckContext, CheckResult


def rules(context: CheckContext) -> CheckResult:
    """The first rule that does nothing, with what to do."""
    idle = [rule.idle for rule in context.settings.on if rule.idle]
    if not idle:
        return CheckResult("ok", f"{len(context.settings.on)} in the configuration")
    found, _, fix = idle[0].rpartition(": ")
    return CheckResult("warn", found, fix)
