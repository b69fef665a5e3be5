"""The fallback for machines that have only `tflite-runtime`: installed for real, on Python 3.11, beside NumPy 1."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import need_model, need_program
from tests.refusals import naming

pytestmark = pytest.mark.slow("vitcam/model", "models")

ROOT = Path(__file__).parents[3]
INSTALL_S = 240
SCRIPT = """
from vitcam import Classifier

classifier = Classifier("everyday", threads=2)
info = classifier.runtime
print(info.name, info.version, info.partitions > 0)
print(*sorted({result.ok for result in classifier.verify()}), len(classifier.golden))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with vitcam, what the extra `tflite` names, no `ai-edge-litert`, as docs/use/models.md installs it."""
    base = sys.executable if sys.version_info[:2] == (3, 11) else need_program("python3.11")
    venv = tmp_path_factory.mktemp("tflite") / "venv"
    subprocess.run([base, "-m", "venv", str(venv)], check=True, timeout=INSTALL_S)
    install = [str(venv / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, f"{ROOT}[tflite]"], check=True, timeout=INSTALL_S)
    uninstall = [*install[:3], "uninstall", "--quiet", "--yes", "ai-edge-litert"]
    subprocess.run(uninstall, check=True, timeout=INSTALL_S)
    return venv / "bin/python"


def test_the_bundled_model_answers_its_golden_images_on_tflite_runtime(python: Path, tmp_path: Path) -> None:
    need_model("everyday")
    done = subprocess.run([python, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["tflite-runtime 2.14.0 True", "True 6"]


def test_the_log_names_the_runtime_that_runs(python: Path, tmp_path: Path) -> None:
    photo = tmp_path / "photo.png"
    draw = "import cv2, numpy, sys; cv2.imwrite(sys.argv[1], numpy.zeros((64, 64, 3), numpy.uint8))"
    subprocess.run([python, "-c", draw, str(photo)], check=True, timeout=60)
    command = [str(python), "-m", "vitcam", "run", "--no-web", "--source", str(photo), "--threads", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert "on tflite-runtime 2.14.0 with 1 threads" in done.stderr


def test_without_any_runtime_one_sentence_says_what_to_install(python: Path, tmp_path: Path) -> None:
    hide = "import sys; sys.modules['tflite_runtime'] = None; from vitcam.cli import main; main()"
    command = [str(python), "-c", hide, "models", "verify", "everyday"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    assert done.returncode == 1
    names = naming("vitcam: ", "neither ai-edge-litert nor tflite-runtime", "pip install ai-edge-litert")
    assert re.match(names, done.stderr.strip().splitlines()[-1])
