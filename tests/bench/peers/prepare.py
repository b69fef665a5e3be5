"""Make the material: bring the weights in, cut the photos, ask the float network.

python -m tests.bench.peers.prepare FOLDER PHOTOS [WEIGHTS]
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos
from vitcam.errors import VitcamError
from vitcam.pictures.resize import to_model_size
from vitcam_training.data.dataset import Dataset, data_root, missing_data, read_photo
from vitcam_training.data.published.imagenet import imagenet
from vitcam_training.weights.metadata import read_metadata

WEIGHTS = "deit_tiny/deit_tiny_patch16_224.npz"
SOURCE = "github.com/facebookresearch/deit (deit_tiny_patch16_224, saved by NumPy under timm's names)"


def prepare(material: Material, count: int, network: str = "") -> None:
    """Write everything in the folder.

    count    photos to be asked about, and as many others to calibrate by
    network  what `vitcam-train import` takes, with ImageNet's mean and standard deviation of the pixels; "": DeiT-Tiny
    raises   UsageError if weights or photos are not there, saying where to get them
    """
    weights, dataset = find_data()
    asked, calibration = _every_other(dataset, count)
    material.folder.mkdir(parents=True, exist_ok=True)
    labels = ["--labels", str(weights.with_name("synset_words.txt"))]
    command = [str(Path(sys.executable).with_name("vitcam-train")), "import", network or str(weights), *labels]
    subprocess.run([*command, "-o", str(material.checkpoint)], check=True)
    np.save(material.asked, _cut(asked, material))
    np.save(material.calibration, _cut(calibration, material))
    np.save(material.reference, _ask_float(asked, material))


def find_data() -> tuple[Path, Dataset]:
    """Where the weights are, and the photos. Raises UsageError if they are not there, saying where to get them."""
    weights = data_root() / WEIGHTS
    if not weights.is_file():
        raise missing_data(weights, SOURCE)
    return weights, imagenet()


def _every_other(dataset: Dataset, count: int) -> tuple[Dataset, Dataset]:
    """Two sets of `count` photos without a photo in common, spread over all classes."""
    samples = dataset.part("heldout")
    step = max(2, len(samples) // count)
    parts = (samples[start::step][:count] for start in (0, step // 2))
    first, second = (replace(dataset, parts={"heldout": part}) for part in parts)
    return first, second


def _cut(dataset: Dataset, material: Material) -> Photos:
    spec = read_metadata(material.checkpoint).input
    return np.stack([to_model_size(read_photo(sample.path), spec) for sample in dataset.part("heldout")])


def _ask_float(dataset: Dataset, material: Material) -> Answers:
    from vitcam_training.evaluation.float_network import ask_float

    return ask_float(material.checkpoint, dataset, "heldout").probabilities


if __name__ == "__main__":
    try:
        prepare(Material(Path(sys.argv[1])), int(sys.argv[2]), *sys.argv[3:])
    except VitcamError as error:
        print(f"bench-peers: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
