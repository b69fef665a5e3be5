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
from vitcam.model.foreign_outputs import MEANING, outputs_by
from vitcam.model.record import model_info, model_record
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


def scores_of(head: Graph, most: float = 12.0) -> Graph:
    """A graph whose two logits say how dark and how bright a picture is."""

    def graph(image: Any) -> Any:
        return head((brightness(image) - 0.5) * 2 * most)

    return graph


def softmax(logits: Any) -> Any:
    import tensorflow as tf

    return tf.nn.softmax(logits)


def log_softmax(logits: Any) -> Any:
    import tensorflow as tf

    return tf.nn.log_softmax(logits)


def sigmoid(logits: Any) -> Any:
    import tensorflow as tf

    return tf.nn.sigmoid(logits + 1)


def as_it_is(logits: Any) -> Any:
    return logits


@pytest.mark.parametrize(
    ("head", "outputs", "bright"),
    [
        (softmax, "probabilities", 1 / (1 + np.exp(-14.4))),
        (as_it_is, "logits", 1 / (1 + np.exp(-14.4))),
        (log_softmax, "logits", 1 / (1 + np.exp(-14.4))),
        (sigmoid, "independent", 1 / (1 + np.exp(-8.2))),
    ],
)
def test_outputs_that_are_no_probabilities_become_some_and_it_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, head: Graph, outputs: str, bright: float
) -> None:
    path = convert(tmp_path / "scores.tflite", scores_of(head))
    (tmp_path / "labels.txt").write_text("dark\nbright\n")
    classifier = Classifier(path, labels=tmp_path / "labels.txt")
    prediction = classifier.clone(1).classify_image(np.full((8, 8, 3), 204, np.uint8))

    assert classifier.outputs == outputs
    assert model_record(model_info(classifier))["outputs"] == outputs
    assert [guess.label for guess in prediction.top] == ["bright", "dark"]
    assert prediction.top[0].p == pytest.approx(bright, abs=1e-3)
    assert all(0 <= guess.p <= 1 for guess in prediction.top)
    assert (MEANING[classifier.outputs] in caplog.text) == (outputs != "probabilities")


def test_probabilities_of_a_thousand_labels_that_were_rounded_to_zero_are_no_logits() -> None:
    assert outputs_by([np.zeros(1000)], 1 / 256, "SOFTMAX") == "probabilities"
    assert outputs_by([np.array([0.5, 0.5, 0.5])], 1 / 256, "LOGISTIC") == "independent"
    assert outputs_by([np.array([-32.7, 0.0, 12.0])], 0.4, "FULLY_CONNECTED") == "logits"
    assert outputs_by([np.array([0.9, 0.8, 0.1])], 0.0, "FULLY_CONNECTED") == "logits"
