"""An hour of the bundled clip, with the model's own attention: what happens is found, and nothing else is reported."""

import subprocess
import sys

import pytest


@pytest.mark.slow("vitcam/parts/problems", "vitcam/pictures", "tests/bench/problems.py", "vitcam/sources/demo.mp4")
def test_faults_are_found_within_ten_seconds_and_an_hour_gives_no_false_alarm() -> None:
    command = [sys.executable, "-m", "tests.bench.problems"]
    measured = subprocess.run(command, capture_output=True, text=True, timeout=1200)

    assert measured.returncode == 0, measured.stdout + measured.stderr
    assert "demo.mp4: 0 false alarms in 1 h as it is, 0 in 1 h of changing light" in measured.stdout
