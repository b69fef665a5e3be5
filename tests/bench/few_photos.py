"""How well a network does after a few epochs with few photos of things that it was not trained on, in int8.

python -m tests.bench.few_photos WEIGHTS [--folder caltech101] [--labels 20] [--photos 40] [--held-out 10]
                                 [--epochs 13] [--seed 0]

The labels are drawn from those that have enough photos, and the photos from theirs. `vitcam-train finetune --epochs
… --export` trains and exports, and knows nothing of the photos that are held out; `vitcam-train evaluate` asks the
model file about them.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.needs import data_root


def lay_out(folder: Path, into: Path, labels: int, photos: int, held_out: int, seed: int) -> None:
    """Folders of labels in `into/train` and `into/heldout`, with links to the photos."""
    rng = random.Random(seed)
    found = {each.name: sorted(each.iterdir()) for each in sorted(folder.iterdir()) if each.is_dir()}
    enough = [label for label, files in found.items() if len(files) >= photos + held_out]
    for label in rng.sample(enough, labels):
        drawn = rng.sample(found[label], photos + held_out)
        for part, files in (("train", drawn[:photos]), ("heldout", drawn[photos:])):
            place = into / part / label
            place.mkdir(parents=True)
            for file in files:
                (place / file.name).symlink_to(file.resolve())


def main() -> None:
    """Print how long the training took, and then what `evaluate` prints."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.few_photos")
    options.add_argument("weights", type=Path)
    options.add_argument("--folder", default="caltech101", help="of photos in folders of labels, below VITCAM_DATA")
    options.add_argument("--labels", type=int, default=20)
    options.add_argument("--photos", type=int, default=40, help="of each label to train on")
    options.add_argument("--held-out", type=int, default=10, help="of each label to measure on")
    options.add_argument("--epochs", type=int, default=13)
    options.add_argument("--seed", type=int, default=0)
    o = options.parse_args()
    root = data_root()
    if root is None:
        sys.exit("VITCAM_DATA is not set; set it to the folder that contains the photos")
    train = [str(Path(sys.executable).with_name("vitcam-train"))]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        lay_out(root / o.folder, place, o.labels, o.photos, o.held_out, o.seed)
        began = time.monotonic()
        finetune = ["finetune", "--weights", str(o.weights), "--data", str(place / "train"), "--epochs", str(o.epochs)]
        finetune += ["--out", str(place / "run"), "--export", str(place / "few.tflite")]
        subprocess.run([*train, *finetune], check=True)
        print(f"\ntrained and exported in {(time.monotonic() - began) / 60:.1f} minutes\n", flush=True)
        evaluate = ["evaluate", str(place / "few.tflite"), "--data", str(place / "heldout"), "--split", "all"]
        subprocess.run([*train, *evaluate], check=True)


if __name__ == "__main__":
    main()
