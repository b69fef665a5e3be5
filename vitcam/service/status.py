"""`vitcam service status`: plain lines about every unit."""

from collections.abc import Iterator

from vitcam.errors import VitcamError
from vitcam.service.journal import last_failure
from vitcam.service.network import reachable_address, settings_of
from vitcam.service.places import Instance, Places
from vitcam.service.releases import current_release
from vitcam.service.systemctl import enabled_units, properties, units_in_use


def status_lines(places: Places) -> tuple[list[str], bool]:
    """What to print, and whether every unit is ready. Raises VitcamError if there is no unit, or systemd is silent."""
    units = sorted({*units_in_use(), *enabled_units(places)})
    if not units:
        raise VitcamError("no service of vitcam is enabled or runs; install it: sudo vitcam service install")
    found = {unit: properties(unit) for unit in units}
    lines = [line for unit, about in found.items() for line in _about(places, unit, about)]
    return lines, all(about.get("ActiveState") == "active" for about in found.values())


def _about(places: Places, unit: str, found: dict[str, str]) -> Iterator[str]:
    since = found.get("StateChangeTimestamp", "")
    yield f"{unit}: {found.get('ActiveState')} ({found.get('SubState')}){f' since {since}' if since else ''}"
    if found.get("StatusText"):
        yield f"  status    {found['StatusText']}"
    release = current_release(places)
    yield f"  version   {f'{release.version} in {release.folder}' if release else 'not installed'}"
    yield f"  address   {_address(places, unit)}"
    yield f"  boot      {'starts by itself' if found.get('UnitFileState') == 'enabled' else 'does not start by itself'}"
    failure = last_failure(unit)
    restarts = found.get("NRestarts", "0")
    if failure or restarts != "0":
        yield f"  restarts  {restarts} since it was started; last failure: {failure or 'not in the journal any more'}"


def _address(places: Places, unit: str) -> str:
    try:
        return (
            reachable_address(settings_of(places, Instance.of_unit(unit)).web) or "none that is fixed; the log names it"
        )
    except VitcamError as error:
        return f"unknown: {error}"
