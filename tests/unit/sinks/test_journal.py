"""Entries of systemd's journal, received at a real datagram socket as the journal does."""

import io
import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.frames import prediction
from vitcam.frames import Event, Unreadable
from vitcam.sinks.journal import JournalLines, entry, is_read_by_journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "socket"))
        listening.settimeout(60)
        yield listening


def received(journal: socket.socket) -> dict[str, str]:
    """One entry, decoded as the journal's own documentation says."""
    data, fields = journal.recv(2**20), {}
    while data:
        line, _, rest = data.partition(b"\n")
        name, equals, value = line.partition(b"=")
        if not equals:
            size = int.from_bytes(rest[:8], "little")
            value, rest = rest[8 : 8 + size], rest[8 + size + 1 :]
        fields[name.decode()] = value.decode()
        data = rest
    return fields


def test_an_event_has_its_label_and_its_id_as_fields_and_its_json_as_the_message(
    journal: socket.socket, tmp_path: Path
) -> None:
    out = io.StringIO()
    sink = JournalLines(out, False, tmp_path / "socket")
    happened = Event("01J", "new", "cup", 0.9, 0, None, "demo")
    sink.event(happened)

    fields = received(journal)
    assert fields["VITCAM_EVENT_ID"] == happened.id
    assert fields["VITCAM_LABEL"] == happened.shown.label
    assert fields["VITCAM_PHASE"] == "new"
    assert fields["VITCAM_TYPE"] == "event"
    assert fields["MESSAGE"].startswith('{"type": "event"')
    assert (fields["SYSLOG_IDENTIFIER"], fields["PRIORITY"]) == ("vitcam", "6")
    assert "VITCAM_ZONE" not in fields, "it is in the whole view"
    assert out.getvalue() == "", "else it would be in the journal twice"


def test_a_prediction_and_a_broken_file_have_fields_too(journal: socket.socket, tmp_path: Path) -> None:
    sink = JournalLines(io.StringIO(), True, tmp_path / "socket")
    sink.prediction(replace(prediction("cup", 0.9), zone="door"), True)
    sink.unreadable(Unreadable("a.jpg", "not a picture"))

    fields = received(journal)
    assert (fields["VITCAM_LABEL"], fields["VITCAM_P"], fields["VITCAM_ZONE"]) == ("cup", "0.9", "door")
    assert received(journal)["VITCAM_PATH"] == "a.jpg"


def test_a_label_with_line_breaks_forges_no_field(journal: socket.socket, tmp_path: Path) -> None:
    forged = "cup\nPRIORITY=0\nVITCAM_EVENT_ID=x"
    JournalLines(io.StringIO(), True, tmp_path / "socket").prediction(prediction(forged, 0.9), True)

    fields = received(journal)
    assert fields["VITCAM_LABEL"] == forged
    assert fields["PRIORITY"] == "6"
    assert "VITCAM_EVENT_ID" not in fields
    assert entry({"A": "b\udcff"}) == b"A=b?\n"


def test_what_the_journal_does_not_take_is_printed(tmp_path: Path) -> None:
    out = io.StringIO()
    JournalLines(out, True, tmp_path / "nobody").prediction(prediction("cup", 0.9), True)

    assert '"label": "cup"' in out.getvalue()


def test_only_the_stream_that_systemd_connected_is_the_journals(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as out, (tmp_path / "other").open("w") as other:
        found = os.fstat(out.fileno())
        environ = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}

        assert is_read_by_journal(out, environ)
        assert not is_read_by_journal(other, environ)
        assert not is_read_by_journal(out, {})
        assert not is_read_by_journal(io.StringIO(), environ)
