"""Model files with wrong bytes: used, or refused in one sentence; none ends a process."""

import json
import subprocess
import sys
import tempfile
import time
import zipfile
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.outcome import Outcome, chance, damaged
from tests.needs import need_model
from vitcam.model.bundle import flatbuffer

_BATCH = 25
_TIMEOUT_S = 120
_FIRST_WITH_COMMAND = 20
"""As many are opened by the command that a user would give, too."""
_NONSENSE: tuple[Any, ...] = (None, True, -1, 0, 1e308, 2**70, "x", "", [], {}, [[1]], {"a": 1}, "9" * 50, [0] * 1000)
_CHILD = """
import sys
import numpy as np
from vitcam.errors import ModelError
from vitcam.model.classifier import Classifier
for path in sys.argv[1:]:
    print("opens", path, flush=True)
    try:
        classifier = Classifier(path, threads=1)
        classifier.verify()
        side = classifier.card.input
        classifier.classify_image(np.full((side.height, side.width, 3), 128, np.uint8), explain=True)
        print("used", flush=True)
    except ModelError as error:
        print("refused", str(error).replace(chr(10), " | "), flush=True)
"""


def run(count: int, seed: int) -> Outcome:
    """Open `count` files, in child processes."""
    outcome = Outcome("mutated model files")
    started = time.monotonic()
    shipped = [need_model(name) for name in ("mnist", "cifar10-scratch")]
    with tempfile.TemporaryDirectory(prefix="vitcam-fuzz-") as folder:
        for first in range(0, count, _BATCH):
            numbers = range(first, min(count, first + _BATCH))
            paths = {number: _written(Path(folder), seed, number, shipped) for number in numbers}
            if first == 0:
                for number in list(numbers)[:_FIRST_WITH_COMMAND]:
                    _command(paths[number], number, outcome)
            _open_all(paths, outcome)
    outcome.count, outcome.seconds = count, time.monotonic() - started
    return outcome


def made(seed: int, number: int, shipped: list[Path]) -> bytes:
    """The file of that number."""
    dice = chance(seed, "model", number)
    path = dice.choice(shipped)
    content, graph = path.read_bytes(), flatbuffer(path)
    match number % 4:
        case 0:
            return damaged(content, dice)
        case 1:
            return graph + _archive(_with_a_wrong_part(_parts(content), dice))
        case 2:  # only the runtime's own checks are left
            return _another_number(graph, dice)
        case _:
            return (_another_number if dice.random() < 0.6 else damaged)(graph, dice) + _archive(
                _without_checksum(_parts(content))
            )


def _another_number(graph: bytes, dice: Random) -> bytes:
    """Shapes, indices, offsets and enumerations are small numbers of 4 bytes: others are in their places."""
    changed = bytearray(graph)
    for _ in range(dice.randint(1, 4)):
        for _ in range(10_000):
            at = 4 * dice.randrange(len(changed) // 4)
            if 0 <= (old := int.from_bytes(changed[at : at + 4], "little", signed=True)) < 4096:
                new = dice.choice((0, 1, -1, old + 1, old * 2, 255, 2**31 - 1, dice.randrange(300)))
                changed[at : at + 4] = new.to_bytes(4, "little", signed=True)
                break
    return bytes(changed)


def _written(folder: Path, seed: int, number: int, shipped: list[Path]) -> Path:
    path = folder / f"{number}.tflite"
    path.write_bytes(made(seed, number, shipped))
    return path


def _open_all(paths: dict[int, Path], outcome: Outcome) -> None:
    """In one child; where it ends early, the rest goes to another one."""
    left = dict(paths)
    while left:
        command = [sys.executable, "-P", "-c", _CHILD, *map(str, left.values())]
        try:
            child = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
            ended, said, errors = child.returncode, child.stdout, child.stderr
        except subprocess.TimeoutExpired as late:
            ended, said, errors = 1, _text(late.stdout), f"no end within {_TIMEOUT_S} s"
        opened = [line for line in said.splitlines() if line.startswith("opens ")]
        for line in said.splitlines():
            if not line.startswith("opens "):
                outcome.answers[_kind(line)] += 1
        done = list(left)[: len(opened)]
        if ended:
            outcome.found(done[-1] if done else -1, f"ended with {ended}: {errors[-600:]}")
        for number in done:
            left.pop(number).unlink()
        if not done:
            return


def _command(path: Path, number: int, outcome: Outcome) -> None:
    command = [sys.executable, "-P", "-m", "vitcam", "models", "verify", str(path)]
    child = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    if child.returncode not in (0, 1, 2) or "Traceback" in child.stderr + child.stdout:
        outcome.found(number, f"`vitcam models verify` ended with {child.returncode}: {child.stderr[-600:]}")


def _kind(line: str) -> str:
    for words in (
        "ran it crashed",
        "is damaged",
        "description that cannot be read",
        "cannot be loaded",
        "cannot be run",
        "not a TFLite",
    ):
        if words in line:
            return words
    return line.split(maxsplit=1)[0]


def _text(output: bytes | str | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def _parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(parts: dict[str, bytes]) -> bytes:
    """A zip, which stands behind a graph as well as alone."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def _without_checksum(parts: dict[str, bytes]) -> dict[str, bytes]:
    card = json.loads(parts["vitcam.json"]) | {"graph_sha256": ""}
    return parts | {"vitcam.json": json.dumps(card).encode()}


def _with_a_wrong_part(parts: dict[str, bytes], dice: Random) -> dict[str, bytes]:
    name = dice.choice(["vitcam.json", "vitcam.json", *parts])
    if not name.endswith(".json"):
        return parts | {name: damaged(parts[name], dice)}
    document: Any = json.loads(parts[name])
    node: Any = document
    while True:
        key: Any = dice.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if not (isinstance(node[key], dict | list) and node[key] and dice.random() < 0.7):
            break
        node = node[key]
    node[key] = dice.choice(_NONSENSE)
    return parts | {name: json.dumps(document).encode()}
