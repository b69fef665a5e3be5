"""What a child process gets of the daemon's environment."""

from pathlib import Path

import pytest

from tests.eventually import eventually
from vitcam.processes.child import Child


def test_a_child_gets_no_variable_that_may_hold_a_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tells_its_environment.py").write_text(
        "import os, pathlib, sys\npathlib.Path(sys.argv[-1]).write_text(repr(dict(os.environ)))\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("VITCAM_WEB_PASSWORD", "correct horse 7")
    monkeypatch.setenv("VITCAM_CAMERA_SOURCE", "rtsp://admin:hunter2@camera/")
    told = tmp_path / "told"
    child = Child("a test's process", "tells_its_environment", arguments=[str(told)])
    assert eventually(lambda: child.has_ended, 30)
    child.end()

    assert "PYTHONPATH" in told.read_text()
    assert "VITCAM_" not in told.read_text()
