"""Which of Keras' backends computes. It is chosen once, before anything imports Keras.

TensorFlow is the default: the export needs it in any case, and on a processor its steps take the least time. JAX
belongs to the extra `accelerators`: it alone trains on several accelerators and on several machines.
"""

from __future__ import annotations

import logging
import os
from importlib.metadata import entry_points
from importlib.util import find_spec

from vitcam.errors import UsageError
from vitcam_training.native_log import quieten

BACKENDS = ("tensorflow", "jax", "torch")
DEFAULT = BACKENDS[0]
VARIABLE = "KERAS_BACKEND"
HOSTS_VARIABLE = "KERAS_DISTRIBUTION_JOB_ADDRESSES"
"""Keras' own way to say which machines train together."""

log = logging.getLogger(__name__)


def choose_backend(measured_on: str = "", several_hosts: bool = False) -> None:
    """Choose the backend, unless `KERAS_BACKEND` names one, and say so in a line where it is not the default.

    measured_on    the backend that the figures of a recipe were measured on; empty: any
    several_hosts  whether machines train together
    raises         UsageError if the recipe or `KERAS_BACKEND` names an unknown one
    """
    quieten()
    asked = os.environ.get(VARIABLE, "")
    for place, name in ((VARIABLE, asked), ("backend of the recipe", measured_on)):
        if name and name not in BACKENDS:
            raise UsageError(f"{place} is {name!r}; allowed: {', '.join(BACKENDS)}")
    if asked:
        return
    backend, why = _chosen(measured_on, several_hosts)
    os.environ[VARIABLE] = backend
    if why:
        log.info("Keras runs on %s: %s", backend, why)


def _chosen(measured_on: str, several_hosts: bool) -> tuple[str, str]:
    """The backend, and why it is not the default."""
    if several_hosts or HOSTS_VARIABLE in os.environ:
        return "jax", "only JAX trains on several machines"
    if measured_on and find_spec(measured_on):
        return measured_on, "" if measured_on == DEFAULT else "the figures of this recipe were measured on it"
    if accelerator := _seen_by_jax():
        return "jax", f"JAX sees {accelerator}"
    if not find_spec(DEFAULT) and find_spec("jax"):
        return "jax", "TensorFlow is not installed"
    different = "this recipe's figures were measured on {}, and the same seed draws other weights here"
    return DEFAULT, different.format(measured_on) if measured_on else ""


def _seen_by_jax() -> str:
    """An accelerator; empty without one. JAX is imported only where a package for accelerators lies beside it."""
    if not (find_spec("jax") and (entry_points(group="jax_plugins") or find_spec("libtpu"))):
        return ""
    import jax

    (device, *_) = jax.devices()
    return "" if device.platform == "cpu" else str(device.device_kind)
