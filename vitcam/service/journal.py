"""What the journal has of a unit: the last sentence of a process says why it ended."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from vitcam.errors import VitcamError
from vitcam.processes.command import run_with_timeout

_ANSWER_WITHIN_S = 60
_NEWEST = 300  # lines that are looked through
_FAILURE = "d9b373ed55a64feb8242e02dbe79a49c"  # SD_MESSAGE_UNIT_FAILURE_RESULT of sd-messages.h
_OWN = "vitcam: "  # how the command line begins the sentence that a run ends with
_ERROR = "ERROR "  # how the log begins an error


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One entry of a unit's journal."""

    text: str
    invocation: str
    """Identifies one run of the unit."""
    by_systemd: bool
    """True: systemd wrote it, not the unit's process."""
    result: str = ""
    """Why a run failed, in systemd's word, such as `watchdog`; empty in all other entries."""


def cursor(unit: str) -> str:
    """The end of the unit's journal; empty if it is empty or there is no journal."""
    out = _journalctl("--unit", unit, "--lines=1", "--show-cursor", "--output=cat")
    return next((line[len("-- cursor: ") :] for line in out.splitlines() if line.startswith("-- cursor: ")), "")


def lines_of(unit: str, *matches: str, after: str = "") -> list[JournalLine]:
    """The unit's newest entries, oldest first.

    matches  further conditions, FIELD=VALUE
    after    a cursor: only what came later
    """
    where = [f"--after-cursor={after}"] if after else []
    shown = _journalctl("--unit", unit, f"--lines={_NEWEST}", "--output=json", *where, *matches)
    return [_line(json.loads(text)) for text in shown.splitlines() if text.startswith("{")]


def last_sentence(lines: Sequence[JournalLine]) -> str:
    """Why the process ended, in its own words; empty if it said nothing that explains it."""
    said = [line.text for line in lines if not line.by_systemd]
    own = [text.removeprefix(_OWN) for text in said if text.startswith(_OWN)]
    logged = [text.removeprefix(_ERROR) for text in said if text.startswith(_ERROR)]
    # such as the last line of a stack; never a prediction or an event
    other = [text for text in said if not text.startswith(("{", "INFO ", "WARNING "))]
    return (own or logged or other or [""])[-1].strip().rstrip(".")


def last_failure(unit: str) -> str:
    """Why the unit last failed: systemd's word, then the process's own; empty if it has not failed since the boot."""
    failed = lines_of(unit, f"MESSAGE_ID={_FAILURE}", "--boot")
    if not failed:
        return ""
    said = last_sentence(lines_of(unit, f"_SYSTEMD_INVOCATION_ID={failed[-1].invocation}"))
    return f"{failed[-1].result}: {said}" if said else failed[-1].result


def show_log(unit: str, lines: int, follow: bool) -> NoReturn:
    """Become journalctl, which then has the terminal. Raises VitcamError if there is none."""
    command = ["journalctl", "--no-pager", "--unit", unit, f"--lines={lines}", *(["--follow"] if follow else [])]
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        raise VitcamError(f"journalctl cannot be started: {error.strerror}") from error


def _journalctl(*arguments: str) -> str:
    """Empty if the journal cannot be read: a reason that is missing must not stop what asked for it."""
    try:
        run_with_timeout(["journalctl", "--sync"], _ANSWER_WITHIN_S)  # what was said last may be on its way
        return run_with_timeout(["journalctl", "--quiet", "--no-pager", *arguments], _ANSWER_WITHIN_S).out
    except FileNotFoundError:
        return ""


def _line(entry: dict[str, Any]) -> JournalLine:
    message = entry.get("MESSAGE") or ""
    if isinstance(message, list):  # journalctl gives bytes that do not form a text as numbers
        message = bytes(message).decode(errors="replace")
    invocation = entry.get("_SYSTEMD_INVOCATION_ID") or entry.get("INVOCATION_ID") or ""
    result = entry.get("UNIT_RESULT", "")
    return JournalLine(message, str(invocation), entry.get("SYSLOG_IDENTIFIER") == "systemd", str(result))
