"""Whether the settings give the place that records need."""

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.errors import UsageError
from vitcam.parts.records.settings import PlaceSettings


def place(context: CheckContext) -> CheckResult:
    """The place as exports would give it; only half of one, or an unknown time zone, is a fault."""
    from vitcam.parts.records.site import Site

    given = context.settings[PlaceSettings]
    if not (given.latitude or given.longitude):
        return CheckResult("ok", "none is set; `vitcam export` needs one")
    try:
        site = Site.of(given, "")
    except UsageError as error:
        return CheckResult("warn", str(error), "vitcam config show")
    return CheckResult("ok", f"exports say {site.latitude}, {site.longitude}, to {site.uncertainty_m:,} m")


CHECKS = {"place": place}
