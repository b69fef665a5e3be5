"""The looks at a frame: at the whole view or at each zone, and at what is followed there; and which of them is next."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from vitcam.frames import Frame, Place
from vitcam.look.areas import Areas, Zone, zone_rect
from vitcam.look.follower import Follower
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.look.resting import Resting, Spot
from vitcam.look.watch import BoxLook
from vitcam.pictures.resize import InputSpec, crop_of
from vitcam.pipeline.turns import Turns

_URGENT_S = 0.5  # for this time after a movement a zone is looked at first
Gate = Callable[[Frame], bool]


@dataclass(frozen=True, slots=True)
class PlaceLook:
    """What the model sees in one inference."""

    place: Place
    frame: Frame
    """Its `crop` is what the model sees."""
    is_urgent: bool = False
    of_rest: bool = False
    """Whether it shows the place of what is followed without it; it is not shown."""


class Looks:
    """Decides in which order places are looked at. Called by the classifying thread only.

    Where something is followed, there are no more looks than there would be without it: a box takes the turn of the
    view, or of a zone. The view or a zone has at least every second look.

    follower  says what is followed
    resting   is told whether the view rests
    """

    def __init__(self, follower: Follower, resting: Resting) -> None:
        self._resting = resting
        self._spec: InputSpec | None = None
        self._follower = follower
        self._turns = Turns()
        self._areas = Areas()
        self._gates: dict[str, MotionGate] = {}
        self._gate: Gate | None = None
        self._left: list[PlaceLook] = []
        self._budget = 0
        self._was_box = False
        """Whether the last look was at something that is followed."""
        self.places: tuple[Place, ...] = ()
        """All that are looked at now: the view or the zones, then what is followed."""

    def begin(
        self,
        frame: Frame,
        areas: Areas,
        spec: InputSpec | None,
        gate: Gate | None,
        pending: Collection[Place],
        live: bool,
    ) -> list[Place]:
        """Take a frame; what was left of the last one is forgotten.

        spec     the model's input; None: the model takes any size
        gate     of `PipelineOptions`: each zone gets one like it
        pending  places at which an event may begin or end, which pass every gate
        live     False: no place is skipped because nothing moves there
        returns  the places that are skipped, since they show what they showed in the last look
        """
        if areas is not self._areas or gate is not self._gate:
            self._become(areas, gate)
        self._spec = spec
        boxes = self._follower.looks(frame)
        wholes = self._wholes(frame, areas)
        self.places = (*(look.place for look in wholes), *(box.place for box in boxes))
        self._turns.keep(self.places)
        passed = [look for look in wholes if not live or self._passes(look, pending)]
        due = [box for box in boxes if box.is_due or box.place in pending]
        zones_with_boxes = {box.place.zone for box in due}
        moving = [self._with_urgency(look, zones_with_boxes) for look in passed] if live else passed
        # of those that wait equally long, as those that were never looked at, the first is next
        self._left = [*map(_look_at, due), *moving]
        self._budget = max(1, len(passed))
        if live and gate is not None:
            self._rest(frame, areas, wholes, pending, any(box.is_moving for box in boxes))
        unchanged = [box.place for box in boxes if box not in due and not box.is_moving]
        return [*(look.place for look in wholes if look not in passed), *unchanged]

    def next(self, pending: Collection[Place], now_ns: int) -> PlaceLook | None:
        """The next look at the frame; None once there is no more.

        now_ns  capture time of the frame, so that a film gets the same looks on every machine
        """
        if not self._left or not self._budget:
            return None
        self._budget -= 1
        wholes = [look for look in self._left if look.place.track is None]
        may = wholes if self._was_box and wholes else self._left
        urgent = {look.place for look in may if look.is_urgent or look.place in pending}
        chosen = self._turns.take([look.place for look in may], urgent, now_ns)
        look = next(look for look in may if look.place == chosen)
        self._left.remove(look)
        self._was_box = chosen.track is not None
        return look

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to look at in the frame any more."""
        return not self._left

    def _rest(
        self, frame: Frame, areas: Areas, wholes: Sequence[PlaceLook], pending: Collection[Place], something_moves: bool
    ) -> None:
        """The view rests where nothing moves at any place, whether or not one is looked at once more."""
        gates = [(look, self._gate_of(look.place.zone)) for look in wholes]
        spots = [Spot(look.place.zone, look.frame.crop, gate) for look, gate in gates if isinstance(gate, MotionGate)]
        rest = len(spots) == len(wholes) and all(spot.gate.rests for spot in spots)
        if rest and not something_moves and not pending:
            self._resting.rest(frame, spots, areas)
        else:
            self._resting.wake()

    def _gate_of(self, zone: str | None) -> Gate | None:
        return self._gate if zone is None else self._gates[zone]

    def _become(self, areas: Areas, gate: Gate | None) -> None:
        own = gate if isinstance(gate, MotionGate) else MotionGate(GateOptions(hold_s=_URGENT_S))
        known = self._gates if gate is self._gate else {}
        self._gates = {name: known.get(name) or own.fresh() for name in areas.names}
        self._areas, self._gate = areas, gate
        if gate is None:
            self._resting.wake()

    def _wholes(self, frame: Frame, areas: Areas) -> list[PlaceLook]:
        return [self._zone(frame, zone) for zone in areas.zones] or [PlaceLook(Place(), frame)]

    def _zone(self, frame: Frame, zone: Zone) -> PlaceLook:
        height, width = frame.preview.shape[:2]
        rect = zone_rect(zone.region, height, width)
        crop = rect if self._spec is None else crop_of(self._spec, height, width, rect)
        if crop == frame.crop:  # the source's scaler may have made the model's input of it
            return PlaceLook(Place(zone.name), frame)
        return PlaceLook(Place(zone.name), replace(frame, model_input=None, crop=crop))

    def _passes(self, look: PlaceLook, pending: Collection[Place]) -> bool:
        """Whether it is worth a look. The gate of each zone is asked for each frame: it has to know the scene."""
        zone, now_ns = look.place.zone, look.frame.captured_ns
        gate = self._gate_of(zone)
        moved_ns = self._follower.moved_ns(zone)
        if gate is None or (self._gate is None and (moved_ns is not None or len(self._areas.zones) == 1)):
            return True
        if isinstance(gate, MotionGate) and now_ns >= (woken_ns := self._resting.woken_ns.get(zone, 0)):
            gate.wake(woken_ns)
        if isinstance(gate, MotionGate) and moved_ns is not None:
            passes = gate.passes(now_ns, moved_ns)
        else:
            passes = gate(look.frame)
        return self._gate is None or passes or look.place in pending

    def _with_urgency(self, look: PlaceLook, zones_with_boxes: Collection[str | None]) -> PlaceLook:
        return replace(look, is_urgent=True) if self._moves(look, zones_with_boxes) else look

    def _moves(self, look: PlaceLook, zones_with_boxes: Collection[str | None]) -> bool:
        """Whether something moves in a zone that no box shows."""
        zone = look.place.zone
        if zone in zones_with_boxes:
            return False
        moved_ns = self._follower.moved_ns(zone)
        if moved_ns is None:
            moved_ns = self._gates[zone].moved_ns if zone is not None else 0
        return look.frame.captured_ns - moved_ns < _URGENT_S * 1e9


def _look_at(box: BoxLook) -> PlaceLook:
    return PlaceLook(box.place, box.frame, (box.is_moving and not box.waves) or box.of_rest, box.of_rest)
