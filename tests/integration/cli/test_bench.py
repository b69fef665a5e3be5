"""`vitcam bench` as its user has it."""

import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.eventually import eventually
from vitcam import __version__ as vitcam_version
from vitcam.benchmark.peak_model import square_product

BRIEF = ("--threads", "1")
DOCUMENTED = {"model", "threads", "p50_ms", "p90_ms", "p99_ms", "fps", "partitions", "roofline_ms", "rss_mb"}


def test_the_bundled_model_is_measured_against_the_roofline_of_this_machine() -> None:
    result = vitcam("bench", "everyday", *BRIEF, "--json")
    (row,) = json.loads(result.out)

    assert result.code == 0, result.err
    assert set(row) >= DOCUMENTED
    assert (row["model"], row["threads"], row["partitions"], row["outside"]) == ("everyday", 1, 1, 0)
    assert 0 < row["p50_ms"] <= row["p90_ms"] <= row["p99_ms"]
    assert 0 < row["fraction"] < 10  # two measurements, between which a busy machine may change
    assert 30 < row["rss_mb"] < 220


def test_a_graph_that_is_no_classifier_is_timed_too(tmp_path: Path) -> None:
    path = tmp_path / "product.tflite"
    path.write_bytes(square_product("floating"))
    result = vitcam("bench", str(path), *BRIEF, "--json")
    (row,) = json.loads(result.out)

    assert result.code == 0, result.err
    assert 0 < row["fraction"] < 10  # two measurements, between which a busy machine may change
    assert row["roofline_ms"] > 0


def test_a_report_has_the_machine_its_versions_and_what_the_load_did(tmp_path: Path) -> None:
    path = tmp_path / "product.tflite"
    path.write_bytes(square_product("floating"))
    found = json.loads(vitcam("bench", str(path), *BRIEF, "--report", "--minutes", "0.01", "--json").out)

    assert found["machine"]["python"] == platform.python_version()
    assert f"vitcam {vitcam_version}" in found["machine"]["packages"]
    assert set(found) == {"machine", "rows", "minutes"}
    assert [minute["seconds"] for minute in found["minutes"]] == [0.6]
    assert found["minutes"][0]["fps"] > 0
    assert set(found["minutes"][0]["health"]) == {"celsius", "held_back_by", "since_boot"}


def test_people_get_a_column_for_each_number_of_threads_beside_machine_and_load(tmp_path: Path) -> None:
    path = tmp_path / "product.tflite"
    path.write_bytes(square_product("int8"))
    result = vitcam("bench", str(path), "--threads", "2,1", "--report", "--minutes", "0.01")

    assert result.code == 0, result.err
    assert "2 threads  1 thread" in result.out
    assert "reached" in result.out
    assert f"python {platform.python_version()}" in " ".join(result.out.split())
    assert "full load, 2 threads" in result.out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("evryday",), "everyday"),
        (("no/such.tflite",), "no/such.tflite"),
        ((__file__,), "not a TFLite model"),
        (("--threads", "0"), "from 1 to 64"),
        (("--report", "--minutes", "0"), "from 0.01 to 120"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_sentence(arguments: tuple[str, ...], word: str) -> None:
    result = vitcam("bench", *arguments)

    assert result.code == 2
    assert result.sentence.startswith("vitcam: ")
    assert word in result.sentence
    assert "Traceback" not in result.err
    assert result.out == ""


def test_ctrl_c_ends_a_measurement_at_once_and_leaves_no_child_behind() -> None:
    command = [sys.executable, "-m", "vitcam", "bench", "--threads", "1"]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    eventually(lambda: _others_in_session(child.pid))
    started = time.monotonic()
    os.kill(child.pid, signal.SIGINT)  # to the parent alone
    out, err = child.communicate(timeout=60)
    gone = eventually(lambda: not _others_in_session(child.pid), within_s=10)

    assert child.returncode == 130
    assert time.monotonic() - started < 10
    assert out == b""
    assert b"Traceback" not in err
    assert gone


def _others_in_session(leader: int) -> list[str]:
    """Processes of a session beside its leader, zombies left out."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue  # it has ended since
        if int(session) == leader and stat.parent.name != str(leader) and state != "Z":
            found.append(stat.parent.name)
    return found
