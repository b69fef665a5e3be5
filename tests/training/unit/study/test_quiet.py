"""A training of a study stands still while something is measured, and can be stopped meanwhile."""

import threading
import time
from pathlib import Path

import pytest

from vitcam_training.fit.session import Stopped
from vitcam_training.study import quiet
from vitcam_training.study.quiet import Yielding, measuring


@pytest.fixture(autouse=True)
def _own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "lock_file", lambda: tmp_path / "lock")


def test_a_training_waits_as_long_as_something_is_measured() -> None:
    went_on = threading.Event()

    def train() -> None:
        Yielding().check(gained=True)
        went_on.set()

    with measuring():
        thread = threading.Thread(target=train)
        thread.start()
        assert not went_on.wait(0.7)
    assert went_on.wait(10)
    thread.join(10)


def test_a_training_whose_time_is_up_ends_while_it_waits() -> None:
    stop = Yielding(minutes=0.005)
    started = time.monotonic()
    with measuring(), pytest.raises(Stopped):
        stop.check(gained=True)

    assert time.monotonic() - started < 10
