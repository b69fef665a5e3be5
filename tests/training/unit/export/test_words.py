"""From a CLIP with random weights, which transformers saved, to a model file whose labels are words."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

from tests.refusals import naming
from tests.training.integration.command import call
from tests.training.unit.exported import expected_outputs
from tests.training.unit.nets import photos, small_vit
from vitcam.errors import ModelError, UsageError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.words import Words
from vitcam_training.config import ViTConfig
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.graph import to_float
from vitcam_training.export.rewrites import fold
from vitcam_training.export.words import Prompts, export_words
from vitcam_training.study import reference
from vitcam_training.weights.checkpoints import read_network, to_timm

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

SAVED = Path(__file__).parents[3] / "fixtures" / "transformers"
WORDS = ("a cat on the table", "an empty table", "a dog")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clip") / "clip.safetensors"
    call("import", SAVED / "clip", "-o", path)
    return path


@pytest.fixture(scope="module")
def model(checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("words") / "table.tflite"
    call("words", checkpoint, *WORDS, "-o", path)
    return path


def test_the_int8_file_answers_as_the_network_and_its_text_tower_do(checkpoint: Path, model: Path) -> None:
    described, (config, weights) = bundle.read(model), read_network(checkpoint)
    assert described is not None
    assert described.words is not None
    classifier, cosines = Classifier(model, threads=1, top_k=3), []
    for seed in range(20):
        image = np.random.default_rng(seed).integers(0, 256, (48, 48, 3), np.uint8)
        _, taps = reference.vit(image[None], weights, config)
        expected = reference.softmax(described.words.vectors @ taps["embedding"][0])
        found = classifier.classify_image(image)
        assert found.embedding is not None
        cosines.append(float(found.embedding @ taps["embedding"][0] / np.linalg.norm(found.embedding)))

        assert {guess.label: guess.p for guess in found.top} == pytest.approx(
            dict(zip(WORDS, expected, strict=False)), abs=0.05
        )
    assert min(cosines) > 0.99


def test_the_graph_is_one_partition_and_the_text_tower_lies_beside_it(checkpoint: Path, model: Path) -> None:
    runtime = Classifier(model, threads=1).runtime

    assert (runtime.partitions, runtime.outside) == (1, 0)
    assert model.with_suffix(".words").read_bytes() == checkpoint.with_suffix(".words").read_bytes()
    assert model.with_suffix(".md").exists()


@pytest.mark.parametrize("signature", ["classify", "explain"])
@pytest.mark.parametrize("left_out", [[], ["norms"], ["stream"]], ids=str)
def test_words_that_the_graph_takes_are_a_head_like_any_other(signature: str, left_out: list[str]) -> None:
    config = ViTConfig(
        classes=4, image_size=(16, 24), patch_size=8, width=32, depth=2, heads=4, first_norm=True, shared_width=12
    )
    vectors = np.random.default_rng(0).normal(size=(4, 12)).astype(np.float32) * 3
    weights = to_timm(small_vit(config)) | {"head.weight": vectors, "head.bias": np.zeros(4, np.float32)}
    floats = to_float(fold(config, weights, rewrites=Rewrites.without(*left_out)), words=7)
    (image,) = photos(1, config, 1)
    run = Interpreter(model_content=floats).get_signature_runner(signature)
    found = run(image=image[None], **Words(vectors).inputs(7))

    assert found["probabilities"][0, 4:].tolist() == [0, 0, 0]
    found["probabilities"] = found["probabilities"][:, :4]
    for name, expected in expected_outputs(config, weights, image).items():
        if name in found:
            np.testing.assert_allclose(found[name][0], expected, atol=1e-4, err_msg=name)


def test_prompts_are_kept_for_the_words_of_later(checkpoint: Path, tmp_path: Path) -> None:
    out = tmp_path / "other.tflite"
    export_words(checkpoint, WORDS, out, Prompts(("a drawing of {}.",), ("a drawing.",)))
    other = bundle.read(out)
    export_words(checkpoint, ["a drawing of a dog."], tmp_path / "plain.tflite", Prompts(("{}",), ("a drawing.",)))
    plain = bundle.read(tmp_path / "plain.tflite")

    assert other is not None
    assert other.words is not None
    assert plain is not None
    assert plain.words is not None
    np.testing.assert_allclose(other.words.vectors[2:], plain.words.vectors, atol=1e-5)


@pytest.mark.parametrize(
    ("words", "options", "complaint"),
    [
        (["a cat", "A cat"], [], "'A cat' is given twice"),
        (["a cat"], ["--template", "a photo"], "the template 'a photo' has no {}, where the word goes; add it"),
    ],
)
def test_bad_words_get_one_sentence_and_no_file(
    checkpoint: Path, tmp_path: Path, words: list[str], options: list[str], complaint: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        call("words", checkpoint, *words, "-o", tmp_path / "a.tflite", *options)

    assert list(tmp_path.iterdir()) == []


def test_a_network_that_knows_no_words_or_lacks_its_text_tower_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    alone = Path(shutil.copy(checkpoint, tmp_path))
    call("import", SAVED / "vit", "-o", tmp_path / "vit.safetensors")

    with pytest.raises(UsageError, match=naming("knows no words", "import one")):
        export_words(tmp_path / "vit.safetensors", WORDS, tmp_path / "a.tflite", Prompts())
    with pytest.raises(ModelError, match=r"there is no .*clip\.words"):
        export_words(alone, WORDS, tmp_path / "a.tflite", Prompts())
