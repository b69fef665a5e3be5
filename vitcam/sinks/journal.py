"""Records with fields of their own in systemd's journal, where that reads what vitcam prints.

source  https://systemd.io/JOURNAL_NATIVE_PROTOCOL
"""

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from vitcam.sinks.jsonl import JsonLines

_SOCKET = Path("/run/systemd/journal/socket")
_SEND_TIMEOUT_S = 0.5
_INFO = "6"  # syslog(3)


class JournalLines(JsonLines):
    """As `JsonLines`, but each line becomes an entry with fields such as VITCAM_LABEL.

    What the journal does not take is printed, and so is in the journal without these fields.

    out      is read by the journal
    address  of the journal's socket
    """

    def __init__(self, out: TextIO, every: bool, address: Path = _SOCKET) -> None:
        super().__init__(out, every)
        self._address = str(address)

    def _write(self, record: dict[str, Any]) -> None:
        if not self._send(entry(fields_of(record))):
            super()._write(record)

    def _send(self, data: bytes) -> bool:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
                sock.settimeout(_SEND_TIMEOUT_S)
                sock.sendto(data, self._address)
        except OSError:  # it is being restarted, or the entry is too large for a datagram
            return False
        return True


def is_read_by_journal(out: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether systemd has connected this very stream to its journal.

    source  systemd.exec(5) on JOURNAL_STREAM: a child may have inherited the variable and not the stream
    """
    try:
        found = os.fstat(out.fileno())
    except (OSError, ValueError):
        return False
    return environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


def fields_of(record: Mapping[str, Any]) -> dict[str, str]:
    """The fields of one record: the JSON as the message, and what people search for. What is null has no field."""
    shown = record.get("shown") or {}
    fields = {
        "MESSAGE": json.dumps(record, ensure_ascii=False),
        "PRIORITY": _INFO,
        "SYSLOG_IDENTIFIER": "vitcam",
        "VITCAM_TYPE": record["type"],
        "VITCAM_LABEL": shown.get("label"),
        "VITCAM_P": shown.get("p"),
        "VITCAM_EVENT_ID": record.get("id"),
        "VITCAM_PHASE": record.get("phase"),
        "VITCAM_KIND": record.get("kind"),
        "VITCAM_ZONE": record.get("zone"),
        "VITCAM_CAMERA": record.get("camera", record.get("source")),
        "VITCAM_PATH": record.get("path"),
    }
    return {name: str(value) for name, value in fields.items() if value is not None}


def entry(fields: Mapping[str, str]) -> bytes:
    """A datagram of the native protocol. A value with a line break has its length before it."""
    return b"".join(_field(name.encode(), value.encode(errors="replace")) for name, value in fields.items())


def _field(name: bytes, value: bytes) -> bytes:
    if b"\n" not in value:
        return name + b"=" + value + b"\n"
    return name + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"
