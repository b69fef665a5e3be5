"""The C++ libraries of TensorFlow greet nobody, and what they have to say still reaches stderr."""

import os
import subprocess
import sys

import pytest

from vitcam_training.native_log import LEVEL, without_greeting

SCRIPT = """
import sys
from vitcam_training.backend import choose_backend

choose_backend()
import keras
import tensorflow as tf

tf.function(lambda x: x @ x, jit_compile=True, autograph=False)(tf.ones((8, 8)))
print("compiled", file=sys.stderr, flush=True)

keras.layers.Dense(2, input_shape=(3,))
double = tf.function(lambda x: 2 * x, autograph=False)
for size in range(6):
    double(tf.ones(size))
"""
GREETING = b"""WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
I0000 00:00:1795824309.348877   16681 port.cc:153] oneDNN custom operations are on. You may see slightly different
"""


def test_tensorflow_greets_nobody_and_its_real_warnings_show() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in (LEVEL, "TF_ENABLE_ONEDNN_OPTS")}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=280)
    greeting, _, warnings = done.stderr.partition("compiled\n")

    assert done.returncode == 0, done.stderr
    assert greeting == ""
    assert "Do not pass an `input_shape`" in warnings
    assert "triggered tf.function retracing" in warnings


def test_whatever_else_is_written_while_tensorflow_is_loaded_comes_after_it(capfd: pytest.CaptureFixture[str]) -> None:
    during = list[str]()

    def load() -> None:
        with without_greeting():
            os.write(2, GREETING + b"E0000 00:00:1795824310.1 16681 cuda_executor.cc:1] no GPU: CUDA_ERROR_UNKNOWN\n")
            during.append(capfd.readouterr().err)
            raise ImportError

    with pytest.raises(ImportError):
        load()

    assert during == [""]
    assert capfd.readouterr().err == "E0000 00:00:1795824310.1 16681 cuda_executor.cc:1] no GPU: CUDA_ERROR_UNKNOWN\n"


def test_where_stderr_is_closed_its_descriptor_stays_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr", None)
    with without_greeting():
        os.write(2, b"of another file")
        assert capfd.readouterr().err == "of another file"
