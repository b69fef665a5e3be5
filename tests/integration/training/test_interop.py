"""MediaPipe reads the file of `vitcam-train export --interop`, and names 100 photos as vitcam does.

MediaPipe lives in an environment of its own: it brings another OpenCV.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.training.command import call
from tests.parts import need_data, need_model
from vitcam.model.classifier import Classifier
from vitcam.pictures.encode import encode_png
from vitcam.pictures.resize import to_model_size
from vitcam_training.data.dataset import read_photo

pytestmark = pytest.mark.slow("training/export", "training/cli/export.py", "models/everyday.tflite")
PHOTOS = 100
_ASK = """
import json, sys
import mediapipe as mp
from mediapipe.tasks.python import BaseOptions, vision
options = vision.ImageClassifierOptions(base_options=BaseOptions(model_asset_path=sys.argv[1]), max_results=1)
with vision.ImageClassifier.create_from_options(options) as classifier:
    found = [classifier.classify(mp.Image.create_from_file(path)).classifications[0] for path in sys.argv[2:]]
print(json.dumps([[each.categories[0].category_name, each.categories[0].score] for each in found]))
"""


@pytest.fixture(scope="module")
def mediapipe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that has MediaPipe."""
    folder = tmp_path_factory.mktemp("mediapipe")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    python = str(folder / "bin/python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "mediapipe>=0.10"]
    subprocess.run(pip, check=True, capture_output=True, timeout=900)
    return python


def test_mediapipe_gives_the_same_names_to_photos(mediapipe: str, tmp_path: Path) -> None:
    photos = sorted(need_data("ordinary").glob("*/*.jpg"))[::4][:PHOTOS]
    model, plain = need_model("everyday"), tmp_path / "plain.tflite"
    call("export", model.with_suffix(".safetensors"), "-o", plain, "--keep", "head", "--interop")  # as it ships
    classifier = Classifier(model)
    ours, paths = [], []
    for number, photo in enumerate(photos):
        image = to_model_size(
            read_photo(photo), classifier.input
        )  # each program has a way of its own to make it smaller
        ours.append(classifier.classify_image(image).top[0])
        paths.append(tmp_path / f"{number}.png")
        paths[-1].write_bytes(encode_png(image))

    ran = subprocess.run(
        [mediapipe, "-c", _ASK, str(plain), *map(str, paths)], capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    theirs = json.loads(ran.stdout.splitlines()[-1])

    assert len(theirs) == PHOTOS
    assert [name for name, _ in theirs] == [best.label for best in ours]
    assert max(abs(p - best.p) for (_, p), best in zip(theirs, ours, strict=True)) < 0.001
    assert plain.with_suffix(".txt").read_text().splitlines() == list(classifier.labels)
