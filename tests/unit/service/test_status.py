"""`vitcam service status` and what the journal says: each line is one that a person needs."""

import json

import pytest

from tests.unit.service.conftest import FakeMachine
from vitcam.errors import VitcamError
from vitcam.service.journal import JournalLine, last_sentence, lines_of
from vitcam.service.status import status_lines
from vitcam.service.systemctl import bring_up

FAILS = "echo 'vitcam: the camera caught fire.'; exit 1"


def said(text: str) -> JournalLine:
    return JournalLine(text, "i1", by_systemd=False)


def test_a_service_that_runs_is_described_in_plain_lines(installed: FakeMachine) -> None:
    lines, ready = status_lines(installed.places)

    assert ready
    assert lines == [
        "vitcam.service: active (running)",
        "  status    cup 93%",
        f"  version   1.0 in {installed.places.releases / '1'}",
        "  address   http://127.0.0.1:8420",
        "  boot      starts by itself",
    ]


def test_a_service_that_failed_says_its_last_reason(installed: FakeMachine) -> None:
    (installed.places.home / "bin/vitcam").write_text(f"#!/bin/sh\n{FAILS}\n")
    bring_up("vitcam.service", 0)

    lines, ready = status_lines(installed.places)

    assert not ready
    assert "  restarts  1 since it was started; last failure: exit-code: the camera caught fire" in lines


def test_a_configuration_that_is_wrong_does_not_hide_the_rest(installed: FakeMachine) -> None:
    installed.places.system_config.write_text("[web]\nport = 99999\n")

    lines, _ = status_lines(installed.places)

    assert lines[0] == "vitcam.service: active (running)"
    assert any(line.startswith("  address   unknown: ") and "web.port is 99999" in line for line in lines)


def test_every_camera_has_lines_of_its_own(installed: FakeMachine) -> None:
    (installed.places.config / "front.toml").write_text("[web]\nport = 8431\n")
    installed.install(instance="front")

    lines, _ = status_lines(installed.places)

    assert [line for line in lines if not line.startswith(" ")] == [
        "vitcam.service: active (running)",
        "vitcam@front.service: active (running)",
    ]
    assert "  address   http://127.0.0.1:8431" in lines


def test_without_a_service_one_sentence_says_how_to_install_it(machine: FakeMachine) -> None:
    with pytest.raises(VitcamError, match="install it: sudo vitcam service install"):
        status_lines(machine.places)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["INFO model", "vitcam: no port.", '{"type": "summary"}'], "no port"),
        (["Traceback (most recent call last):", "KeyError: 'x'"], "KeyError: 'x'"),
        (
            ["INFO model", "ERROR the watchdog is not fed any more: hung", "WARNING slow"],
            "the watchdog is not fed any more: hung",
        ),
        (
            ["ERROR not fed: hung", "Fatal Python error: Aborted", "Extension modules: numpy (total: 10)"],
            "not fed: hung",
        ),
        (["INFO model", '{"type": "event"}'], ""),
        ([], ""),
    ],
)
def test_the_last_sentence_of_a_process_is_the_one_that_explains_its_end(lines: list[str], sentence: str) -> None:
    assert last_sentence([said(text) for text in lines]) == sentence


def test_lines_of_systemd_and_lines_that_are_no_text_are_read_too(machine: FakeMachine) -> None:
    entries: list[dict[str, object]] = [
        {"MESSAGE": [118, 255], "SYSLOG_IDENTIFIER": "vitcam"},
        {"MESSAGE": None, "SYSLOG_IDENTIFIER": "vitcam"},
        {"MESSAGE": "Failed", "SYSLOG_IDENTIFIER": "systemd", "INVOCATION_ID": "i1", "UNIT_RESULT": "watchdog"},
    ]
    (machine.root / "journal").write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))

    assert lines_of("vitcam.service") == [
        JournalLine("v�", "", False),
        JournalLine("", "", False),
        JournalLine("Failed", "i1", True, "watchdog"),
    ]
