"""Networks that Hugging Face's transformers saved, beside what they answered there; `make.py` among them says how."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from keras import ops
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec
from vitcam_training.study import reference
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into, read_network
from vitcam_training.weights.foreign import ImportOptions, import_foreign
from vitcam_training.weights.metadata import read_metadata
from vitcam_training.weights.normalisation import Normalisation
from vitcam_training.weights.published.network import UNNAMED
from vitcam_training.weights.published.transformers import read_transformers

pytestmark = pytest.mark.slow("training/weights", "training/vit.py", "training/config.py")

SAVED = Path(__file__).parents[4] / "fixtures" / "transformers"
HALVES = Normalisation((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))


def pictures() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (2, 48, 48, 3), np.uint8)


def changed(folder: Path, **settings: object) -> Path:
    """A copy of a saved network with other settings."""
    shutil.copytree(SAVED / "vit", folder)
    known = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(known | settings))
    return folder


@pytest.mark.parametrize("name", ["vit", "vit-relu", "body", "deit", "deit-one-head", "dinov2", "dinov2-registers"])
def test_logits_embedding_and_attention_are_those_of_transformers(name: str) -> None:
    saved, answers = read_transformers(SAVED / name), np.load(SAVED / name / "answers.npz")
    logits, taps = reference.vit(pictures(), saved.weights, saved.config)
    vit = ViT(saved.config)
    load_into(vit, saved.weights)
    ours, own = vit(pictures())
    is_body = saved.labels == (UNNAMED,)
    answer, found = (taps["embedding"], own["embedding"]) if is_body else (logits, ours)

    np.testing.assert_allclose(answer, answers["answer"], atol=1e-5)
    np.testing.assert_allclose(ops.convert_to_numpy(found), answers["answer"], atol=1e-4)
    for i in range(saved.config.depth):
        np.testing.assert_allclose(taps[f"block{i:02}/attention"], answers[f"attention{i}"], atol=1e-5)


def test_labels_pixels_and_input_come_with_the_folder() -> None:
    saved = read_transformers(SAVED / "vit")

    assert saved.labels == ("collie", "tabby cat", "tea cup")
    assert (saved.config.mean, saved.config.std) == (HALVES.mean, HALVES.std)
    assert saved.config.norm_epsilon == 1e-12
    assert saved.config.hidden_width == 48
    assert saved.input == InputSpec(48, 48, "squash", 1.0, "area")
    assert saved.leftovers == ()


def prepared(folder: Path, **said: object) -> Path:
    """A copy of a saved network with other words on how its photos are prepared; None: it does not say that."""
    folder = changed(folder)
    path = folder / "preprocessor_config.json"
    known = json.loads(path.read_text()) | said
    path.write_text(json.dumps({name: value for name, value in known.items() if value is not None}))
    return folder


@pytest.mark.parametrize(
    ("said", "mean", "std"),
    [
        ({"image_mean": 0.5, "image_std": 0.25}, (0.5,) * 3, (0.25,) * 3),
        ({"image_mean": [0.48, 0.46, 0.41], "image_std": [0.27, 0.26, 0.28]}, (0.48, 0.46, 0.41), (0.27, 0.26, 0.28)),
        ({"do_normalize": False}, (0.0,) * 3, (1.0,) * 3),
        ({"rescale_factor": 1 / 127.5, "do_normalize": False}, (0.0,) * 3, (0.5,) * 3),
        ({"rescale_factor": 1 / 127.5, "image_mean": 1.0, "image_std": 1.0}, (0.5,) * 3, (0.5,) * 3),
        ({"do_rescale": False, "image_mean": 127.5, "image_std": [51, 51, 51]}, (0.5,) * 3, (0.2,) * 3),
        ({"do_rescale": False, "do_normalize": False}, (0.0,) * 3, (1 / 255,) * 3),
    ],
)
def test_scale_mean_and_deviation_become_those_of_bytes(
    tmp_path: Path, said: dict[str, object], mean: tuple[float, ...], std: tuple[float, ...]
) -> None:
    config = read_transformers(prepared(tmp_path / "vit", **said)).config

    assert config.mean == pytest.approx(mean)
    assert config.std == pytest.approx(std)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"image_mean": [0.5, 0.5]},
            r"preprocessor_config.json says image_mean = \[0.5, 0.5\]; allowed: a number, or a",
        ),
        ({"image_mean": []}, "says image_mean"),
        ({"image_mean": "half"}, "says image_mean = 'half'"),
        ({"image_std": [0.5, 0.5, "x"]}, "says image_std"),
        ({"image_std": [0.5, 0.0, 0.5]}, r"the deviation \[0.5, 0.0, 0.5\]"),
        ({"image_std": 0}, "the deviation"),
        ({"image_std": -0.5}, "the deviation"),
        ({"image_mean": [123.7, 116.3, 103.5]}, r"the mean \[123.7, 116.3, 103.5\]"),
        ({"image_mean": float("nan")}, "says image_mean = nan"),
        ({"rescale_factor": 0}, "says rescale_factor = 0; a number more than 0"),
        ({"rescale_factor": "1/255"}, "says rescale_factor = '1/255'"),
        ({"rescale_factor": 1.0}, "pixels are not rescaled, and a mean of 0.5"),
        ({"do_rescale": False}, "pixels are not rescaled, and a mean of 0.5.*say with --mean and --std"),
        ({"image_mean": None}, "does not say how pixels are normalised; say with --mean and --std"),
        ({"do_center_crop": True, "size": {"shortest_edge": "large"}}, "describes an input that cannot be"),
        ({"do_center_crop": True, "crop_size": {}}, "describes an input that cannot be"),
    ],
)
def test_pixels_that_cannot_be_are_refused_by_name(tmp_path: Path, said: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_transformers(prepared(tmp_path / "vit", **said))


def test_labels_that_are_repeated_or_empty_become_names_of_their_own(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, out = changed(tmp_path / "vit", id2label={"0": "crane", "1": "two\nlines", "2": "crane"}), tmp_path / "a.st"
    import_foreign(str(folder), None, out, ImportOptions("a"))

    assert read_metadata(out).labels == ("crane", "two lines", "crane (2)")
    assert "'crane' (output 2) is called 'crane (2)'" in caplog.text


@pytest.mark.parametrize(
    ("settings", "tensors", "message"),
    [
        (
            {"id2label": {"0": "yes"}},
            {"classifier.weight": np.zeros((1, 32), np.float32), "classifier.bias": np.zeros(1, np.float32)},
            r"has 1 output, .* two are needed at least",
        ),
        ({}, {"vit.layernorm.weight": np.full(32, np.nan, np.float32)}, r"holds 'norm\.weight' with infinity or NaN"),
        ({}, {"vit.layernorm.weight": np.zeros(7, np.float32)}, naming("norm.weight", "(7,)", "(32,)")),
    ],
)
def test_weights_that_cannot_be_are_refused_by_name(
    tmp_path: Path, settings: dict[str, object], tensors: dict[str, NDArray[np.float32]], message: str
) -> None:
    folder = changed(tmp_path / "vit", **settings)
    save_file(load_file(folder / "model.safetensors") | tensors, folder / "model.safetensors")

    with pytest.raises(UsageError, match=message):
        import_foreign(str(folder), None, tmp_path / "x.safetensors", ImportOptions("x"))


def test_a_resize_before_a_crop_becomes_a_fraction(tmp_path: Path) -> None:
    folder = changed(tmp_path / "vit")
    prepared = json.loads((folder / "preprocessor_config.json").read_text())
    prepared |= {"do_center_crop": True, "size": {"shortest_edge": 60}, "crop_size": {"height": 48, "width": 48}}
    (folder / "preprocessor_config.json").write_text(json.dumps(prepared | {"resample": 3}))

    assert read_transformers(folder).input == InputSpec(48, 48, "crop", 0.8, "area")


def test_an_imported_network_answers_as_before_and_keeps_its_epsilon(tmp_path: Path) -> None:
    out = tmp_path / "mine.safetensors"
    found = import_foreign(str(SAVED / "vit"), None, out, ImportOptions("mine"))
    config, weights = read_network(out)
    answers = np.load(SAVED / "vit" / "answers.npz")

    assert (found.leftovers, found.text_file) == ((), None)
    assert read_metadata(out).labels == ("collie", "tabby cat", "tea cup")
    np.testing.assert_allclose(reference.vit(pictures(), weights, config)[0], answers["answer"], atol=1e-5)


def test_a_network_without_a_head_is_imported_to_be_fine_tuned(tmp_path: Path) -> None:
    out = tmp_path / "body.safetensors"
    found = import_foreign(str(SAVED / "body"), None, out, ImportOptions("body"))

    assert found.leftovers == ("pooler.dense.bias", "pooler.dense.weight")
    assert read_metadata(out).labels == (UNNAMED,)
    assert not read_network(out)[1]["head.weight"].any()


def test_a_larger_input_takes_interpolated_positions(tmp_path: Path) -> None:
    out = tmp_path / "large.safetensors"
    import_foreign(str(SAVED / "vit"), None, out, ImportOptions("large", image_size=96, crop_fraction=0.9))
    config, weights = read_network(out)

    assert config.image_size == (96, 96)
    assert weights["pos_embed"].shape == (1, 37, 32)
    assert read_metadata(out).input == InputSpec(96, 96, "crop", 0.9, "area")


def test_what_becomes_of_a_distillation_token_depends_on_the_head() -> None:
    two, one = read_transformers(SAVED / "deit").config, read_transformers(SAVED / "deit-one-head").config

    assert (two.pooling, two.registers, two.embedding_width) == ("distilled", 0, 64)
    assert (one.pooling, one.registers, one.embedding_width) == ("cls_token", 1, 32)


def test_a_dinov2_with_a_head_is_refused_by_what_it_reads() -> None:
    with pytest.raises(UsageError, match=naming("class token", "mean of the patches", "DINOv2")):
        read_transformers(SAVED / "dinov2-head")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"use_swiglu_ffn": True}, r"a gated MLP \(SwiGLU\), which vitcam has not"),
        ({"model_type": "swin"}, "a network of the type 'swin'; vitcam reads the types vit, deit, dinov2"),
        ({"hidden_act": "gelu_new"}, "has the activation 'gelu_new'; allowed: gelu, relu"),
        ({"num_attention_heads": 5}, "a network that cannot be built: width 32 is not a multiple of heads 5"),
        ({"num_hidden_layers": 3}, r"model\.safetensors lacks 'encoder\.layer\.2\."),
        ({"num_hidden_layers": "two"}, "says num_hidden_layers = 'two'; a whole number from 1 is allowed"),
        ({"hidden_size": None}, "says hidden_size = None"),
        ({"problem_type": "multi_label_classification"}, "gives several labels at once .* vitcam chooses one"),
        ({"problem_type": "regression"}, "a network for 'regression'"),
        ({"id2label": {"1": "a", "2": "b", "3": "c"}}, "names a label of the output '3' .* has the outputs 0 to 2"),
    ],
)
def test_a_network_of_another_kind_is_refused(tmp_path: Path, settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_transformers(changed(tmp_path / "vit", **settings))


def test_broken_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    broken, cut, empty = (changed(tmp_path / name) for name in ("broken", "cut", "empty"))
    (broken / "config.json").write_text("{")
    (cut / "model.safetensors").write_bytes((cut / "model.safetensors").read_bytes()[:5000])
    (empty / "config.json").write_text('{"model_type": "vit"}')

    for folder, message in (
        (broken, "cannot be read as JSON"),
        (cut, "holds no weights"),
        (empty, "does not say 'hid"),
    ):
        with pytest.raises(UsageError, match=message):
            read_transformers(folder)
