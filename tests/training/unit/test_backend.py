"""Which backend trains: TensorFlow, unless something asks for another one."""

import logging
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from types import MappingProxyType

import pytest

from vitcam.errors import UsageError
from vitcam_training import backend
from vitcam_training.backend import HOSTS_VARIABLE, VARIABLE, choose_backend
from vitcam_training.recipes.recipe import read_recipe


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> "Choice":
    monkeypatch.setattr(os, "environ", {k: v for k, v in os.environ.items() if k not in (VARIABLE, HOSTS_VARIABLE)})
    caplog.set_level(logging.INFO)
    return Choice(monkeypatch, caplog)


class Choice:
    """A process that has chosen nothing yet, with some packages."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        self._monkeypatch, self._caplog = monkeypatch, caplog

    def __call__(
        self,
        *packages: str,
        gpu: str = "",
        measured_on: str = "",
        several_hosts: bool = False,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[str, str]:
        """The backend, and what was said about it."""
        self._caplog.clear()
        os.environ.pop(VARIABLE, None)
        os.environ.update(environment)
        self._monkeypatch.setattr(
            backend, "find_spec", lambda name: ModuleSpec(name, None) if name in packages else None
        )
        self._monkeypatch.setattr(backend, "_seen_by_jax", lambda: gpu)
        choose_backend(measured_on, several_hosts)
        return os.environ[VARIABLE], self._caplog.text


def test_tensorflow_trains_without_a_word_where_nothing_asks_for_another_backend(chosen: Choice) -> None:
    assert chosen("tensorflow", "jax", "torch") == ("tensorflow", "")
    assert chosen("tensorflow", "jax", "torch", measured_on="tensorflow") == ("tensorflow", "")


def test_jax_is_taken_where_hosts_or_a_gpu_ask_for_it_and_a_line_says_why(chosen: Choice) -> None:
    for found, reason in (
        (chosen("tensorflow", several_hosts=True), "several machines"),
        (chosen("tensorflow", "jax", gpu="NVIDIA H100"), "NVIDIA H100"),
        (chosen("jax"), "TensorFlow is not installed"),
        (chosen("tensorflow", "jax", environment={HOSTS_VARIABLE: "one:9999,two:9999"}), "several machines"),
    ):
        assert found[0] == "jax"
        assert reason in found[1]


def test_a_recipe_is_trained_on_the_backend_of_its_figures_where_that_is_installed(chosen: Choice) -> None:
    there = chosen("tensorflow", "torch", measured_on="torch")
    absent = chosen("tensorflow", measured_on="torch")

    assert there[0] == "torch"
    assert absent[0] == "tensorflow"
    assert "measured on torch" in absent[1]
    assert read_recipe("cifar10").backend == "torch"


def test_what_the_environment_names_counts_more_than_anything_else(chosen: Choice) -> None:
    assert chosen("tensorflow", "jax", gpu="NVIDIA H100", measured_on="jax", environment={VARIABLE: "torch"}) == (
        "torch",
        "",
    )
    with pytest.raises(UsageError, match="theano"):
        chosen("tensorflow", environment={VARIABLE: "theano"})


def test_without_a_package_for_accelerators_jax_is_not_imported() -> None:
    code = (
        "import sys; from vitcam_training.backend import choose_backend; choose_backend(); print('jax' in sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)

    assert done.stdout == "False\n", done.stderr


def test_a_recipe_with_an_unknown_backend_is_refused(chosen: Choice) -> None:
    with pytest.raises(UsageError, match="recipe is 'theano'"):
        chosen("tensorflow", measured_on="theano")
