"""What TensorFlow Lite says of itself when a model is loaded, and what it says when that fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import need_model
from vitcam.model.delegate_message import without_delegate_message

LOAD = "import sys; from pathlib import Path; from vitcam.model.runtime import open_interpreter as o; "


def test_a_model_is_loaded_without_a_word_on_stderr() -> None:
    code = LOAD + f"print(o(Path({str(need_model('mnist'))!r}), 1).info.partitions)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)

    assert (done.stdout, done.stderr) == ("1\n", "")


def test_every_line_but_the_delegate_message_comes_out_in_order(capfd: pytest.CaptureFixture[str]) -> None:
    @without_delegate_message()
    def fail() -> None:
        os.write(2, b"ERROR: op 7 is unknown\nINFO: Created TensorFlow Lite XNNPACK delegate for CPU.\n")
        os.write(2, b"and the file ends early")
        raise ValueError("no model")

    with pytest.raises(ValueError, match="no model"):
        fail()

    assert capfd.readouterr().err == "ERROR: op 7 is unknown\nand the file ends early"


def test_a_closed_stderr_is_no_obstacle(tmp_path: Path) -> None:
    code = LOAD + f"print(o(Path({str(need_model('mnist'))!r}), 1).info.partitions)"
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -c "$1" 2>&-', sys.executable, code],
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
    )

    assert done.stdout == "1\n"
