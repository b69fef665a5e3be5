"""docs/study/notebook.ipynb runs from its first cell to its last, and prints and draws what is committed."""

import base64
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.docs.pages import ROOT
from vitcam.pictures.decode import decode_image

pytestmark = pytest.mark.slow(
    "docs/study/notebook.ipynb",
    "docs/generate_notebook.py",
    "training/vit.py",
    "training/study/reference.py",
    "vitcam/model",
    "models/mnist.tflite",
    "training/fit",
)

JUPYTER = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
"""Where Jupyter would use the user's own settings, kernels and history."""
NUMBER = re.compile(r"-?\d+\.\d+")
TRAINED = re.compile(r"^ *(\d+)  (\d\.\d+)  (\d+\.\d+)%$|^trained above  (\d+\.\d+)%$", re.MULTILINE)
"""Lines of the cells that train: what comes out depends on how each processor rounds."""
_TIMEOUT_S = 900


def outputs(notebook: Path) -> list[dict[str, Any]]:
    """What all cells put out, in order."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return [output for cell in cells for output in cell.get("outputs", [])]


def printed(found: list[dict[str, Any]]) -> str:
    return "".join("".join(output["text"]) for output in found if output["output_type"] == "stream")


def pictures(found: list[dict[str, Any]]) -> list[Any]:
    data = [output["data"]["image/jpeg"] for output in found if "image/jpeg" in output.get("data", {})]
    return [decode_image(base64.b64decode("".join(each))).astype(float) for each in data]


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The outputs of a new run."""
    folder = tmp_path_factory.mktemp("notebook")
    path = folder / "run.ipynb"
    command = [sys.executable, str(ROOT / "docs" / "generate_notebook.py"), "-o", str(path)]
    environ = {**os.environ, **dict.fromkeys(JUPYTER, str(folder))}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=_TIMEOUT_S)
    assert done.returncode == 0, done.stderr
    return outputs(path)


def test_a_new_run_prints_what_the_committed_notebook_shows(again: list[dict[str, Any]]) -> None:
    before = TRAINED.sub("#", printed(outputs(ROOT / "docs" / "study" / "notebook.ipynb")))
    after = TRAINED.sub("#", printed(again))

    assert NUMBER.sub("#", after) == NUMBER.sub("#", before)
    np.testing.assert_allclose(  # the last digit may be rounded the other way on another machine
        [float(number) for number in NUMBER.findall(after)],
        [float(number) for number in NUMBER.findall(before)],
        rtol=0.02,
        atol=0.11,
    )


def test_a_new_run_draws_what_the_committed_notebook_shows(again: list[dict[str, Any]]) -> None:
    pairs = list(zip(pictures(outputs(ROOT / "docs" / "study" / "notebook.ipynb")), pictures(again), strict=True))

    assert len(pairs) >= 8
    for before, after in pairs:
        assert before.shape == after.shape
        assert np.abs(before - after).mean() < 2, "of 255; JPEG differs a little between versions of OpenCV"


def test_the_network_that_is_trained_learns_its_digits_and_most_of_others(again: list[dict[str, Any]]) -> None:
    lines = [(float(loss), float(right)) for _, loss, right, _ in TRAINED.findall(printed(again)) if loss]

    assert len(lines) == 8, "every second one of 15 epochs"
    assert lines[0][0] > 1.8, "it begins near log 10"
    assert lines[-1][0] < 0.3
    assert lines[-1][1] > 60, "per cent of the test digits; a guess is right on 10"


def test_the_losses_of_the_training_are_drawn(again: list[dict[str, Any]]) -> None:
    (drawn,) = ("".join(each["data"]["image/svg+xml"]) for each in again if "image/svg+xml" in each.get("data", {}))

    assert "cross-entropy" in drawn
    assert "training, as trained" in drawn


def test_no_cell_of_the_notebook_warns(again: list[dict[str, Any]]) -> None:
    assert [output for output in again if output.get("name") == "stderr"] == []
