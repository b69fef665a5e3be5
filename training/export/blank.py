"""What a model file carries to tell a blank picture: the least contrast of a photo, and images to check it.

`vitcam/model/out_of_distribution.py` says how contrast is measured.
"""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np

from vitcam.model.bundle import Golden
from vitcam.model.classifier import Classifier
from vitcam.model.out_of_distribution import LEAST_CONTRAST, contrast
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.data.blank import covered, lens_cap, wall
from vitcam_training.data.dataset import BrokenPhotoError, Dataset, photo_of

MOST = 3000  # photos that are asked
SHARE = 0.001  # of the photos may have less contrast
MARGIN = 0.8  # other photos may have less than those trained on
SEED = 3  # gives an image of each kind without anything at its sides

log = logging.getLogger(__name__)


def least_contrast(spec: InputSpec, dataset: Dataset | None) -> float:
    """Below this contrast a picture is blank: the usual, or less where the photos trained on have less.

    Small photos that were enlarged have, and drawings of one colour have none.
    """
    if dataset is None or not dataset.parts.get("train"):
        return LEAST_CONTRAST
    samples = dataset.parts["train"]
    found = []
    for i in np.random.default_rng(0).permutation(len(samples))[:MOST]:
        try:
            found.append(contrast(to_model_size(photo_of(samples[i]), spec)))
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
    return min(LEAST_CONTRAST, round(MARGIN * float(np.quantile(found, SHARE)), 1)) if found else LEAST_CONTRAST


def blank_images(model: Path) -> list[Golden]:
    """The dark, a wall and a hand over the lens at the model's size, without noise, which would fill the file.

    model    a finished model file; an image that it calls known after all is left out, with a warning
    """
    classifier, images = Classifier(model), []
    for scene in (lens_cap, wall, covered):
        drawn = scene(np.random.default_rng(SEED), classifier.input.height, classifier.input.width)
        image = np.clip(drawn, 0, 255).astype(np.uint8)
        if (found := classifier.classify_image(image)).known:
            log.warning("%s calls a blank image known, as %s", model.stem, found.top[0].label)
        else:
            images.append(Golden(scene.__name__, image, ()))
    return images
