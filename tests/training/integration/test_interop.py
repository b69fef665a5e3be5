"""MediaPipe and ONNX Runtime read the files that are made for them, and name 100 photos as vitcam does.

MediaPipe lives in an environment of its own: it brings another OpenCV.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from tests.needs import need_data, need_model
from tests.training.integration.command import call
from vitcam.frames import Guess, Image
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


@pytest.fixture(scope="module")
def answered() -> list[tuple[Image, Guess]]:
    """Photos at the model's size, since each program makes them smaller in its own way, and vitcam's answers."""
    photos = sorted(need_data("ordinary").glob("*/*.jpg"))[::4][:PHOTOS]
    classifier = Classifier(need_model("everyday"))
    images = [to_model_size(read_photo(photo), classifier.input) for photo in photos]
    return [(image, classifier.classify_image(image).top[0]) for image in images]


def test_mediapipe_gives_the_same_names_to_photos(
    mediapipe: str, answered: list[tuple[Image, Guess]], tmp_path: Path
) -> None:
    model, plain = need_model("everyday"), tmp_path / "plain.tflite"
    call("export", model.with_suffix(".safetensors"), "-o", plain, "--keep", "head", "--interop")  # as it ships
    paths = [tmp_path / f"{number}.png" for number in range(PHOTOS)]
    for path, (image, _) in zip(paths, answered, strict=True):
        path.write_bytes(encode_png(image))

    ran = subprocess.run(
        [mediapipe, "-c", _ASK, str(plain), *map(str, paths)], capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    theirs = json.loads(ran.stdout.splitlines()[-1])

    assert [name for name, _ in theirs] == [best.label for _, best in answered]
    assert max(abs(p - best.p) for (_, p), (_, best) in zip(theirs, answered, strict=True)) < 0.001
    assert plain.with_suffix(".txt").read_text().splitlines() == list(Classifier(model).labels)


def test_onnx_runtime_gives_the_names_of_the_int8_file_to_nearly_all_photos(
    answered: list[tuple[Image, Guess]], tmp_path: Path
) -> None:
    plain = tmp_path / "plain.onnx"
    call("export", need_model("everyday").with_suffix(".safetensors"), "-o", plain, "--onnx")
    session = onnxruntime.InferenceSession(plain, providers=["CPUExecutionProvider"])
    labels = json.loads(session.get_modelmeta().custom_metadata_map["labels"])

    (found,) = session.run(["probabilities"], {"image": np.stack([image for image, _ in answered])})

    assert np.allclose(found.sum(axis=1), 1, atol=1e-4)
    same = sum(labels[row.argmax()] == best.label for row, (_, best) in zip(found, answered, strict=True))
    assert same >= 0.95 * PHOTOS, same
