"""A thousand changes of the model: no answer mixes the labels of two, and no memory is lost."""

import json
import re
import threading
import urllib.request
from pathlib import Path

import pytest

from tests.daemon import Daemon, answer_to, daemon, get_json

SWAPS = 1000
MODELS = ("mnist", "cifar10-scratch")


def resident(running: Daemon) -> int:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{running.process.pid}/status").read_text())
    assert found is not None
    return int(found[1])


class Answers:
    """Reads the live predictions in a thread."""

    def __init__(self, url: str) -> None:
        self.labels: set[frozenset[str]] = set()
        self.count = 0
        self._stream = urllib.request.urlopen(f"{url}/api/predictions", timeout=60)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self._stream:
            if line.startswith(b"data: ") and (record := json.loads(line[6:]))["type"] == "prediction":
                self.labels.add(frozenset(guess["label"] for guess in record["top"]))
                self.count += 1


@pytest.mark.slow("vitcam/daemon", "vitcam/run_model.py", "vitcam/model")
def test_a_thousand_changes_of_the_model_mix_nothing_and_keep_no_memory(tmp_path: Path) -> None:
    memory = []
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        known = {}
        for name in MODELS:
            assert answer_to(f"{running.url}/api/model", {"name": name})[0] == 200
            known[name] = set(get_json(f"{running.url}/api/model")["labels"])
        answers = Answers(running.url)
        for number in range(SWAPS):
            status, said = answer_to(f"{running.url}/api/model", {"name": MODELS[number % 2]})
            assert (status, said["name"]) == (200, MODELS[number % 2])
            if number % 100 == 99:
                memory.append(resident(running))
        state = running.state()

    mixed = [labels for labels in answers.labels if not any(labels <= own for own in known.values())]
    assert mixed == []
    assert answers.count > SWAPS / 10
    assert state["status"] == "ok"
    assert state["model_loads"] == SWAPS + 3
    assert memory[-1] < 1.1 * memory[1], f"{memory} kB: it grows"
