"""Shrinking a frame and drawing its overlay."""

import time
from dataclasses import replace

import numpy as np

from tests import frames
from vitcam.frames import Image
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.web.stream.encoder import draw, has_weights
from vitcam.web.stream.variant import Variant


def classified(image: Image | None = None) -> ClassifiedFrame:
    return ClassifiedFrame(frames.frame(7, image), frames.prediction(at_ns=time.monotonic_ns(), seq=7))


def test_a_picture_is_shrunk_to_the_width_of_the_variant() -> None:
    image = draw(classified(frames.picture(720, 1280)), Variant(width=640))

    assert image.shape == (360, 640, 3)


def test_a_narrow_picture_is_never_enlarged() -> None:
    image = draw(classified(frames.picture(90, 160)), Variant(width=640))

    assert image.shape == (90, 160, 3)


def test_the_overlay_stays_inside_what_the_model_saw() -> None:
    subject = classified(frames.picture(720, 1280, value=100))
    image = draw(subject, Variant(overlay="heat", width=640))

    assert (image[:, :140] == 100).all()
    assert (image[:, 500:] == 100).all()
    assert (image[:, 150:490] != 100).any()


def test_without_overlay_the_camera_s_own_pixels_are_encoded() -> None:
    image = frames.picture(72, 128)

    assert draw(classified(image), Variant(overlay="none")) is image


def test_evidence_is_drawn_where_it_speaks_for_the_answer_and_nowhere_else() -> None:
    evidence = np.full((4, 4), -1.0, np.float32)
    evidence[0, 0] = 0.1
    weighed = replace(classified(), prediction=replace(frames.prediction(), evidence=evidence))
    variant = Variant(overlay="evidence", opacity=1.0, width=128)
    plain, out = draw(weighed, Variant(overlay="none", width=128)), draw(weighed, variant)

    assert (out[5:15, 30:40] != plain[5:15, 30:40]).any()
    assert (out[40:, 70:100] == plain[40:, 70:100]).all()
    assert draw(classified(), variant) is not None, "and a model that gives none shows the picture"


def test_a_rollout_is_drawn_as_soon_as_it_is_there_and_not_before() -> None:
    asked = Variant(overlay="rollout", opacity=1.0, width=128)
    without = classified()
    rollout = np.eye(16, dtype=np.float32)[0].reshape(4, 4)
    explained = replace(without, prediction=replace(frames.prediction(), rollout=rollout))
    before, after = draw(without, asked), draw(explained, asked)

    assert (has_weights(without, asked), has_weights(explained, asked)) == (False, True)
    assert has_weights(without, Variant(overlay="attention"))
    assert before is without.frame.preview
    assert (after[5:15, 30:40] != before[5:15, 30:40]).any()
    assert (after[40:, 70:100] == before[40:, 70:100]).all()
