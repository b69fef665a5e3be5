"""Plain `.tflite` files that somebody else made, by TensorFlow's own converter."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.frames import frame, picture
from vitcam.errors import ModelError
from vitcam.model.classifier import Classifier
from vitcam.model.runtime import open_interpreter

Graph = Callable[[Any], Any]


def convert(path: Path, graph: Graph, dtype: str = "uint8", side: int = 8) -> Path:
    """Write a graph of TensorFlow operations on one picture as a TFLite file."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf

    traced = tf.function(graph, input_signature=[tf.TensorSpec((1, side, side, 3), dtype)])
    converter = tf.lite.TFLiteConverter.from_concrete_functions([traced.get_concrete_function()])
    path.write_bytes(converter.convert())
    return path


def brightness(image: Any) -> Any:
    """Two scores: how dark and how bright."""
    import tensorflow as tf

    mean = tf.reduce_mean(tf.cast(image, tf.float32), axis=(1, 2, 3))[:, None] / 255
    return tf.concat([1 - mean, mean], axis=1)


def cut_in_two(image: Any) -> Any:
    """XNNPACK takes what comes before and after the SEGMENT_SUM, but not that."""
    import tensorflow as tf

    flat = tf.nn.softmax(tf.reshape(tf.cast(image, tf.float32), (1, -1)))
    halves = tf.math.segment_sum(flat[0], tf.constant(np.arange(192) // 96))
    return tf.nn.relu(halves)[None] * 2.0 + 1.0


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = convert(tmp_path_factory.mktemp("plain") / "plain.tflite", brightness)
    path.with_name("labels.txt").write_text("dark\nbright\n")
    return path


def test_a_plain_classifier_runs_with_labels_of_the_users_own(plain: Path) -> None:
    classifier = Classifier(plain, labels=plain.with_name("labels.txt"))
    stripes = picture()
    stripes[:, :] = np.where(np.arange(128)[:, None] // 9 % 2, 255, 153)  # a plain picture would be blank
    prediction = classifier(frame(image=stripes))

    assert [guess.label for guess in prediction.top] == ["bright", "dark"]
    assert prediction.top[0].p == pytest.approx(0.8, abs=0.01)
    assert prediction.attention is None
    assert prediction.embedding is None
    assert prediction.known


def test_a_plain_classifier_without_labels_says_how_to_give_them(plain: Path) -> None:
    with pytest.raises(ModelError, match="--labels"):
        Classifier(plain)


def test_a_graph_that_takes_floats_is_refused_since_their_range_is_unknown(tmp_path: Path) -> None:
    path = convert(tmp_path / "float.tflite", brightness, "float32")

    with pytest.raises(ModelError, match="float32"):
        Classifier(path)


def test_operators_that_the_delegate_leaves_out_are_counted(tmp_path: Path) -> None:
    info = open_interpreter(convert(tmp_path / "cut.tflite", cut_in_two), threads=1).info

    assert info.partitions == 2
    assert info.outside >= 1


def test_a_model_input_of_the_right_size_is_used_as_it_is(plain: Path) -> None:
    from dataclasses import replace

    classifier = Classifier(plain, labels=plain.with_name("labels.txt"))
    bright = np.full((8, 8, 3), 255, np.uint8)
    prediction = classifier(replace(frame(image=picture(value=0)), model_input=bright))

    assert prediction.top[0].label == "bright"
