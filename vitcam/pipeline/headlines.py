"""A smoothed answer for programs, while the camera runs: the same as events and rules, and calm between events."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from vitcam.frames import NO_MODEL, Event, Place, Prediction, Shown
from vitcam.smoothing import FADED, Subject, blend, subject_of, subjects_of

_HALF_LIFE_S = 0.5
_FORGOTTEN_NS = 10_000_000_000  # of what is followed: its number never comes again once it is gone
_DWELL_NS = 500_000_000  # for this time a label must be likely before its name takes the place of its group's


def nothing_lasts() -> Mapping[Place, Event]:
    """Default of `lasting`: there are no events."""
    return {}


@dataclass(frozen=True, slots=True)
class _Smoothed:
    """What was seen lately at a place."""

    at_ns: int
    scores: Mapping[Subject, float]
    likely: Subject | None
    """The label that is likely."""
    since_ns: int
    """Since when it is."""


class Headlines:
    """Called by the classifying thread only.

    lasting  the events that last, by place
    """

    def __init__(self, lasting: Callable[[], Mapping[Place, Event]]) -> None:
        self._lasting = lasting
        self._smoothed: dict[Place, _Smoothed] = {}
        self._model = NO_MODEL

    def add_to(self, prediction: Prediction) -> Prediction:
        """The prediction with its headline. A photo of a folder gets none: it has nothing to do with the one before."""
        if prediction.path is not None:
            return prediction
        if prediction.model is not self._model:  # another one speaks, with other labels
            self._model, self._smoothed = prediction.model, {}
        steady = self._steady(prediction)
        if steady.label is not None and steady.label == prediction.shown.label:
            steady = replace(steady, detail=prediction.second)
        event = self._lasting().get(prediction.place)
        lasting = event.shown if event is not None and event.model is prediction.model else None
        return replace(prediction, headline=lasting if lasting and lasting.level != "none" else steady)

    def keep(self, zones: Collection[str | None]) -> None:
        """Forget all other zones."""
        self._smoothed = {place: smoothed for place, smoothed in self._smoothed.items() if place.zone in zones}

    def _steady(self, prediction: Prediction) -> Shown:
        """What is displayed of the smoothed probabilities. A blank or unfamiliar picture speaks for no name."""
        now, least = prediction.captured_ns, prediction.model.likely
        scores: Mapping[Subject, float] = {} if prediction.blank or prediction.unfamiliar else subjects_of(prediction)
        before = self._smoothed.get(prediction.place)
        if before is not None:
            blended = blend(before.scores, scores, now - before.at_ns, _HALF_LIFE_S)
            scores = {each: p for each, p in blended.items() if p > FADED}
        best = max([each for each in scores if not each.is_group], key=scores.__getitem__, default=None)
        likely = best if best is not None and scores[best] >= least else None
        since_ns = before.since_ns if before is not None and before.likely == likely else now
        if prediction.place not in self._smoothed:
            self._forget_what_is_gone(now)
        self._smoothed[prediction.place] = _Smoothed(now, scores, likely, since_ns)
        groups = (subject for subject in map(subject_of, prediction.groups) if scores.get(subject, 0.0) >= least)
        group = next(groups, None)
        if likely is not None and (group is None or now - since_ns >= _DWELL_NS):
            return Shown(likely.name, scores[likely], "label").said(prediction.everyday)
        if group is not None:
            return Shown(group.name, scores[group], "group").said(prediction.everyday)
        return Shown(None, scores[best] if best is not None else 0.0, "none")

    def _forget_what_is_gone(self, now_ns: int) -> None:
        """Of what was followed and is not any more."""
        self._smoothed = {
            place: smoothed
            for place, smoothed in self._smoothed.items()
            if place.track is None or now_ns - smoothed.at_ns < _FORGOTTEN_NS
        }
