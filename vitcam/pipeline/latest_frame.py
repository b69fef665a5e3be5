"""The newest frame with the newest predictions, for viewers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from vitcam.errors import SourceError
from vitcam.frames import Frame, Image, Place, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.pipeline.beats import Beats
from vitcam.pipeline.limits import PaceLimits
from vitcam.slot import Slot
from vitcam.sources.masks import masked

VALID_S = 2.0  # for this time a prediction is shown with frames that came after its own


@dataclass(frozen=True, slots=True, eq=False)
class ClassifiedFrame:
    """A frame for viewers, with the newest prediction: its own, or that of a frame shortly before it."""

    frame: Frame
    prediction: Prediction | None
    """None where there is no recent prediction: no overlay is better than a wrong one. Of several `looks`: the one in
    front."""
    looks: tuple[Prediction, ...] = ()
    """With zones, and while something is followed: the newest prediction of each place, where it is recent."""
    seen: Mapping[int, Image] = field(default_factory=dict)
    """By track: what the model saw for that look, (h, w, 3) uint8, RGB; a copy, since the frame may be a newer one."""


class LatestFrame:
    """Pairs frames and predictions as they come from two threads. A pair never goes back in time.

    slot     where the pair is put
    max_fps  rate to which classifying is limited; 0: none
    limits   limit the rate further
    areas    the masks in force: every frame that viewers get has them, also one that was taken before
    """

    def __init__(
        self, slot: Slot[ClassifiedFrame], max_fps: float, limits: PaceLimits, beats: Beats, areas: ActiveAreas
    ) -> None:
        self._slot = slot
        self._limits = limits
        self._areas = areas
        self._beats = beats
        self._confirmed_ns: Mapping[Place, int] = MappingProxyType({})
        """Place -> capture time of the last frame for which its newest prediction holds; replaced as a whole."""
        self.limit(max_fps)

    def limit(self, max_fps: float) -> None:
        """Change the rate to which classifying is limited. May be called in any thread."""
        self._max_fps = max_fps

    @property
    def _valid_s(self) -> float:
        max_fps = self._limits.lower(self._max_fps)
        return max(VALID_S, 2 / max_fps if max_fps > 0 else 0.0)

    def captured(self, frame: Frame) -> None:
        """Put a frame with the newest prediction, if that was confirmed lately enough; not in place of a newer one."""

        def pair(before: ClassifiedFrame | None) -> ClassifiedFrame | None:
            if before is not None and before.frame.captured_ns > frame.captured_ns:
                return None
            shown = self._masked(frame)
            if before is None:
                return ClassifiedFrame(shown, None)
            if before.looks:
                return _with_looks(shown, [each for each in before.looks if self._is_valid(frame, each)], before.seen)
            age_s = (frame.captured_ns - self._beats.classify.confirmed_ns) / 1e9
            return ClassifiedFrame(shown, before.prediction if age_s <= self._valid_s else None)

        self._slot.revise(pair)

    def classified(self, frame: Frame, prediction: Prediction) -> None:
        """Put a prediction with its own frame, or with a newer one that viewers have seen already."""

        def pair(before: ClassifiedFrame | None) -> ClassifiedFrame:
            if before is None or before.frame.captured_ns <= frame.captured_ns:
                return ClassifiedFrame(self._masked(frame), prediction)
            return ClassifiedFrame(before.frame, prediction)

        self._slot.revise(pair)

    def classified_place(self, frame: Frame, prediction: Prediction, places: Sequence[Place]) -> None:
        """Put the prediction of a place, beside those of the other places.

        frame   whole, as its source gave it
        places  all that are looked at now, in their order
        """
        confirmed_ns = {place: at_ns for place, at_ns in self._confirmed_ns.items() if place in places}
        self._confirmed_ns = MappingProxyType({**confirmed_ns, prediction.place: frame.captured_ns})
        track = prediction.track

        def pair(before: ClassifiedFrame | None) -> ClassifiedFrame:
            whole = self._masked(frame)  # in here, since masks may be drawn until it is put
            seen = {} if track is None else {track: whole.part(prediction.crop).copy()}
            if before is None:
                return _with_looks(whole, [prediction], seen)
            newest = {each.place: each for each in (*_looks_of(before), prediction)}
            shown = before.frame if before.frame.captured_ns > frame.captured_ns else whole
            known = [newest[place] for place in places if place in newest]
            looks = [each for each in known if each is prediction or self._is_valid(shown, each)]
            return _with_looks(shown, looks, {**before.seen, **seen})

        self._slot.revise(pair)

    def confirm(self, place: Place, frame: Frame) -> None:
        """The newest prediction of a place holds for this frame, too. Called by the classifying thread only."""
        self._confirmed_ns = MappingProxyType({**self._confirmed_ns, place: frame.captured_ns})

    def drop_pixels(self) -> None:
        """Masks were drawn: show the frame with them, and without what was seen in it; nothing if they do not fit."""

        def without(before: ClassifiedFrame | None) -> ClassifiedFrame | None:
            return None if before is None else ClassifiedFrame(self._masked(before.frame), None)

        try:
            self._slot.revise(without)
        except SourceError:  # the source says why
            self._slot.clear()

    def _masked(self, frame: Frame) -> Frame:
        return masked(frame, self._areas.areas.masks)

    def _is_valid(self, frame: Frame, prediction: Prediction) -> bool:
        confirmed_ns = self._confirmed_ns.get(prediction.place, prediction.captured_ns)
        return (frame.captured_ns - confirmed_ns) / 1e9 <= self._valid_s


def _looks_of(classified: ClassifiedFrame) -> tuple[Prediction, ...]:
    """Of the time before anything was followed, too."""
    return classified.looks or (() if classified.prediction is None else (classified.prediction,))


def _with_looks(frame: Frame, looks: Sequence[Prediction], seen: Mapping[int, Image]) -> ClassifiedFrame:
    """With one of the predictions in front: what is named goes before what is not, and what is followed before the
    view around it, however probable that is; then the surest. What a box shows at rest goes last.

    seen  what the model saw of each thing that is followed, and of others
    """

    def rank(each: Prediction) -> tuple[bool, bool, bool, float]:
        named = each.told.label is not None and not each.at_rest
        return named, named and each.track is not None, not each.at_rest, each.told.p

    kept = {each.track: seen[each.track] for each in looks if each.track is not None}
    return ClassifiedFrame(frame, max(looks, key=rank, default=None), tuple(looks), kept)
