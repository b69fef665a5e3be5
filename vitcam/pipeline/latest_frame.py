"""The newest frame with the newest predictions, for viewers."""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from vitcam.errors import SourceError
from vitcam.frames import ClassifiedFrame, Frame, Prediction
from vitcam.heat.watch import HeatLimits
from vitcam.pipeline.beats import Beats
from vitcam.slot import Slot
from vitcam.sources.masks import masked
from vitcam.zones.active import ActiveAreas

VALID_S = 2.0  # for this time a prediction is shown with frames that came after its own


class LatestFrame:
    """Pairs frames and predictions as they come from two threads. A pair never goes back in time.

    slot     where the pair is put
    max_fps  rate to which classifying is limited; 0: none
    heat     limits the rate further
    areas    the masks in force: every frame that viewers get has them, also one that was taken before
    """

    def __init__(
        self, slot: Slot[ClassifiedFrame], max_fps: float, heat: HeatLimits, beats: Beats, areas: ActiveAreas
    ) -> None:
        self._slot = slot
        self._heat = heat
        self._areas = areas
        self._beats = beats
        self._confirmed_ns: Mapping[str, int] = MappingProxyType({})
        """Zone -> capture time of the last frame for which its newest prediction holds; replaced as a whole."""
        self.limit(max_fps)

    def limit(self, max_fps: float) -> None:
        """Change the rate to which classifying is limited. May be called in any thread."""
        self._max_fps = max_fps

    @property
    def _valid_s(self) -> float:
        max_fps = self._heat.lower(self._max_fps)
        return max(VALID_S, 2 / max_fps if max_fps > 0 else 0.0)

    def captured(self, frame: Frame) -> None:
        """Put a frame with the newest prediction, if that was confirmed lately enough; not in place of a newer one."""

        def pair(before: ClassifiedFrame | None) -> ClassifiedFrame | None:
            if before is not None and before.frame.captured_ns > frame.captured_ns:
                return None
            shown = self._masked(frame)
            if before is None:
                return ClassifiedFrame(shown, None)
            if before.zones:
                return _with_zones(shown, [each for each in before.zones if self._is_valid(frame, each)])
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

    def classified_zone(self, frame: Frame, prediction: Prediction, zones: Collection[str]) -> None:
        """Put the prediction of a zone, beside those of the other zones.

        frame  whole, as its source gave it
        zones  the names of all zones now, in their order
        """
        self.confirm(prediction.zone or "", frame)

        def pair(before: ClassifiedFrame | None) -> ClassifiedFrame:
            if before is None:
                return _with_zones(self._masked(frame), [prediction])
            newest = {each.zone: each for each in (*before.zones, prediction)}
            shown = before.frame if before.frame.captured_ns > frame.captured_ns else self._masked(frame)
            known = [newest[zone] for zone in zones if zone in newest]
            return _with_zones(shown, [each for each in known if each is prediction or self._is_valid(shown, each)])

        self._slot.revise(pair)

    def confirm(self, zone: str, frame: Frame) -> None:
        """The newest prediction of a zone holds for this frame, too. Called by the classifying thread only."""
        self._confirmed_ns = MappingProxyType({**self._confirmed_ns, zone: frame.captured_ns})

    def let_go(self) -> None:
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
        confirmed_ns = self._confirmed_ns.get(prediction.zone or "", prediction.captured_ns)
        return (frame.captured_ns - confirmed_ns) / 1e9 <= self._valid_s


def _with_zones(frame: Frame, zones: list[Prediction]) -> ClassifiedFrame:
    """With the surest of the predictions in front."""
    surest = max(zones, key=lambda each: (each.told.label is not None, each.told.p), default=None)
    return ClassifiedFrame(frame, surest, tuple(zones))
