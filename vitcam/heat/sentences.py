"""What people read of heat and power: the log, the page and the status line."""

from vitcam.state import Heat

_WEAK = (
    "The power supply is too weak (under-voltage), so the firmware slows the processor and the machine may crash. "
    "Use the official 27 W supply and a short cable."
)
_SLOWED = "The firmware slows the processor because it is too hot{at}. Add a fan or a heat sink."
_LIMITED = (
    "The processor is hot{at}, so vitcam classifies {most}. Then the firmware does not slow it. Add a fan or a heat "
    "sink for more."
)


def advice_for(heat: Heat) -> str:
    """What is wrong and what helps, in full sentences; empty while all is well."""
    found = []
    if "under-voltage" in heat.hindrances:
        found.append(_WEAK)
    if "soft temperature limit" in heat.hindrances:
        found.append(_SLOWED.format(at=_at(heat)))
    elif heat.max_fps:
        found.append(_LIMITED.format(at=_at(heat), most=_most(heat)))
    return " ".join(found)


def step_sentence(heat: Heat) -> str:
    """One line of the log for a change of the limits."""
    if not heat.max_fps:
        return f"the processor is cool enough{_at(heat)}: the rate is not limited any more"
    here = "too hot" if heat.celsius is None else f"at {heat.celsius:.0f} °C"
    return f"the processor is {here}, its limit is {heat.limit_celsius:g} °C: {_most(heat)} are classified"


def status_words(heat: Heat) -> str:
    """The end of the status line: why it is slower than it could be; empty while nothing is wrong."""
    found = [f"at most {heat.max_fps:.1f} fps because of heat{_at(heat)}"] if heat.max_fps else []
    found += [each for each in heat.hindrances if each in ("under-voltage", "soft temperature limit")]
    return ", ".join(found)


def _at(heat: Heat) -> str:
    return "" if heat.celsius is None else f" ({heat.celsius:.0f} °C)"


def _most(heat: Heat) -> str:
    threads = f" with {heat.threads} thread{'s' if heat.threads > 1 else ''}" if heat.threads else ""
    return f"at most {heat.max_fps:.1f} frames/s{threads}"
