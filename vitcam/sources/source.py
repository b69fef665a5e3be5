"""The interface of a source, and the options that it is opened with."""

import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from vitcam.frames import Frame, Image, Unreadable
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import NO_AREAS, Areas
from vitcam.pictures.decode import Limits
from vitcam.pictures.resize import InputSpec, crop_of, enough_for
from vitcam.pictures.view import MOST_SIDE, UPRIGHT, Orientation, Region
from vitcam.rects import Box, Rect
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.network.trust import BY_AUTHORITY, Trust
from vitcam.sources.playback import Playback

log = logging.getLogger(__name__)

LIVE_PIXELS = 40_000_000  # of a network camera's picture, of which several come in a second
FOLLOWED = Limits(LIVE_PIXELS, (2160, 3840))
"""Where things are followed, a picture of 4K has all its px; one of 40 megapixels would take 120 MB for each buffer."""
SMALL = Limits(LIVE_PIXELS, (72, 72))
"""How large a picture stays at least that is only compared."""
_DETAIL = 2  # times the model's input: a picture that is decoded reduced gives the same answers then


def log_unreadable(bad: Unreadable) -> None:
    """Default of `on_unreadable`: log the broken file."""
    log.warning("%s: %s", bad.path, bad.error)


def always() -> bool:
    """Default of `wanted`: every picture is."""
    return True


def never() -> bool:
    """Default of `follows`, `rests` and `compares`."""
    return False


def any_moves(picture: Image, captured_ns: int) -> bool:
    """Default of `moves`: something does in every picture, (h, w, 3) uint8, RGB."""
    return True


def nothing_followed() -> tuple[Box, ...]:
    """Default of `boxes`: nothing is."""
    return ()


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """What is requested of a source; each source uses the options that it can."""

    input: InputSpec | None = None
    """The model's input: a scaler that can deliver it fills `Frame.model_input`, and `Frame.crop` follows it."""
    width: int = 1280
    height: int = 720
    """The size requested of a camera, in px; it may grant another."""
    fps: float = 30.0
    """The rate requested of a camera, in frames/s."""
    realtime: bool | None = None
    """Play files at their own pace, photos as a slideshow; None: videos yes, photos no."""
    loop: bool | None = None
    """Begin again at the end; None: the demo yes, a slideshow stays on its last photo, everything else ends."""
    every_s: float = 3.0
    """How long each photo of files is shown where they are played at their own pace: a slideshow."""
    ask_every_s: float = 1.0
    """How often the address of a single picture is asked."""
    playback: Playback = field(default_factory=Playback)
    """What viewers do to files that are played at their own pace."""
    on_unreadable: Callable[[Unreadable], None] = log_unreadable
    """Called for each file that is not a readable picture."""
    orientation: Orientation = UPRIGHT
    """What makes pictures upright; a camera that can do it while it reads its sensor does."""
    active_crop: ActiveCrop | None = None
    """The part of the upright picture that was chosen for the model, read for every frame; None: always the whole."""
    active_areas: ActiveAreas | None = None
    """Zones and masks of the upright picture, read for every frame; None: there are never any."""
    follows: Callable[[], bool] = never
    """Whether something is ever followed: pictures of up to 4K are then decoded in all their px, and a camera that has
    more px than its preview is set up to give them. Asked for every frame."""
    boxes: Callable[[], tuple[Box, ...]] = nothing_followed
    """What is followed now, in fractions of the upright picture: a source whose camera has more px than its preview
    gives these parts of the next frames as `Frame.details`."""
    wanted: Callable[[], bool] = always
    """Called by a live source for each picture that came, before it is decoded or converted. False: neither
    model nor viewer would see it, so it becomes a gap in `seq`."""
    rests: Callable[[], bool] = never
    """Whether nothing moves and nobody watches, so that small pictures are enough of most."""
    compares: Callable[[], bool] = never
    """Asked once a picture is wanted, and before it is decoded: whether it is wanted only if something moves in it. A
    source that can make a small picture for less asks `moves` about it first, and others deliver it as always."""
    moves: Callable[[Image, int], bool] = any_moves
    """Whether something moves in a whole upright picture, (h, w, 3) uint8, RGB, reduced as far as one likes; and when
    it was captured. Where nothing does, the picture was counted, and is not a gap in `seq`."""
    trust: Trust = BY_AUTHORITY
    """Which certificate a network camera must have."""
    input_now: Callable[[], InputSpec] | None = None
    """The model's input while the source is open, where another model may be chosen; None: it stays."""

    @property
    def spec(self) -> InputSpec | None:
        """The model's input now; None while no model is known."""
        return self.input if self.input_now is None else self.input_now()

    @property
    def region(self) -> Region | None:
        """The part of the upright picture that the model sees now; None: all of it."""
        return None if self.active_crop is None else self.active_crop.region

    @property
    def areas(self) -> Areas:
        """The zones and masks now."""
        return NO_AREAS if self.active_areas is None else self.active_areas.areas

    def crop(self, height: int, width: int, within: Rect | None = None) -> Rect:
        """What the model sees of `height` × `width` px, or of a part of them; all of it while no model is known."""
        spec = self.spec
        return within or Rect(0, 0, width, height) if spec is None else crop_of(spec, height, width, within)

    def frame(
        self,
        picture: Image,
        source: str,
        seq: int,
        captured_ns: int,
        capture_ns: int,
        path: str | None = None,
        asked: bool = False,
    ) -> Frame:
        """A frame whose picture no scaler has made small.

        picture     (H, W, 3) uint8, RGB
        capture_ns  time that the source took to deliver it
        path, asked  as in `Frame`
        """
        crop = self.crop(*picture.shape[:2])
        return Frame(picture, None, crop, seq, captured_ns, source, path, capture_ns / 1e6, asked)


def live_limits(options: SourceOptions) -> Limits:
    """How large a network camera's picture is decoded: at least as requested, and as large as the model needs."""
    areas = options.areas
    looked_at = [zone.region for zone in areas.zones] or ([] if options.region is None else [options.region])
    if not all(region.in_fractions for region in (*looked_at, *areas.masks)):  # their px are those of the whole picture
        return Limits(LIVE_PIXELS)
    if options.follows():  # what is followed may be small
        return FOLLOWED
    needed = 0
    if (spec := options.spec) is not None:
        part = min((min(region.width, region.height) for region in looked_at), default=1.0)
        wanted = max(enough_for(spec, _DETAIL))
        needed = math.ceil(min(wanted / max(part, 1 / MOST_SIDE), MOST_SIDE))  # a part may be next to nothing
    # a side of the model's crop may be either side of a picture that is still to be turned
    return Limits(LIVE_PIXELS, (max(options.height, needed), max(options.width, needed)))


class Source(Protocol):
    """A context manager and an iterator of `Frame`. Only entering and `next` may block, for a bounded time.

    Entering opens the camera or file and raises SourceError where it cannot be opened. A source that was left, also
    after SourceLost, may be entered again. It is then opened by a stable name if the system has one, and `seq` starts
    from 0.
    """

    live: bool
    """True: frames come by themselves and the newest wins. False: every frame waits to be classified."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __iter__(self) -> Iterator[Frame]:
        """Raises SourceLost when a camera that had worked goes away or stalls; ends when a file is over."""
        ...

    def stop(self) -> None:
        """End the iteration soon. May be called from any thread and returns at once. Leaving closes what was opened."""
        ...
