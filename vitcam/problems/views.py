"""The views that a camera usually has: one for a camera that hangs still, some for one that turns or shows slides."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam.problems.look import TILES, Look

KNOWN = 0.4
"""A view is known if at least this part of its tiles is where it usually is: people may stand before the rest."""
_SAME = 0.75  # from here on it is the same view, else another one with much in common
_ALIKE = 0.7  # least correlation of two tiles that show the same
_MOST = 64  # two looks/s at a loop of half a minute
_PER_LOOK = 0.05  # how fast a view follows the sun


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
    """At most 64 views; the one that was not seen for longest makes room."""

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
