"""When something counts as being there, as the settings say it."""

from vitcam.config.settings import EventSettings
from vitcam.events import Rules


def rules_of(events: EventSettings) -> Rules:
    """The rules that hold in every zone that has none of its own."""
    return Rules(events.half_life_s, events.enter, events.leave, events.dwell_s, gap_s=events.gap_s)
