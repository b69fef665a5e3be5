"""The zones of a frame as frames in which the model sees only that zone, and which of them is next.

Next is the one that waited longest, where the wait of an urgent one counts several times.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from vitcam.frames import Frame, Place
from vitcam.pictures.resize import InputSpec, crop_of
from vitcam.zones.areas import Areas, Zone, zone_rect
from vitcam.zones.motion import GateOptions, MotionGate

_URGENT_S = 0.5  # for this time after a movement a zone is looked at first
Gate = Callable[[Frame], bool]
URGENT_TIMES = 3
"""How many times the wait of an urgent zone counts. So the others still get their turn: none starves."""


@dataclass(frozen=True, slots=True)
class ZoneLook:
    """A zone of one frame."""

    zone: str
    frame: Frame
    """Its `crop` is what the model sees of the zone."""
    is_moving: bool = False


class ZoneLooks:
    """Decides in which order zones are looked at. Called by the classifying thread only."""

    def __init__(self) -> None:
        self._spec: InputSpec | None = None
        self._scheduler = ZoneScheduler()
        self._areas = Areas()
        self._gates: dict[str, MotionGate] = {}
        self._gate: Gate | None = None
        self._left: list[ZoneLook] = []

    def begin(
        self,
        frame: Frame,
        areas: Areas,
        spec: InputSpec | None,
        gate: Gate | None,
        pending: Collection[Place],
        live: bool,
    ) -> list[str]:
        """Take a frame; what was left of the last one is forgotten.

        spec     the model's input; None: the model takes any size
        gate     of `PipelineOptions`: each zone gets one like it
        pending  places at which an event may begin, which pass every gate
        live     False: every zone is looked at, in its order
        returns  the zones that are skipped because nothing moves there
        """
        self._spec = spec
        if areas is not self._areas or gate is not self._gate:
            self._become(areas, gate)
        looks = [self._look(frame, zone) for zone in areas.zones]
        self._left = looks
        if not live or (gate is None and len(looks) == 1):
            return []
        passed = [(look, self._passes(look) or Place(look.zone) in pending) for look in looks]
        self._left = [replace(look, is_moving=self._moves(look)) for look, passes in passed if passes]
        return [look.zone for look, passes in passed if not passes]

    def next(self, pending: Collection[Place], now_ns: int) -> ZoneLook | None:
        """The next zone of the frame; None once there is no more."""
        if not self._left:
            return None
        urgent = {look.zone for look in self._left if look.is_moving or Place(look.zone) in pending}
        chosen = self._scheduler.take([look.zone for look in self._left], urgent, now_ns)
        look = next(look for look in self._left if look.zone == chosen)
        self._left.remove(look)
        return look

    @property
    def is_done(self) -> bool:
        """Whether no zone of the frame is left."""
        return not self._left

    def _become(self, areas: Areas, gate: Gate | None) -> None:
        own = gate if isinstance(gate, MotionGate) else MotionGate(GateOptions(hold_s=_URGENT_S))
        known = self._gates if gate is self._gate else {}
        self._gates = {name: known.get(name) or own.fresh() for name in areas.names}
        self._areas, self._gate = areas, gate
        self._scheduler.keep(areas.names)

    def _look(self, frame: Frame, zone: Zone) -> ZoneLook:
        height, width = frame.preview.shape[:2]
        rect = zone_rect(zone.region, height, width)
        crop = rect if self._spec is None else crop_of(self._spec, height, width, rect)
        if crop == frame.crop:  # the source's scaler may have made the model's input of it
            return ZoneLook(zone.name, frame)
        return ZoneLook(zone.name, replace(frame, model_input=None, crop=crop))

    def _passes(self, look: ZoneLook) -> bool:
        passes = self._gates[look.zone](look.frame)
        return passes if self._gate is not None else True

    def _moves(self, look: ZoneLook) -> bool:
        return look.frame.captured_ns - self._gates[look.zone].moved_ns < _URGENT_S * 1e9


class ZoneScheduler:
    """Remembers when each zone had its last turn. It reads no clock: the same calls give the same answers."""

    def __init__(self) -> None:
        self._last_ns: dict[str, int] = {}

    def take(self, names: Sequence[str], urgent: Collection[str], now_ns: int) -> str:
        """Give the next turn to one of `names`, which are not empty.

        names   those that may have it; of equals the first one gets it
        urgent  those in which something moves, or an event may begin
        now_ns  monotonic
        """

        def weight(name: str) -> float:
            waited = now_ns - self._last_ns[name] if name in self._last_ns else math.inf
            return waited * (URGENT_TIMES if name in urgent else 1)

        chosen = max(names, key=weight)
        self._last_ns[chosen] = now_ns
        return chosen

    def keep(self, names: Collection[str]) -> None:
        """Forget all other zones."""
        self._last_ns = {name: at_ns for name, at_ns in self._last_ns.items() if name in names}
