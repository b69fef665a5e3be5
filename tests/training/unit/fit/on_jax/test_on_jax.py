"""What only JAX does, in a process of its own: Keras has one backend in each process, and here it is TensorFlow."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import missing

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    "module",
    [
        "gradients",
        pytest.param("many_steps", marks=pytest.mark.slow("training/fit", "tests/training/unit/fit/on_jax")),
    ],
)
def test_what_only_jax_does(module: str) -> None:
    if importlib.util.find_spec("jax") is None:
        missing("JAX is not installed: pip install 'vitcam[accelerators]'")
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses", "0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, str(HERE / f"{module}.py")],
        env=os.environ | {"KERAS_BACKEND": "jax"}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout
