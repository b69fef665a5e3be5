"""How bright, detailed and sharp the picture usually is, and where the model usually looks: the last five minutes."""

from collections import deque
from collections.abc import Iterable

import numpy as np

from vitcam.problems.look import Gaze, Look

_LOOKS = 600
_FEWEST = 20  # looks, for a spread of the gaze that says something
_FAR = 2.0  # standard deviations


class Usual:
    """Looks while all was well."""

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
