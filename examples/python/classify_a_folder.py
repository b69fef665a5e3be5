"""Classify all photos of a folder, one on each core, and count what they show.

python examples/python/classify_a_folder.py FOLDER
"""

import sys
from collections import Counter

from vitcam import Classifier, Unreadable, classify_all


def main(folder: str = "models/golden") -> None:
    """Print how many photos show what. A file that is not a picture is named, and the others are still classified."""
    broken: list[Unreadable] = []
    photos = classify_all(Classifier("everyday"), [folder], on_unreadable=broken.append)
    shown = Counter(photo.prediction.shown.label or "not sure" for photo in photos)
    for label, count in shown.most_common():
        print(f"{count:5}  {label}")
    for bad in broken:
        print(f"{bad.path}: {bad.error}", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
