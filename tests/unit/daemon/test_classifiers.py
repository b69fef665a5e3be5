"""What answers photos that are sent over HTTP."""

import numpy as np

from tests import frames
from vitcam.daemon.classifiers import PhotoClassifier
from vitcam.explain.explained import explain
from vitcam.explain.figure import draw_figure
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import Decoded
from vitcam.run_model import RunModel
from vitcam.slot import Current


def test_the_figure_is_the_one_that_vitcam_explain_draws_and_the_model_is_left_as_it_was() -> None:
    classifier = Classifier("mnist", threads=1, top_k=3)
    photo = Decoded(frames.picture(100, 200), 2000, 1000)
    photos = PhotoClassifier(Current(RunModel.of(classifier)))

    figure = photos.explain(photo)

    assert (figure == draw_figure(explain(classifier, photo, "the photo that was sent", 3, 0.85))).all()
    assert classifier.top_k == 3
    assert len(photos.classify(photo.image).top) == 3


def test_the_figure_names_the_size_of_the_photo_itself_where_it_was_decoded_reduced() -> None:
    photos, image = PhotoClassifier(Current(RunModel.of(Classifier("mnist", threads=1)))), frames.picture(100, 200)

    reduced, whole = (photos.explain(Decoded(image, width, width // 2)) for width in (1600, 200))

    assert not np.array_equal(reduced, whole)
