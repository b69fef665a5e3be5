"""Six epochs of fine-tuning on the photos that are taught, by `vitcam-train finetune` in a process of its own."""

from __future__ import annotations

import json
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.model import bundle

EPOCHS = 6


@dataclass(frozen=True)
class Finetuned:
    """What came of it."""

    right: float
    n: int
    seconds: float
    """Of processor time, with loading Keras, the export as int8 and asking about the photos."""
    wall_s: float
    mb: float
    """Resident at most."""


def finetuned(taught: Sequence[Path], asked: Sequence[Path], weights: Path | None, folder: Path) -> Finetuned | None:
    """Fine-tune with some photos and ask about the others, or read what was found before.

    The folder that a photo lies in is its label.

    weights  where it begins; None: nothing is fine-tuned
    folder   for photos, recipe, run and what was found; delete it to do it again
    raises   VitcamError if it fails
    """
    kept = folder / "found.json"
    if kept.is_file():
        return Finetuned(**json.loads(kept.read_text(encoding="utf-8")))
    if weights is None:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    for part, paths in (("train", taught), ("test", asked)):
        for path in paths:
            (folder / "photos" / part / path.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / "photos" / part / path.parent.name / path.name)
    recipe, model = folder / "six-epochs.toml", folder / "model.tflite"
    recipe.write_text(_recipe(), encoding="utf-8")
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [
        sys.executable, "-c", "from vitcam_training.cli import main; main()", "finetune", str(recipe), "--data",
        str(folder / "photos"), "--weights", str(weights), "--out", str(folder / "run"), "--export", str(model),
    ]  # fmt: skip
    log = folder / "log.txt"
    with log.open("w") as file:
        done = subprocess.run(command, stdout=file, stderr=file, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = bundle.read(model) if done.returncode == 0 else None
    if found is None:
        raise VitcamError(f"the fine-tuning failed with {done.returncode}; {log} says why")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    accuracy, wall_s = found.card.accuracy, time.monotonic() - began_s
    result = Finetuned(accuracy["top1"], accuracy["n"], seconds, wall_s, after.ru_maxrss / 1024)
    kept.write_text(json.dumps(asdict(result)), encoding="utf-8")
    return result


def _recipe() -> str:
    """That for photos of one's own, with so many epochs."""
    text = (Path(__file__).parents[2] / "recipes" / "folder.toml").read_text(encoding="utf-8")
    return re.sub(r"^epochs = \d+", f"epochs = {EPOCHS}", text, flags=re.MULTILINE)
