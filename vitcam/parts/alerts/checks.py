"""Whether every rule of the configuration does something."""

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.parts.alerts.settings import OnSettings


def rules(context: CheckContext) -> CheckResult:
    """The first rule that does nothing, with what to do."""
    all_rules = context.settings.rules_of(OnSettings)
    idle = [rule.idle for rule in all_rules if rule.idle]
    if not idle:
        return CheckResult("ok", f"{len(all_rules)} in the configuration")
    found, _, fix = idle[0].rpartition(": ")
    return CheckResult("warn", found, fix)


CHECKS = {"rules": rules}
