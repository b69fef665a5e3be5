"""`vitcam doctor`: its table, and commands that misbehave; what each check finds stands in files of their own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vitcam.cli import app
from vitcam.cli.doctor import render
from vitcam.config.camera import CameraSettings
from vitcam.config.settings import Settings
from vitcam.doctor import checks
from vitcam.doctor.check import Check, CheckContext, CheckResult, Grade
from vitcam.doctor.checks import all_checks, examine, run_checks
from vitcam.machine import Machine
from vitcam.processes.command import run_with_timeout


def names() -> list[str]:
    """Of all checks: those of parts come last."""
    return list(all_checks(CheckContext(Settings(), Machine({}))))


def test_a_check_that_raises_is_reported_as_a_failure_in_one_line(
    context: CheckContext, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: CheckContext) -> CheckResult:
        raise ValueError("over\nhere")

    check = examine("broken", broken, context)

    assert check == Check("broken", "fail", "could not be checked: ValueError: over here", "vitcam -v doctor")
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "in broken" in caplog.text, "the stack is in the log"


def test_people_read_every_finding_and_its_fix_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    render([Check("a", "ok", "is [fine]", ""), Check("bcd", "fail", "is not", "mend it")], as_json=False)

    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.splitlines() == ["ok    a    is [fine]", "FAIL  bcd  is not", "           → mend it"]


def test_machines_read_one_object_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    render([Check("a", "warn", "is µ", "mend it")], as_json=True)

    captured = capsys.readouterr()
    assert captured.err == ""
    assert json.loads(captured.out) == {
        "type": "doctor",
        "ok": True,
        "checks": [{"name": "a", "status": "warn", "found": "is µ", "fix": "mend it"}],
    }


@pytest.mark.parametrize(("status", "code"), [("ok", 0), ("warn", 0), ("fail", 1)])
def test_only_a_failure_makes_the_exit_status_one(status: Grade, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "run_checks", lambda _: [Check("a", "ok", "", ""), Check("b", status, "", "")])

    assert CliRunner().invoke(app, ["doctor"]).exit_code == code


def test_every_check_of_the_table_answers_on_this_machine() -> None:
    found = run_checks(Settings(camera=CameraSettings(source="demo")))

    assert [check.name for check in found] == names()
    assert all(check.found and "\n" not in check.found + check.fix for check in found)
    assert not [check for check in found if "could not be checked" in check.found]
    assert not [check for check in found if check.status == "fail" and not check.fix]


def test_the_doctor_speaks_where_numpy_is_broken(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('numpy.core.multiarray failed to import')")
    code = (
        "from vitcam.cli.doctor import render; from vitcam.doctor.checks import run_checks; "
        "from vitcam.config.settings import Settings; render(run_checks(Settings()), as_json=True)"
    )

    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )

    found = {check["name"]: check for check in json.loads(result.stdout)["checks"]}
    assert list(found) == names()
    assert found["python"]["status"] == "fail"
    assert "numpy.core.multiarray failed to import" in found["python"]["found"]
    assert result.returncode == 0


def test_a_command_that_hangs_is_given_up_in_time() -> None:
    result = run_with_timeout([sys.executable, "-c", "import signal; signal.pause()"], timeout_s=0.2)

    assert result.code is None
    assert result.last_words == "did not answer within 0.2 s"


def test_the_last_words_of_a_traceback_are_its_error() -> None:
    result = run_with_timeout([sys.executable, "-c", "raise KeyError('x')"], timeout_s=30)

    assert result.code == 1
    assert result.last_words == "KeyError: 'x'"


def test_ctrl_c_while_a_command_starts_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        """Ctrl-C comes when the child runs and its parent does not hold it yet."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_with_timeout([sys.executable, "-c", "import signal; signal.pause()"], timeout_s=30)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)

    assert started[0].poll() == -signal.SIGKILL
