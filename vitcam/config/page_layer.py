"""What was set on the page among all settings: it lies below the others, and what is wrong in it is left out."""

from collections.abc import Mapping
from typing import Any

from vitcam.config.check import checked
from vitcam.config.layers import PageLayer
from vitcam.config.old_motion import OldMotion
from vitcam.config.on_page import ON_PAGE, PROTECTING, page_option, why_not
from vitcam.config.removed import removal_of
from vitcam.config.settings import options
from vitcam.errors import ConfigError
from vitcam.text import shortened

DEFAULT = "default"
"""Origin of a setting that was not given."""
_MOST_NAMED = 5


def take_page(page: PageLayer, values: dict[str, Any], warnings: list[str], old_motion: OldMotion) -> set[str]:
    """Put what was set on the page among the values; returns the names of what was taken."""
    taken, left_out = set(), list[str]()
    for given in page:
        try:
            raw = old_motion.meaning(given)
        except ConfigError as error:
            warnings.append(f"{error}; it counts as not set")
            continue
        if raw is None:
            continue
        name = f"{raw.section}.{raw.key}"
        if removal := removal_of(name):
            warnings.append(f"{page.origin}: {removal}")
            continue
        option = page_option(name)
        if option is None:
            why = why_not(name) or "no setting has that name"
            left_out.append(f"{shortened(name)!r} ({why})")
            continue
        try:
            values[name] = checked(option, raw)
        except ConfigError as error:
            warnings.append(f"{error}; it counts as not set")
            continue
        taken.add(name)
    if left_out:
        more = f" and {len(left_out) - _MOST_NAMED:,} more" if len(left_out) > _MOST_NAMED else ""
        warnings.append(f"{page.origin}: the page cannot set {', '.join(left_out[:_MOST_NAMED])}{more}; left out")
    return taken


def settle_page(of_page: set[str], values: dict[str, Any], origins: dict[str, str], warnings: list[str]) -> None:
    """Where thresholds of the page contradict each other or those of the configuration, they count as not set."""
    pair = of_page & {"events.enter", "events.leave"}
    if not pair or values["events.leave"] <= values["events.enter"]:
        return
    warnings.append(
        f"events.leave is {values['events.leave']:g} and events.enter {values['events.enter']:g}, and leave may be at "
        f"most enter; {' and '.join(sorted(pair))}, set on the page, count as not set"
    )
    for name in pair:
        values[name], origins[name] = options()[name].default, DEFAULT
    of_page -= pair


def unread_of(page: PageLayer, origins: Mapping[str, str]) -> tuple[frozenset[str], str]:
    """Settings of the page that cannot be read and that nothing else sets; and why no event may go for its age."""
    found = {name for name in page.values if origins.get(name) == DEFAULT and name in ON_PAGE}
    if named := [name for name in PROTECTING if name in found]:
        are = "is" if len(named) == 1 else "are"
        return frozenset(found), f"{' and '.join(named)} {are} set in {page.origin} to what cannot be read"
    if page.unread and origins["store.keep_days"] == DEFAULT:
        return frozenset({*found, "store.keep_days"}), page.unread
    return frozenset(found), ""
