"""systemd's own view of the units: start them, ask how they are. Each call has a time limit."""

import time
from collections.abc import Iterable

from vitcam.errors import VitcamError
from vitcam.processes.command import CommandResult, run_with_timeout
from vitcam.service.journal import cursor, last_sentence, lines_of
from vitcam.service.places import Places

_ANSWER_WITHIN_S = 60
_START_WITHIN_S = 900  # systemd ends a start after the unit's own TimeoutStartSec; this is for a systemctl that hangs
_POLL_S = 0.5
SETTLE_S = 5.0
"""How long a service must stay up after READY before its start counts as successful."""
_RESULTS = {
    "timeout": "it was not ready within the time-out of its start",
    "watchdog": "it did not feed systemd's watchdog",
    "oom-kill": "it used more memory than the unit allows",
    "resources": "systemd could not start it; `systemctl status` says why",
}


def systemctl(*arguments: str, timeout_s: float = _ANSWER_WITHIN_S) -> CommandResult:
    """Raises VitcamError if there is no systemctl."""
    try:
        return run_with_timeout(["systemctl", *arguments], timeout_s)
    except FileNotFoundError:
        raise VitcamError("there is no program systemctl; start vitcam by hand: vitcam run") from None


def systemctl_checked(*arguments: str) -> None:
    """A call that may not fail. Raises VitcamError with systemctl's words."""
    reply = systemctl(*arguments)
    if reply.code != 0:
        raise VitcamError(f"systemctl {' '.join(arguments)} failed: {reply.last_words}")


def properties(unit: str) -> dict[str, str]:
    """systemd's properties of a unit, by name. Raises VitcamError if systemd does not answer."""
    reply = systemctl("show", unit)
    if reply.code != 0:
        raise VitcamError(f"systemd does not answer: {reply.last_words}")
    return dict(line.partition("=")[::2] for line in reply.out.splitlines())


def units_in_use() -> list[str]:
    """vitcam's units that systemd runs, tries to run, or has failed to run."""
    states = "--state=active,activating,reloading,deactivating,failed"
    return _listed(systemctl("list-units", "--all", "--plain", "--no-legend", states, "vitcam.service", "vitcam@*"))


def enabled_units(places: Places) -> list[str]:
    """vitcam's units that systemd starts at boot, by the links that `systemctl enable` makes."""
    return sorted({link.name for link in places.units.glob("*.wants/vitcam*.service") if _is_ours(link.name)})


def bring_up(unit: str, settle_s: float = SETTLE_S, within_s: float = _START_WITHIN_S) -> str:
    """Start or restart the unit, and wait until it is ready and stays so.

    settle_s  how long it must stay, in s
    within_s  how long to wait for it, in s
    returns   why it did not become ready; empty: it did
    """
    before = cursor(unit)
    systemctl("reset-failed", unit)
    reply = systemctl("restart", unit, timeout_s=within_s)
    if reply.code == 0 and _stays(unit, settle_s):
        return ""
    return last_sentence(lines_of(unit, after=before)) or _in_words(properties(unit)) or reply.last_words


def bring_all_up(units: Iterable[str], settle_s: float, within_s: float = _START_WITHIN_S) -> str:
    """As `bring_up`, one after the other, up to the first that does not become ready."""
    for unit in units:
        if why := bring_up(unit, settle_s, within_s):
            return why if unit == "vitcam.service" else f"{unit}: {why}"
    return ""


def _stays(unit: str, settle_s: float) -> bool:
    first = properties(unit)
    deadline = time.monotonic() + settle_s
    while True:
        now = properties(unit)
        if now.get("ActiveState") not in ("active", "reloading") or now.get("MainPID") != first.get("MainPID"):
            return False
        if time.monotonic() >= deadline:
            return True
        time.sleep(_POLL_S)


def _in_words(found: dict[str, str]) -> str:
    result = found.get("Result", "")
    if result in ("exit-code", "signal", "core-dump"):
        how = "a signal" if result != "exit-code" else f"exit status {found.get('ExecMainStatus', '')}"
        return f"it ended with {how} and said nothing"
    return _RESULTS.get(result, "")


def _listed(reply: CommandResult) -> list[str]:
    names = [line.split()[0] for line in reply.out.splitlines() if line.strip()]
    return [name for name in names if _is_ours(name)]


def _is_ours(unit: str) -> bool:
    return unit == "vitcam.service" or (unit.startswith("vitcam@") and unit.removeprefix("vitcam@") != ".service")
