"""What is usual for a camera: light, detail and sharpness, where the model looks, and the views that it has."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.parts.problems.measure import TILES, Gaze, Look

_LOOKS = 600
_FEWEST = 20  # looks, for a spread of the gaze that says something
_FAR = 2.0  # standard deviations
KNOWN = 0.4
"""A view is known if at least this part of its tiles is where it usually is: people may stand before the rest."""
_SAME = 0.75  # from here on it is the same view, else another one with much in common
_ALIKE = 0.7  # least correlation of two tiles that show the same
_MOST = 64  # two looks/s at a loop of half a minute
_PER_LOOK = 0.05  # how fast a view follows the sun


class Usual:
    """Looks of the last five minutes in which all was well."""

    def __init__(self) -> None:
        self._detail: deque[int] = deque(maxlen=_LOOKS)
        self._bright: deque[float] = deque(maxlen=_LOOKS)
        self._sharpness: deque[float] = deque(maxlen=_LOOKS)
        self._gazes: deque[Gaze] = deque(maxlen=_LOOKS)

    def learn(self, look: Look) -> None:
        """Take one more look into account."""
        self._detail.append(look.detail)
        self._bright.append(look.bright)
        self._sharpness.append(look.sharpness)
        if look.gaze is None:
            return
        if self._gazes and self._gazes[-1].zone == look.gaze.zone and self._gazes[-1].crop != look.gaze.crop:
            self._gazes.clear()  # another crop was chosen: the model looks at something else
        self._gazes.append(look.gaze)

    @property
    def detail(self) -> float:
        """In how many parts there is something to recognise: reached by nine of ten looks."""
        return float(np.quantile(self._detail, 0.1)) if self._detail else 0.0

    @property
    def bright(self) -> float:
        """The white part of the picture: exceeded by one look of ten."""
        return float(np.quantile(self._bright, 0.9)) if self._bright else 1.0

    @property
    def sharpness(self) -> float:
        """Reached by 19 of 20 looks."""
        return float(np.quantile(self._sharpness, 0.05)) if self._sharpness else -np.inf

    def looks_elsewhere(self, gazes: Iterable[Gaze]) -> bool:
        """Whether the mean of these gazes is far from the usual one, in spread or place."""
        now = [gaze for gaze in gazes if self._gazes and gaze.zone == self._gazes[-1].zone]
        before = [gaze for gaze in self._gazes if now and (gaze.zone, gaze.crop) == (now[-1].zone, now[-1].crop)]
        if not now or len(before) < _FEWEST:
            return False
        usual, present = _numbers(before), _numbers(now)
        far = np.abs(present.mean(axis=0) - usual.mean(axis=0)) > _FAR * usual.std(axis=0)
        return bool(far.any())


def _numbers(gazes: Iterable[Gaze]) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    """(n, 3): spread, x and y."""
    return np.array([(gaze.spread, gaze.x, gaze.y) for gaze in gazes])


@dataclass(frozen=True, slots=True)
class Resemblance:
    """How much a look has in common with the most similar view."""

    share: float = 0.0
    """The part of its textured tiles that are where they are in that view."""
    view: int | None = None
    """Its number; None: there is no view yet."""
    sharper: float = 0.0
    """How much the look is sharper than that view; negative: less sharp."""

    @property
    def is_known(self) -> bool:
        return self.share >= KNOWN


class KnownViews:
    """One view of a camera that hangs still, some of one that turns or shows slides.

    At most 64; the one that was not seen for longest makes room.
    """

    def __init__(self) -> None:
        self._tiles: NDArray[np.float32] = np.empty((0, TILES, 0), np.float32)
        self._sharpness: NDArray[np.float64] = np.empty(0)
        self._seen_ns: NDArray[np.int64] = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._seen_ns)

    def compare(self, look: Look) -> Resemblance:
        """The most similar view."""
        if not len(self) or not look.detail:
            return Resemblance()
        correlation = np.einsum("ntp,tp->nt", self._tiles, look.tiles)
        shares = ((correlation > _ALIKE) & look.textured).sum(axis=1) / look.detail
        view = int(shares.argmax())
        return Resemblance(float(shares[view]), view, look.sharpness - float(self._sharpness[view]))

    def learn(self, look: Look, found: Resemblance) -> None:
        """Let the view follow what changes slowly, or remember a new one."""
        if found.view is None or found.share < _SAME:
            self._add(look)
            return
        view = found.view
        self._tiles[view] += np.float32(_PER_LOOK) * (look.tiles - self._tiles[view])
        self._sharpness[view] += _PER_LOOK * (look.sharpness - self._sharpness[view])
        self._seen_ns[view] = look.at_ns

    def _add(self, look: Look) -> None:
        if not len(self):
            self._tiles = np.empty((0, *look.tiles.shape), np.float32)
        keep = slice(None)
        if len(self) >= _MOST:
            keep = np.delete(np.arange(len(self)), self._seen_ns.argmin())  # type: ignore[assignment]
        self._tiles = np.concatenate([self._tiles[keep], look.tiles[None]])
        self._sharpness = np.append(self._sharpness[keep], look.sharpness)
        self._seen_ns = np.append(self._seen_ns[keep], look.at_ns)
