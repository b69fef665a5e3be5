"""Networks that timm saved, beside what they answered there; `make.py` among them says how."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from keras import ops
from numpy.typing import NDArray

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec
from vitcam_training.study import reference
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into, read_network, read_weights
from vitcam_training.weights.foreign import ImportOptions, import_foreign
from vitcam_training.weights.metadata import read_metadata
from vitcam_training.weights.normalisation import HALVES, IMAGENET
from vitcam_training.weights.published.google import is_google, read_google
from vitcam_training.weights.published.network import UNNAMED, PublishedNetwork
from vitcam_training.weights.published.timm import read_timm

pytestmark = pytest.mark.slow("training/weights", "training/vit.py", "training/config.py")

SAVED = Path(__file__).parents[4] / "fixtures" / "timm"


def pictures() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (2, 48, 48, 3), np.uint8)


def changed(folder: Path, **settings: object) -> Path:
    """A copy of a saved network with other settings."""
    shutil.copytree(SAVED / "vit", folder)
    known = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(known | settings))
    return folder


def assert_answers_as(network: PublishedNetwork, path: Path, is_body: bool = False) -> None:
    """Logits, or the embedding without a head, and every map of attention are those that timm had."""
    answers = np.load(path)
    logits, taps = reference.vit(pictures(), network.weights, network.config)
    vit = ViT(network.config)
    load_into(vit, network.weights)
    ours, own = vit(pictures())
    answer, found = (taps["embedding"], own["embedding"]) if is_body else (logits, ours)

    np.testing.assert_allclose(answer, answers["answer"], atol=2e-5)
    np.testing.assert_allclose(ops.convert_to_numpy(found), answers["answer"], atol=1e-4)
    for i in range(network.config.depth):
        np.testing.assert_allclose(taps[f"block{i:02}/attention"], answers[f"attention{i}"], atol=1e-5)


@pytest.mark.parametrize(
    "name", ["vit", "deit3", "body", "registers", "registers-placed", "normed-queries", "distilled"]
)
def test_logits_embedding_and_attention_are_those_of_timm(name: str) -> None:
    assert_answers_as(read_timm(SAVED / name), SAVED / name / "answers.npz", name == "body")


@pytest.mark.parametrize("name", ["google", "big-vision"])
def test_google_s_archives_answer_as_in_timm(name: str) -> None:
    weights = read_weights(SAVED / f"{name}.npz")
    network = read_google(SAVED / f"{name}.npz", weights)

    assert is_google(weights)
    assert (network.config.heads, network.config.mean) == (2, HALVES.mean)
    assert network.leftovers == ()
    assert_answers_as(network, SAVED / f"{name}.answers.npz")


def test_labels_pixels_and_input_come_with_the_folder() -> None:
    network = read_timm(SAVED / "vit")

    assert network.labels == ("collie", "tabby cat", "tea cup")
    assert (network.config.mean, network.config.std) == (HALVES.mean, HALVES.std)
    assert network.input == InputSpec(48, 48, "crop", 0.9, "area")
    assert read_timm(SAVED / "deit3").labels == ()
    assert read_timm(SAVED / "body").labels == (UNNAMED,)


def test_an_imported_network_answers_as_before(tmp_path: Path) -> None:
    out, words = tmp_path / "mine.safetensors", tmp_path / "words.txt"
    words.write_text("one\ntwo\nthree\n")
    import_foreign(str(SAVED / "google.npz"), words, out, ImportOptions("mine"))
    config, weights = read_network(out)

    answers = np.load(SAVED / "google.answers.npz")
    np.testing.assert_allclose(reference.vit(pictures(), weights, config)[0], answers["answer"], atol=2e-5)
    assert read_metadata(out).labels == ("one", "two", "three")


def test_a_network_without_labels_and_an_input_that_patches_do_not_fill_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=naming("deit3", "--labels")):
        import_foreign(str(SAVED / "deit3"), None, tmp_path / "x.safetensors", ImportOptions("x"))
    with pytest.raises(UsageError, match=naming("50 px", "patch_size 16")):
        import_foreign(str(SAVED / "vit"), None, tmp_path / "x.safetensors", ImportOptions("x", image_size=50))


@pytest.mark.parametrize("name", ["photo.safetensors", "photo.npz"])
def test_a_photo_with_the_name_of_weights_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xff\xd8\xff\xe0" * 100)

    with pytest.raises(UsageError, match=naming(name, "give an .npz or .safetensors file")):
        import_foreign(str(tmp_path / name), None, tmp_path / "x.safetensors", ImportOptions("x"))


def test_a_part_that_our_network_has_not_is_refused_by_its_name() -> None:
    with pytest.raises(UsageError, match=naming("fc_norm.bias", "norm after pooling")):
        read_timm(SAVED / "mean")


@pytest.mark.parametrize("name", ["registers-placed", "distilled", "normed-queries"])
def test_positions_of_more_tokens_are_interpolated_for_a_larger_input(tmp_path: Path, name: str) -> None:
    out = tmp_path / "large.safetensors"
    options = ImportOptions("large", image_size=96)
    (tmp_path / "labels.txt").write_text("n1 one\nn2 two\nn3 three\n")
    import_foreign(str(SAVED / name), tmp_path / "labels.txt", out, options)
    small, (config, weights) = read_timm(SAVED / name), read_network(out)

    assert weights["pos_embed"].shape[1] == 36 + small.config.placed
    np.testing.assert_array_equal(
        weights["pos_embed"][:, : config.placed], small.weights["pos_embed"][:, : config.placed]
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"global_pool": "map"}, "the pooling 'map'; vitcam reads the pooling 'token'"),
        ({"model_args": {"num_heads": 5}}, "cannot be built: width 32 is not a multiple of heads 5"),
        ({"pretrained_cfg": None}, "does not say how pixels are normalised; say with --mean and --std"),
    ],
)
def test_a_network_of_another_kind_is_refused(tmp_path: Path, settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_timm(changed(tmp_path / "vit", **settings))


def test_heads_of_another_width_are_known_by_the_architecture(tmp_path: Path) -> None:
    folder = changed(tmp_path / "vit", architecture="vit_huge_patch14_224", model_args=None)

    assert read_timm(folder).config.heads == 16


def test_pixels_that_the_source_names_cannot_be_given_another_way() -> None:
    archive, refusal = SAVED / "google.npz", "says itself how its pixels are normalised; leave out --mean and --std"

    with pytest.raises(UsageError, match=refusal):
        read_timm(SAVED / "vit", IMAGENET)
    with pytest.raises(UsageError, match=refusal):
        read_google(archive, read_weights(archive), IMAGENET)


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("conv_root/kernel", "convolutions before the patches"),
        ("MAPHead_0/probe", "attention pooling"),
    ],
)
def test_an_archive_of_another_kind_is_refused(added: str, message: str) -> None:
    weights = read_weights(SAVED / "google.npz") | {added: np.zeros(1, np.float32)}

    with pytest.raises(UsageError, match=f"holds a network with {message}"):
        read_google(Path("net.npz"), weights)


@pytest.mark.parametrize("has_head", [True, False])
def test_the_hidden_layer_of_a_pretraining_head_is_read_from_an_archive(has_head: bool) -> None:
    rng, weights = np.random.default_rng(2), read_weights(SAVED / "google.npz")
    weights |= {"pre_logits/kernel": rng.normal(size=(32, 20)), "pre_logits/bias": rng.normal(size=20)}
    weights |= {"head/kernel": rng.normal(size=(20, 3))}
    if not has_head:
        weights = {name: array for name, array in weights.items() if not name.startswith("head/")}
    found = read_google(Path("net.npz"), weights)
    logits, taps = reference.vit(pictures(), found.weights, found.config)
    hidden = np.tanh(taps["embedding"] @ weights["pre_logits/kernel"] + weights["pre_logits/bias"])
    expected = hidden @ weights["head/kernel"] + weights["head/bias"] if has_head else np.zeros((2, 1))

    assert found.config.head_hidden == 20
    assert found.leftovers == ()
    np.testing.assert_allclose(logits, expected, atol=1e-5)


def test_an_archive_without_a_part_is_refused_by_its_name() -> None:
    weights = read_weights(SAVED / "google.npz")
    del weights["Transformer/encoderblock_1/MlpBlock_3/Dense_0/kernel"]

    with pytest.raises(UsageError, match=r"net\.npz lacks 'Transformer/encoderblock_1/MlpBlock_3/Dense_0/kernel'"):
        read_google(Path("net.npz"), weights)


def test_one_number_counts_for_all_channels(tmp_path: Path) -> None:
    said = json.loads((SAVED / "vit" / "config.json").read_text())["pretrained_cfg"] | {"mean": 0.4, "crop_pct": None}
    network = read_timm(changed(tmp_path / "vit", pretrained_cfg=said))

    assert network.config.mean == (0.4, 0.4, 0.4)
    assert network.input.crop_fraction == 0.875


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"mean": [0.5, 0.5]}, "config.json says mean = "),
        ({"std": [0, 0.5, 0.5]}, "std is .*; allowed: three fractions of 255"),
        ({"crop_pct": "all"}, "describes an input that cannot be"),
    ],
)
def test_pixels_that_cannot_be_are_refused_by_name(tmp_path: Path, said: dict[str, object], message: str) -> None:
    known = json.loads((SAVED / "vit" / "config.json").read_text())["pretrained_cfg"]

    with pytest.raises(UsageError, match=message):
        read_timm(changed(tmp_path / "vit", pretrained_cfg=known | said))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"problem_type": "multi_label_classification"}, "gives several labels at once"),
        ({"label_names": ["n1", "n2"]}, r"vit has 2 labels, the head of .*vit has 3; they must match"),
    ],
)
def test_labels_that_do_not_fit_the_outputs_are_refused(
    tmp_path: Path, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        import_foreign(str(changed(tmp_path / "vit", **settings)), None, tmp_path / "x.safetensors", ImportOptions("x"))
