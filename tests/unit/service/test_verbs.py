"""The command line of `vitcam service`: who may, and where."""

import os
import shutil
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tests.unit.service.conftest import FakeMachine
from vitcam.cli import app
from vitcam.cli.service import as_sentence
from vitcam.errors import UsageError, VitcamError


@pytest.mark.parametrize("verb", ["install", "upgrade", "uninstall"])
def test_what_changes_the_machine_needs_root_and_says_what_to_type(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    result = CliRunner().invoke(app, ["service", verb])

    assert isinstance(result.exception, UsageError)
    assert str(result.exception) == f"only root can change services; type: sudo vitcam service {verb}"


def test_a_full_disk_is_one_sentence_and_no_stack() -> None:
    said = r"^/etc/x: No space left on device; make room or repair it, then try again$"

    with pytest.raises(VitcamError, match=said), as_sentence():
        raise OSError(28, os.strerror(28), "/etc/x")


def test_a_disk_that_fills_while_a_folder_is_copied_is_one_sentence() -> None:
    with pytest.raises(VitcamError, match=r"^\[Errno 28\] No space left on device; make room"), as_sentence():
        raise shutil.Error([("a", "b", "[Errno 28] No space left on device")])


def test_logs_are_those_of_journalctl_with_its_exit_status(machine: FakeMachine) -> None:
    journalctl = machine.root / "programs/journalctl"
    journalctl.write_text('#!/bin/sh\necho "$@"\nexit 3\n')

    shown = subprocess.run(
        [sys.executable, "-m", "vitcam", "service", "logs", "--lines", "7", "--follow", "--instance", "front"],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert shown.stdout == "--no-pager --unit vitcam@front.service --lines=7 --follow\n"
    assert shown.returncode == 3
