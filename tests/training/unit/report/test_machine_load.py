"""Whether a report says when its latency was measured beside others."""

import subprocess
import sys

import pytest

from vitcam_training.report import machine_load as room
from vitcam_training.report.machine_load import MachineLoad, Moment, machine_load, now

SPIN = """
import sys, time
while time.process_time() < 0.5:
    pass
print("spun", flush=True)
sys.stdin.read()
"""
STAT = "cpu  100 20 30 9000 500 1 2 3 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n"


def test_what_the_report_itself_computes_is_no_company() -> None:
    found = machine_load(Moment(10.0, own_s=3.0, busy_s=100.0), Moment(20.0, own_s=18.0, busy_s=119.0))

    assert found.cores == pytest.approx(0.4)
    assert not found.at_rest
    assert "other processes kept 0.4 of the machine's" in found.words
    assert "longer than on an idle machine" in found.words


def test_where_the_system_does_not_tell_nothing_is_pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "STAT", room.STAT / "absent")
    found = machine_load(now(), now())

    assert found.cores is None
    assert "could not be measured on this machine; the load average was" in found.words


@pytest.mark.skipif(not room.STAT.is_file(), reason="only Linux tells what its cores do")
def test_a_process_that_keeps_a_core_busy_is_noticed() -> None:
    before = now()
    with subprocess.Popen([sys.executable, "-c", SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as spinner:
        assert spinner.stdout
        assert spinner.stdout.readline() == b"spun\n"
        found = machine_load(before, now())  # while it runs: it is no child that was waited for
        spinner.communicate()

    assert found.cores is not None
    assert found.cores > 0.3
    assert MachineLoad(found.cores, found.load).words.startswith("The machine was busy")
