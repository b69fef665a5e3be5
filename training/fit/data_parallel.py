"""Data-parallel training: one network on all accelerators of this machine, or of several, by keras.distribution on JAX.

Every process runs the same program and holds the same weights. It loads its own share of each batch; JAX adds the
gradients up. All processes make the same decisions, so that none waits for another one forever.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

import vitcam_training
from vitcam.errors import UsageError
from vitcam_training.backend import HOSTS_VARIABLE
from vitcam_training.fit.session import Session, Stop, Stopped
from vitcam_training.provenance import machine

Predict = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Pictures (B, H, W, 3) -> logits (B, C)."""

log = logging.getLogger(__name__)


def join(hosts: str | None = None, index: int | None = None) -> None:
    """Train on all accelerators from now on; to be called before anything is computed.

    hosts   `HOST:PORT,…`, one for each process, the first of which coordinates; None: Keras' environment variables
            (`KERAS_DISTRIBUTION_JOB_ADDRESSES`, `…_NUM_PROCESSES`, `…_PROCESS_ID`), or only this machine
    index   which of them this process is, from 0
    raises  UsageError for a backend that cannot train on several hosts, an invalid address or index, or hosts that
            cannot connect
    """
    backend = keras.backend.backend()
    several = hosts is not None or HOSTS_VARIABLE in os.environ
    if backend != "jax":
        if several:
            raise UsageError(
                f"only the JAX backend can train on several hosts, and this is {backend}: KERAS_BACKEND=jax"
            )
        return
    if several:
        _connect_hosts(hosts, index)
    devices = keras.distribution.list_devices()
    if len(devices) > 1:
        keras.distribution.set_distribution(keras.distribution.DataParallel(devices=devices, auto_shard_dataset=False))
        log.info("training on %d devices, process %d of %d", len(devices), _index() + 1, _processes())
    if not is_first():
        logging.getLogger(vitcam_training.__name__).setLevel(logging.WARNING)


def _connect_hosts(hosts: str | None, index: int | None) -> None:
    count = None
    if hosts is not None:
        addresses = hosts.split(",")
        count = len(addresses)
        if index is None or not 0 <= index < count:
            raise UsageError(f"--host-index is {index}; with {count} hosts, 0 to {count - 1} is allowed")
        if not all(host and port.isdigit() for host, _, port in (each.rpartition(":") for each in addresses)):
            raise UsageError(f"--hosts is {hosts!r}; give HOST:PORT for each process, with commas between")
    try:
        keras.distribution.initialize(hosts, count, index)
    except (RuntimeError, ValueError) as error:
        raise UsageError(f"the hosts could not connect: {str(error).splitlines()[0]}") from error


def is_first() -> bool:
    """Whether this process writes the files and the log; true where it is the only one."""
    return _index() == 0


def computer() -> str:
    """What trains: the accelerator's name where there is one, and the processor with the cores that it may use."""
    return ", ".join(name for name in (_accelerator(), machine()) if name)


def share(batch_size: int) -> slice:
    """This process's part of every batch.

    raises  UsageError if the batch cannot be divided among the devices
    """
    distribution = keras.distribution.distribution()
    if distribution is None:
        return slice(None)
    devices = distribution.device_mesh.devices.size
    if batch_size % devices:
        raise UsageError(
            f"a batch of {batch_size} cannot be divided among {devices} devices; give a multiple of {devices}"
        )
    each = batch_size // _processes()
    return slice(_index() * each, (_index() + 1) * each)


def predictor(model: Any) -> Predict:
    """What a model answers, computed by this process for itself: with one device, where there are several."""
    if keras.distribution.distribution() is None:
        return lambda images: np.asarray(model.predict_on_batch(images), np.float32)
    import jax

    forward = jax.jit(lambda weights, rest, images: model.stateless_call(weights, rest, images, training=False)[0])

    def predict(images: NDArray[np.uint8]) -> NDArray[np.float32]:
        own = [
            [variable.value.addressable_data(0) for variable in variables]
            for variables in (model.trainable_variables, model.non_trainable_variables)
        ]
        return np.asarray(forward(*own, images), np.float32)

    return predict


def in_all_processes(session: Session) -> Session:
    """A session that is stopped in all processes when it is in one, and only the first shows its progress."""
    if _processes() == 1:
        return session
    quiet, board = session.quiet or not is_first(), session.tensorboard and is_first()
    return replace(session, quiet=quiet, tensorboard=board, stop=_SharedStop(session.stop))


def as_in_first(*figures: float) -> tuple[float, ...]:
    """Figures as the first process has them: decisions must not depend on the rounding of another process."""
    return tuple(_gather(np.array(figures))[0].tolist())


def wait_for_all() -> None:
    """Until every process is here, such as for a file that the first has written."""
    _gather(np.zeros(1))


def check_folder(folder: Path) -> None:
    """Make a run's folder. Raises UsageError where that cannot be done, or not every process sees it."""
    if is_first():
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"the run's folder {folder} cannot be created ({error.strerror}); name another with --out"
            ) from error
    wait_for_all()
    seen = _gather(np.array(folder.is_dir()))
    if not seen.all():
        raise UsageError(f"{folder} is not on a disk that all processes share; give a folder that is")


def check_same_step(place: tuple[int, ...]) -> None:
    """Raise UsageError unless every process stands at the same place of a run."""
    found = _gather(np.array(place))
    if (found != found[0]).any():
        raise UsageError(
            f"the processes stand at different places of the run, such as {found[0].tolist()} and "
            f"{found[-1].tolist()} (epoch, step): its folder must be on a disk that all of them share"
        )


class _SharedStop(Stop):
    """When one process is stopped, all are: none would get on without it."""

    def __init__(self, own: Stop) -> None:
        super().__init__()
        self._own = own

    def check(self, gained: bool) -> None:
        wish = None
        try:
            self._own.check(gained)
        except Stopped as stopped:
            wish = stopped
        if _gather(np.array(wish is not None)).any():
            raise wish or Stopped("another process was stopped", 0)

    def __enter__(self) -> Stop:
        self._own.__enter__()
        return self

    def __exit__(self, *what: object) -> None:
        self._own.__exit__(*what)


def _gather(own: NDArray[Any]) -> NDArray[Any]:
    """(P, …): what each process has."""
    if _processes() == 1:
        return own[None]
    from jax.experimental import multihost_utils

    return np.asarray(multihost_utils.process_allgather(own))


def _accelerator() -> str:
    """Empty where the processor does all."""
    backend = keras.backend.backend()
    if backend == "jax":
        import jax

        (device, *_) = jax.local_devices()
        return "" if device.platform == "cpu" else str(device.device_kind)
    if backend == "torch":
        import torch

        return str(torch.cuda.get_device_name()) if torch.cuda.is_available() else ""
    return ""


def _processes() -> int:
    if keras.distribution.distribution() is None:
        return 1
    import jax

    return int(jax.process_count())


def _index() -> int:
    if _processes() == 1:
        return 0
    import jax

    return int(jax.process_index())
