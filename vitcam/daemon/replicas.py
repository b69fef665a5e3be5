"""The model of a run for films, of which every frame is classified: an interpreter for each thread that may run."""

import logging
from collections.abc import Callable, Sequence

from vitcam.daemon.classifiers import CameraClassifier, Explanations
from vitcam.errors import ModelError
from vitcam.frames import Frame, Prediction
from vitcam.heat.watch import HeatLimits
from vitcam.machine import Machine
from vitcam.model.classifier import Classifier
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.web.stream.variant import Demand

log = logging.getLogger(__name__)

_OF_GRAPH, _OF_TENSORS = 1.3, 8 * 2**20  # bytes of an interpreter: the weights in XNNPACK's order, and the rest
_SHARE = 0.25  # of the memory that is available, for all replicas together


class FilmReplicas:
    """The `Replicas` of a run. N interpreters with one thread each answer more frames/s than one with N threads.

    With one thread, or where memory is short, the camera's own interpreter is the only one, and nobody else
    may ask it.

    model    the one in use, with all of its threads
    camera   asks it about frames of live sources
    limits   say how many threads may run
    demand   says what viewers want the model to compute
    machine  says how much memory is available
    """

    def __init__(
        self,
        model: Current[RunModel],
        camera: CameraClassifier,
        *,
        limits: HeatLimits,
        demand: Demand,
        machine: Machine,
    ) -> None:
        self._model = model
        self._camera = camera
        self._limits = limits
        self._demand = demand
        self._machine = machine
        self._made_for: tuple[object, ...] = ()
        self._own: Sequence[Classifier] = ()

    @property
    def outdated(self) -> bool:
        """Another model, other words, or another number of threads."""
        return any(now is not then for now, then in zip(self._wanted(), self._made_for, strict=True))

    def ready(self) -> Sequence["_Replica"]:
        """Loads them, unless they are there."""
        self.give_back()
        self._made_for = self._wanted()
        model = self._model.value
        self._own = self._cloned(model.classifier)
        found = [_Replica(each, model, Explanations(self._demand)) for each in self._own] or [
            _Replica(self._camera.with_threads(self._limits.threads), model, self._camera.explanations)
        ]
        if model.words is not None:
            for replica in found:
                model.words.give_to(replica.classifier)
        return found

    def give_back(self) -> None:
        self._own = ()

    def _wanted(self) -> tuple[object, ...]:
        model = self._model.value
        return model, model.words and model.words.labels, self._limits.threads

    def _cloned(self, classifier: Classifier) -> Sequence[Classifier]:
        """As many as may run and fit into the memory; none if these are fewer than two."""
        threads = self._limits.threads or classifier.runtime.threads
        count = min(threads, self._room_for(classifier))
        own = [classifier.clone(threads // count) for _ in range(count)] if count > 1 else []
        try:
            for each in own:
                each.graph.invoke()  # it is loaded now, so that it shows here if that fails
        except ModelError as error:
            log.warning("films are classified one frame after the other: %s", error)
            return ()
        return own

    def _room_for(self, classifier: Classifier) -> int:
        each = _OF_GRAPH * len(classifier.graph.content) + _OF_TENSORS
        return int(_SHARE * (self._machine.available_bytes() or 0) / each) or 1


class _Replica:
    """Used in one thread."""

    def __init__(self, classifier: Classifier, model: RunModel, explanations: Explanations) -> None:
        self.classifier = classifier
        self._model = model
        self._explanations = explanations

    def __call__(self, frame: Frame) -> Callable[[], Prediction]:
        self.classifier.top_k = self._model.classifier.top_k  # a reload may have changed it
        return self.classifier.infer(frame, self._explanations.next(self.classifier), teach=False)
