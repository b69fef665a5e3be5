"""What viewers are told while the camera runs: the same as events, history and rules, and calm between events."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from vitcam.frames import LIKELY, Event, Prediction, Shown
from vitcam.smoothing import FADED, Subject, blend, subjects_of

_HALF_LIFE_S = 0.5


def nothing_lasts() -> Mapping[str | None, Event]:
    """Default of `lasting`: there are no events."""
    return {}


class Headlines:
    """Called by the classifying thread only.

    lasting  the events that last, by zone; None: of the whole view
    """

    def __init__(self, lasting: Callable[[], Mapping[str | None, Event]]) -> None:
        self._lasting = lasting
        self._smoothed: dict[str | None, tuple[int, Mapping[Subject, float]]] = {}
        """By zone, the time of the last prediction and the smoothed probabilities."""

    def add_to(self, prediction: Prediction) -> Prediction:
        """The prediction with its headline. A photo of a folder gets none: it has nothing to do with the one before."""
        if prediction.path is not None:
            return prediction
        steady = self._steady(prediction)
        event = self._lasting().get(prediction.zone)
        lasting = None if event is None else event.shown
        return replace(prediction, headline=lasting if lasting and lasting.level != "none" else steady)

    def keep(self, zones: Collection[str | None]) -> None:
        """Forget all other zones."""
        self._smoothed = {zone: smoothed for zone, smoothed in self._smoothed.items() if zone in zones}

    def _steady(self, prediction: Prediction) -> Shown:
        """What is displayed of the smoothed probabilities. A blank or unfamiliar picture says nothing of any name."""
        now = prediction.captured_ns
        scores: Mapping[Subject, float] = {} if prediction.blank or prediction.unfamiliar else subjects_of(prediction)
        if (before := self._smoothed.get(prediction.zone)) is not None:
            blended = blend(before[1], scores, now - before[0], _HALF_LIFE_S)
            scores = {each: p for each, p in blended.items() if p > FADED}
        self._smoothed[prediction.zone] = now, scores
        best = max((each for each in scores if not each.is_group), key=scores.__getitem__, default=None)
        if best is not None and scores[best] >= LIKELY:
            return Shown(best.name, scores[best], "label")
        for group in prediction.groups:
            if (p := scores.get(Subject(group.name, is_group=True), 0.0)) >= LIKELY:
                return Shown(group.name, p, "group")
        return Shown(None, scores[best] if best is not None else 0.0, "none")
