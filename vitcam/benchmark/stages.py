"""What each part of the pipeline costs for one frame, from the sensor's picture to the viewer's JPEG."""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from vitcam.frames import Frame
from vitcam.model.classifier import Classifier
from vitcam.pictures.encode import encode_jpeg
from vitcam.pictures.resize import to_model_size
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.sources import open_source
from vitcam.sources.source import SourceOptions
from vitcam.web.stream.encoder import draw
from vitcam.web.stream.variant import Variant

_WATCHED = Variant(width=640)
_MIN_ROUNDS = 10  # the first ones are slow, and must not be the median


def time_stages(path: Path, threads: int, seconds: float, labels: Path | None) -> dict[str, float]:
    """Median cost of each stage in ms, on the first frame of the demo, 1280×720 px.

    resize   to the model's size
    write    into the input tensor
    invoke   the model
    read     the outputs, and find the best labels
    overlay  shrink to 640 px and draw the attention
    jpeg     encode that
    raises   ModelError if the file is not a classifier of pictures
    """
    classifier = Classifier(path, threads=threads, labels=labels)
    frame = _demo_frame(classifier)
    rounds: list[dict[str, float]] = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(rounds) < _MIN_ROUNDS:
        rounds.append(_once(classifier, frame))
    return {stage: float(np.median([each[stage] for each in rounds])) for stage in rounds[0]}


def _once(classifier: Classifier, frame: Frame) -> dict[str, float]:
    started = time.perf_counter()
    small = to_model_size(frame.preview, classifier.input)
    resized = time.perf_counter()
    prediction = classifier(replace(frame, model_input=small))
    classified = time.perf_counter()
    picture = draw(ClassifiedFrame(frame, prediction), _WATCHED)
    drawn = time.perf_counter()
    encode_jpeg(picture, _WATCHED.quality)
    encoded = time.perf_counter()
    write_ms, invoke_ms = prediction.ms.preprocess, prediction.ms.infer
    return {
        "resize": (resized - started) * 1000,
        "write": write_ms,
        "invoke": invoke_ms,
        "read": (classified - resized) * 1000 - write_ms - invoke_ms,
        "overlay": (drawn - classified) * 1000,
        "jpeg": (encoded - drawn) * 1000,
    }


def _demo_frame(classifier: Classifier) -> Frame:
    with open_source("demo", SourceOptions(input=classifier.input, realtime=False)) as source:
        return next(iter(source))
