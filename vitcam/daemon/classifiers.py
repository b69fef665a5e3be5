"""The model of a run, as each thread that asks it has it: the camera's, that of uploaded photos and the history's.

The camera has an interpreter of its own, so that it does not wait for the others. Each takes another model before its
next picture. What has not been used for ten minutes is given back, and made again when it is needed.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from vitcam.frames import Frame, Image, Prediction
from vitcam.history.best_picture import summary_of
from vitcam.history.stored import FrameSummary, StoredEvent
from vitcam.model.attention.process import AttentionProcess
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import Decoded, Limits, decode_image
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.resize import brightened, enough_for, to_model_size
from vitcam.pipeline.limits import PaceLimits
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.web.stream.variant import Demand

_OPACITY = 0.85  # of the hottest spot of a map, the default of `vitcam explain`


# A large photo is decoded at reduced size, which keeps at least this many times the model's px on each side. Of 120
# photos, 118 had the same best label as in full size, and its probability differed by 0.006 on average.
_DETAIL = 4
_UNUSED_S = 600.0


class CameraClassifier:
    """Called in one thread. Another number of threads takes an interpreter of its own: 10 MB while it is in use.

    With one thread, a frame of `everyday` takes a quarter less processor time than with two
    (docs/program/benchmarks.md).

    model   the one in use, with all of its threads
    limits  say how many of them may run
    demand  says what viewers want the model to compute
    """

    def __init__(self, model: Current[RunModel], *, limits: PaceLimits, demand: Demand) -> None:
        self._model = model
        self._of = model.value
        self._current = self._of.classifier
        self._limits = limits
        self._demand = demand
        self._explained_s: float | None = None
        self._threads = 0
        self._in_use = threading.Lock()

    def __call__(self, frame: Frame) -> Prediction:
        """The prediction for a frame, by what is in force now."""
        with self._in_use:
            current = self._in_force()
            return current(frame, explain=self._explains(current), features=False)

    @contextmanager
    def between_frames(self) -> Iterator[Classifier]:
        """What classifies frames, for another thread: the next frame waits until the context ends."""
        with self._in_use:
            yield self._in_force()

    def _explains(self, current: Classifier) -> bool:
        """Whether viewers want what is computed on request; ten minutes after the last one its memory is freed."""
        if self._demand.explanation:
            self._explained_s = time.monotonic()
            return True
        if self._explained_s is not None and time.monotonic() - self._explained_s > _UNUSED_S:
            self._explained_s = None
            current.give_back()
        return False

    def _in_force(self) -> Classifier:
        current = self.with_threads(self._limits.threads)
        if self._of.words is not None:
            self._of.words.give_to(current)
        return current

    def with_threads(self, threads: int) -> Classifier:
        """The model in use with this number of threads; 0: all."""
        model = self._model.value
        if threads != self._threads or model is not self._of:
            self._current.give_back()
            self._current = model.classifier.clone(threads) if threads else model.classifier
            self._threads, self._of = threads, model
        self._current.top_k = model.classifier.top_k  # a reload may have changed it
        return self._current


class OwnInterpreter:
    """The model with an interpreter of its own, about 10 MB, which is made for the first picture."""

    def __init__(self, model: Current[RunModel]) -> None:
        self._model = model
        self._in_use = threading.Lock()
        self._own: tuple[RunModel, Classifier] | None = None
        self._used_s = 0.0

    @contextmanager
    def ready(self) -> Iterator[Classifier]:
        """It, with what a reload and viewers may have changed. Another thread waits until the context ends."""
        with self._in_use:
            model = self._model.value
            if self._own is None or self._own[0] is not model:
                self._own = None  # two interpreters at once would need the memory of both
                self._own = model, model.classifier.clone(threads=1)
            classifier = self._own[1]
            classifier.top_k = model.classifier.top_k
            if model.words is not None:
                model.words.give_to(classifier)
            try:
                yield classifier
            finally:
                self._used_s = time.monotonic()

    def give_back_unused(self) -> None:
        """Free the memory if no picture has come for ten minutes. Waits for nobody."""
        if not self._in_use.acquire(blocking=False):
            return
        try:
            if self._own is not None and time.monotonic() - self._used_s > _UNUSED_S:
                self._own = None
        finally:
            self._in_use.release()


class StoredPictureClassifier:
    """Asks about pictures as the history keeps them, so that a replay can give the same answers, bit for bit.

    A JPEG is not the frame that it was made of. Called in the history's thread, and only when a picture is written: a
    few times in a minute a frame waits for one inference, and the weights are in memory once.
    """

    def __init__(self, camera: CameraClassifier) -> None:
        self._camera = camera

    def __call__(self, jpeg: bytes, event: StoredEvent) -> FrameSummary:
        """What the encoded picture shows; what its frame showed, where another model is in use by now.

        event  what the frame showed of which it was made; the crop of its summary holds
        """
        picture = decode_image(jpeg)
        with self._camera.between_frames() as classifier:
            if (classifier.card.name, classifier.fingerprint) != (event.model, event.fingerprint):
                return event.summary
            answer = classifier.classify_part(picture, event.summary.crop, "history")
        return summary_of(answer)


class PhotoClassifier:
    """The model of a run for uploaded photos. Close it at the end."""

    def __init__(self, model: Current[RunModel]) -> None:
        self._model = model
        self.interpreter = OwnInterpreter(model)
        self._decoder = DecodeProcess()
        self._attention = AttentionProcess()

    def decode(self, data: bytes) -> Decoded:
        """The pixels of a photo. Raises UsageError for bytes that are not a photo; VitcamError after `close`."""
        enough = enough_for(self._model.value.classifier.input, _DETAIL)
        return self._decoder(data, Limits(enough=enough))

    def classify(self, image: Image) -> Prediction:
        """The prediction for a picture, (H, W, 3) uint8, RGB, with attention and rollout."""
        with self.interpreter.ready() as classifier:
            return classifier.classify_image(image, explain=True)

    def explain(self, photo: Decoded, scheme: str = "") -> Image:
        """The figure of `vitcam explain`, (h, w, 3) uint8, RGB.

        scheme  of `ON_PAGE`, whose colours it has; empty: as in print
        """
        from vitcam.explain.explained import explain
        from vitcam.explain.figure import ON_PAGE, draw_figure  # loads the font, which few daemons need

        with self.interpreter.ready() as classifier:
            explained = explain(classifier, photo, "the photo that was sent", classifier.top_k, _OPACITY)
        return draw_figure(replace(explained, paper=ON_PAGE[scheme]) if scheme else explained)

    def attention(self, photo: Decoded) -> bytes:
        """Whom every patch attends to, as `vitcam.model.attention.packed` packs it. Raises UsageError."""
        classifier = self._model.value.classifier  # the process gets a copy of the graph, none has to be loaded here
        image = to_model_size(photo.image, classifier.input)
        return self._attention(classifier, brightened(image, classifier.input))

    def close(self) -> None:
        """End what is running. May be called in any thread."""
        self._decoder.close()
        self._attention.close()
