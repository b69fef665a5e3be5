"""Both towers of CLIPs that Hugging Face's transformers saved, beside what they answered there; `make.py` says how."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from keras import ops
from numpy.typing import NDArray
from tokenizers import Tokenizer

from vitcam.errors import UsageError
from vitcam.model.text.text_tower import TextTower
from vitcam.pictures.resize import InputSpec
from vitcam_training.study import reference
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import load_into
from vitcam_training.weights.published.clip import read_clip
from vitcam_training.weights.published.network import PublishedText

pytestmark = pytest.mark.slow("training/weights", "training/vit.py", "training/config.py")

SAVED = Path(__file__).parents[4] / "fixtures" / "transformers"
TEXTS = ("a cat on the table", "an empty table", "a dog")


def pictures() -> NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (2, 48, 48, 3), np.uint8)


def vectors(text: PublishedText) -> NDArray[np.float32]:
    tokenizer = Tokenizer.from_str(text.tokenizer)
    return TextTower(text.about.sizes, text.weights).embed([tokenizer.encode(each).ids for each in TEXTS])


@pytest.mark.parametrize("name", ["clip", "clip-gelu"])
def test_the_image_tower_answers_as_that_of_transformers(name: str) -> None:
    saved, answers = read_clip(SAVED / name), np.load(SAVED / name / "answers.npz")
    _, taps = reference.vit(pictures(), saved.weights, saved.config)
    vit = ViT(saved.config)
    load_into(vit, saved.weights)
    own = vit(pictures())[1]

    np.testing.assert_allclose(taps["embedding"], answers["embedding"], atol=1e-5)
    np.testing.assert_allclose(ops.convert_to_numpy(own["embedding"]), answers["embedding"], atol=1e-4)
    for i in range(saved.config.depth):
        np.testing.assert_allclose(taps[f"block{i:02}/attention"], answers[f"attention{i}"], atol=1e-5)


@pytest.mark.parametrize("name", ["clip", "clip-gelu"])
def test_the_text_tower_answers_as_that_of_transformers(name: str) -> None:
    saved, answers = read_clip(SAVED / name), np.load(SAVED / name / "answers.npz")
    assert saved.text

    np.testing.assert_allclose(vectors(saved.text), answers["words"], atol=1e-5)


@pytest.mark.parametrize("name", ["clip", "clip-gelu"])
def test_pictures_and_words_match_as_in_transformers(name: str) -> None:
    saved, answers = read_clip(SAVED / name), np.load(SAVED / name / "answers.npz")
    assert saved.text
    _, taps = reference.vit(pictures(), saved.weights, saved.config)
    logits = saved.text.about.logit_scale * taps["embedding"] @ vectors(saved.text).T

    np.testing.assert_allclose(logits, answers["answer"], atol=1e-4)


def test_pixels_and_input_come_with_the_folder() -> None:
    saved = read_clip(SAVED / "clip")

    assert saved.config.mean == pytest.approx((0.48145466, 0.4578275, 0.40821073))
    assert saved.input == InputSpec(48, 48, "crop", 1.0, "area")
    assert saved.leftovers == ()


def test_an_image_tower_saved_alone_knows_no_words(tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    whole = load_file(SAVED / "clip" / "model.safetensors")
    folder = tmp_path / "tower"
    shutil.copytree(SAVED / "clip", folder)
    image = {name: array for name, array in whole.items() if name.startswith(("vision_model", "visual_projection"))}
    save_file(image, folder / "model.safetensors")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings["vision_config"] | {"model_type": "clip_vision_model"}))

    saved = read_clip(folder)

    assert saved.text is None
    assert saved.config.shared_width == 20


@pytest.mark.parametrize(
    ("tower", "settings", "message"),
    [
        ("vision_config", {"hidden_act": "gelu_new"}, "has the activation 'gelu_new'; allowed: gelu, quick_gelu, relu"),
        ("text_config", {"hidden_act": "silu"}, "a text tower with the activation 'silu'; allowed: gelu"),
        ("vision_config", {"num_hidden_layers": 3}, r"lacks 'vision_model\.encoder\.layers\.2\."),
        ("vision_config", {"num_attention_heads": 5}, "a network that cannot be built: width 32 is not a multiple"),
    ],
)
def test_a_clip_of_another_kind_is_refused(
    tmp_path: Path, tower: str, settings: dict[str, object], message: str
) -> None:
    folder = tmp_path / "clip"
    shutil.copytree(SAVED / "clip", folder)
    known = json.loads((folder / "config.json").read_text())
    known[tower] |= settings
    (folder / "config.json").write_text(json.dumps(known))

    with pytest.raises(UsageError, match=message):
        read_clip(folder)


def test_a_folder_without_its_tokenizer_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "clip"
    shutil.copytree(SAVED / "clip", folder)
    (folder / "tokenizer.json").unlink()

    with pytest.raises(UsageError, match=r"tokenizer\.json cannot be read"):
        read_clip(folder)
