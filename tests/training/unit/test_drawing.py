"""A drawing of a network says of every step what the network itself does."""

from dataclasses import replace
from xml.etree import ElementTree

import keras
import numpy as np
import pytest

from tests.training.unit.nets import learned
from vitcam.errors import UsageError
from vitcam_training.cli.draw import network_of
from vitcam_training.config import ViTConfig
from vitcam_training.drawing import READS, Branch, NetworkStep, Walk, sheet, walk
from vitcam_training.recipes.presets import PRESETS, count_parameters
from vitcam_training.vit import ViT

SMALL = ViTConfig(5, (32, 48), 8, width=24, depth=2, heads=3)
CHOICES = {
    "as DeiT": SMALL,
    "grey, first token": replace(SMALL, channels=1, pooling="first"),
    "distilled, registers": replace(SMALL, pooling="distilled", registers=3),
    "mean, no positions": replace(SMALL, pooling="mean", position="none", final_norm=False),
    "post-norm, fixed positions": replace(SMALL, norm="post", position="sincos", activation="relu"),
    "norms and scales": replace(SMALL, qk_norm=True, layer_scale=1e-5, first_norm=True, activation="quick_gelu"),
    "shared with words": replace(SMALL, shared_width=16),
    "no norms, random positions": replace(SMALL, norm="none", final_norm=False, position="random"),
    "no residual, no biases": replace(SMALL, residual=False, qkv_bias=False),
    "wide heads, hidden layer in the head": replace(SMALL, head_width=64, head_hidden=40),
}


def steps_of(found: Walk) -> list[NetworkStep]:
    block = [step for part in found.block for step in (part.steps if isinstance(part, Branch) else (part,))]
    return [*found.before, *block, *found.after]


def shape(step: NetworkStep) -> tuple[int, ...]:
    return tuple(int(side) for side in step.shape.split(" × "))


@pytest.mark.parametrize("config", CHOICES.values(), ids=CHOICES)
def test_the_parameters_beside_the_steps_are_those_of_the_network(config: ViTConfig) -> None:
    assert walk(config).parameters == count_parameters(config) == learned(ViT(config))


@pytest.mark.parametrize("config", CHOICES.values(), ids=CHOICES)
def test_the_shapes_beside_the_arrows_are_those_of_the_network(config: ViTConfig) -> None:
    logits, taps = ViT(config)(np.zeros((1, *config.image_size, 3), np.uint8))
    found = {step.name: shape(step) for step in steps_of(walk(config))}
    last_before, sums = walk(config).before[-1], [p for p in walk(config).block if isinstance(p, Branch)]

    assert shape(last_before) == tuple(taps["embeddings"].shape[1:])
    assert found["Softmax of each row"] == tuple(taps["block00/attention"].shape[1:])
    assert [s.shape for s in sums] == [" × ".join(map(str, taps["block01/output"].shape[1:]))] * 2
    assert found["Head"] == tuple(logits.shape[1:])
    read = [step for step in walk(config).after if step.name in (*READS.values(), "Projection")][-1]
    assert np.prod(keras.ops.shape(taps["embedding"])) == shape(read)[0]


@pytest.mark.parametrize("config", CHOICES.values(), ids=CHOICES)
def test_the_drawing_shows_every_step_with_its_shape_and_is_the_same_each_time(config: ViTConfig) -> None:
    drawn = sheet(walk(config), "a < network")
    texts = [each.text for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]

    assert drawn == sheet(walk(config), "a < network")
    for step in steps_of(walk(config)):
        assert {step.name, step.shape} <= set(texts)
    assert f"{config.depth} blocks" in texts


@pytest.mark.parametrize("residual", [True, False])
def test_what_is_added_is_drawn_as_a_sum_and_nothing_else_is(residual: bool) -> None:
    drawn = sheet(walk(replace(SMALL, residual=residual)), "a network")

    assert drawn.count("<circle") == (2 if residual else 0)


def test_a_network_is_found_by_the_name_of_its_model_or_of_published_sizes() -> None:
    assert network_of("mnist")[1].width == 32
    assert network_of("vit-l16") == ("vit-l16", PRESETS["vit-l16"].config)


@pytest.mark.parametrize("name", ["vit-b17", "none.safetensors", "none.tflite"])
def test_what_is_no_network_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(UsageError, match=r"^no (network is called|weights at)"):
        network_of(name)
