"""What a command imports: a look at a help page or at a model file must not wait for Keras."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import need_model
from tests.training.unit.pictures import write_pictures
from vitcam_training.cli import VERBS

LEARNING = ("keras", "jax", "tensorflow", "torch", "matplotlib")
ARRAYS = ("numpy", "cv2", "scipy", "safetensors", "ai_edge_litert")

CALLS = """
import sys
from vitcam_training.cli import main
for call in {calls!r}:
    sys.argv = ["vitcam-train", *call]
    try:
        main()
    except SystemExit as end:
        assert not end.code, end.code
print(*sorted(set({heavy!r}) & set(sys.modules)), file=sys.stderr)
"""


def imported(calls: list[list[str]], heavy: tuple[str, ...]) -> str:
    """Those of the packages that a process has imported after these calls of `vitcam-train`."""
    script = CALLS.format(calls=calls, heavy=heavy)
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False, encoding="utf-8"
    )
    assert result.returncode == 0, result.stderr
    return result.stderr.strip()


def test_help_pages_import_neither_keras_nor_numpy() -> None:
    calls = [["--help"], *([verb, "--help"] for verb in VERBS)]

    assert imported(calls, LEARNING + ARRAYS) == ""


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_model_file_is_evaluated_without_keras(tmp_path: Path, options: list[str]) -> None:
    photos = write_pictures(tmp_path / "photos", each=2, side=28)
    for digit, colour in enumerate(sorted(photos.iterdir())):
        colour.rename(photos / str(digit))
    model = str(need_model("mnist"))

    assert imported([["evaluate", model, "--data", str(photos), *options]], LEARNING) == ""
