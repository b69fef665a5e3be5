"""Two processes on this machine, a device each, train one network."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import naming
from tests.training.unit.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam_training.fit.data_parallel import as_in_first, in_all_processes, is_first, join, share
from vitcam_training.fit.session import Session
from vitcam_training.weights.checkpoints import read_weights

pytestmark = [
    pytest.mark.slow("training/fit", "training/vit.py"),
    pytest.mark.timeout(900),
]  # three processes that compile, on a machine that may be busy
SLOW = pytest.mark.slow("training/fit", "training/vit.py", "training/data", "training/config.py")

STEPS = 20

WORKER = """
import json, logging, os, sys
from itertools import islice
from pathlib import Path
from vitcam_training.fit.data_parallel import join
from vitcam_training.data.augment import Augment
from vitcam_training.fit.prepare import prepare
from vitcam_training.recipes.recipe import ModelRecipe, Recipe, TrainRecipe
from vitcam_training.fit.session import Session

hosts, index, photos, folder = sys.argv[1:]
written = []

def note(event, arguments):
    if event == "open" and str(arguments[0]).startswith(folder) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
        written.append(os.path.basename(arguments[0]))

sys.addaudithook(note)
logging.getLogger("vitcam_training").setLevel(logging.INFO)
join(hosts or None, int(index) if hosts else None)
recipe = Recipe(
    name="colours",
    data=photos,
    model=ModelRecipe(image_size=(16, 16), patch_size=8, width=32, depth=2, heads=2, drop_path=0.2),
    augment=Augment(),
    train=TrainRecipe(epochs=1, batch_size=4, learning_rate=1e-3, average=0.9),
)
run = prepare(recipe, None, Path(folder))
losses = list(islice(run.epoch_steps(), %d))
run.train(Session(quiet=True))
logs = logging.getLogger("vitcam_training.data").isEnabledFor(logging.INFO)
print(json.dumps({"losses": losses, "written": written, "logs": logs}))
"""


@dataclass(frozen=True)
class Told:
    """What a process said of its training."""

    losses: list[float]
    """Of each step."""
    written: list[str]
    """Files that it opened to write, below the run's folder."""
    logs: bool
    """Whether it logs its progress."""


def train(processes: int, photos: Path, folder: Path, devices: int = 1) -> list[Told]:
    """What each process, with so many devices, said of training together in one folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    hosts = ",".join(f"127.0.0.1:{port + i}" for i in range(processes)) if processes > 1 else ""
    environment = os.environ | {"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"}
    environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER % STEPS, hosts, str(i), str(photos), str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )
        for i in range(processes)
    ]  # fmt: skip
    try:
        said = [process.communicate(timeout=400) for process in running]
    finally:
        for process in running:
            process.kill()
    assert [process.returncode for process in running] == [0] * processes, said[0][1] + said[-1][1]
    return [Told(**json.loads(out.splitlines()[-1])) for out, _ in said]  # Gloo greets on stdout, too


@dataclass(frozen=True)
class Trained:
    """The same training by one process, by two, and by one with two devices."""

    root: Path
    """Holds the runs `one`, `two` and `devices`."""
    alone: Told
    first: Told
    second: Told
    devices: Told


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    root = tmp_path_factory.mktemp("distributed")
    photos = write_pictures(root / "photos", each=50, side=16)
    return Trained(
        root, *train(1, photos, root / "one"), *train(2, photos, root / "two"), *train(1, photos, root / "devices", 2)
    )


@SLOW
def test_two_processes_get_the_loss_of_one_with_the_same_batch(trained: Trained) -> None:
    assert len(trained.alone.losses) == STEPS
    np.testing.assert_allclose(trained.first.losses, trained.alone.losses, atol=1e-5, rtol=0)
    assert trained.first.losses == trained.second.losses


@SLOW
def test_two_devices_of_one_process_get_the_loss_of_one_device(trained: Trained) -> None:
    np.testing.assert_allclose(trained.devices.losses, trained.alone.losses, atol=1e-5, rtol=0)


@SLOW
def test_two_processes_end_with_the_weights_of_one(trained: Trained) -> None:
    alone, both = (read_weights(trained.root / name / "weights.safetensors") for name in ("one", "two"))

    for name in alone:
        np.testing.assert_allclose(both[name], alone[name], atol=1e-4, err_msg=name)


@SLOW
def test_only_the_first_process_writes_files(trained: Trained) -> None:
    assert trained.second.written == []
    assert set(trained.first.written) == set(trained.alone.written)
    assert "log.csv" in trained.alone.written


@SLOW
def test_only_the_first_process_logs_its_progress(trained: Trained) -> None:
    assert (trained.alone.logs, trained.first.logs, trained.second.logs) == (True, True, False)


@SLOW
def test_two_processes_score_the_photos_as_one_does(trained: Trained) -> None:
    one, two = ((trained.root / name / "log.csv").read_text().splitlines() for name in ("one", "two"))
    columns = one[0].split(",")
    scored = [dict(zip(columns, lines[-1].split(","), strict=True)) for lines in (one, two)]

    assert len(one) == len(two) == 2
    assert float(scored[1]["test_loss"]) == pytest.approx(float(scored[0]["test_loss"]), abs=1e-4)
    assert scored[1]["test_accuracy"] == scored[0]["test_accuracy"]


@pytest.mark.parametrize(
    ("hosts", "index", "message"),
    [
        ("a:1,b:2", None, "--host-index is None; with 2 hosts, 0 to 1 is allowed"),
        ("a:1,b:2", 2, "--host-index is 2; with 2 hosts, 0 to 1 is allowed"),
        ("a,b", 0, "--hosts is 'a,b'; give HOST:PORT for each process"),
    ],
)
def test_hosts_that_cannot_be_meant_are_refused(
    hosts: str, index: int | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")

    with pytest.raises(UsageError, match=message):
        join(hosts, index)


def test_another_backend_is_told_that_several_hosts_need_jax(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keras.backend.backend", lambda: "torch")

    join()
    with pytest.raises(UsageError, match=naming("JAX", "torch")):
        join("a:1,b:2", 0)


def test_one_process_is_the_first_and_has_every_batch_to_itself() -> None:
    session = Session()

    assert is_first()
    assert share(7) == slice(None)
    assert in_all_processes(session) is session
    assert as_in_first(0.1, 2.0) == (0.1, 2.0)
