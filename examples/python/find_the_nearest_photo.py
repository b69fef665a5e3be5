"""Find the photo of a folder that looks most like another one, by their embeddings.

python examples/python/find_the_nearest_photo.py photo.jpg FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam import Classifier, Prediction, classify_all


def embedding_of(prediction: Prediction) -> NDArray[np.float32]:
    """(D,) of length 1, so that the product of two is their cosine: 1 for the same picture."""
    if prediction.embedding is None:
        raise SystemExit("this model gives no embeddings; take `everyday`")
    return prediction.embedding / np.linalg.norm(prediction.embedding)


def main(photo: str = "models/golden/cat.jpg", folder: str = "models/golden") -> None:
    """Print the photos of the folder, the nearest first, without the photo itself."""
    classifier = Classifier("everyday")
    (wanted,) = classify_all(classifier, [photo])
    found = []
    for other in classify_all(classifier, [folder]):
        path = other.frame.path or ""
        if not Path(path).samefile(photo):
            found.append((float(embedding_of(wanted.prediction) @ embedding_of(other.prediction)), path))
    for cosine, path in sorted(found, reverse=True):
        print(f"{cosine:5.2f}  {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
