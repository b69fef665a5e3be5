"""Whether a replayed picture gives what was stored: bit for bit, within the tolerance of golden images, or not."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image, Prediction
from vitcam.model.golden import GOLDEN_TOLERANCE
from vitcam.parts.replay.stored_picture import StoredPicture
from vitcam.pictures.overlay import draw_weights

Match = Literal["exact", "close", "none"]
_STYLE = "tint"  # of evidence


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """The result of a replay."""

    match: Match
    """exact: guesses and overlay are equal, bit for bit; close: the best label is the same, and its probability lies
    within `GOLDEN_TOLERANCE`."""
    differences: tuple[str, ...]
    """Sentences on what is not equal."""
    overlay: Image | None
    """(H, W, 3) uint8, RGB: the picture with the evidence, drawn again; None if the model does not give it."""


def judge(stored: StoredPicture, picture: Image, found: Prediction) -> Agreement:
    """Compare a stored event with the same picture asked again.

    picture  (H, W, 3) uint8, RGB, decoded from the stored file
    found    the prediction for it
    """
    evidence = _as_stored(found.evidence)
    overlay = _drawn(stored, picture, evidence)
    differences = [*_guesses(stored, found), *_overlays(_drawn(stored, picture, stored.evidence), overlay)]
    before, best = stored.top[0], found.top[0]
    is_close = before.label == best.label and abs(before.p - best.p) <= GOLDEN_TOLERANCE
    match: Match = "none" if not is_close else "close" if differences else "exact"
    return Agreement(match, tuple(differences), overlay)


def _as_stored(weights: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    """(gh, gw) with the precision in which the history keeps them."""
    return None if weights is None else weights.astype("<f2").astype(np.float32)


def _guesses(stored: StoredPicture, found: Prediction) -> list[str]:
    before = [(guess.label, np.float32(guess.p)) for guess in stored.top]
    again = [(guess.label, np.float32(guess.p)) for guess in found.top]
    return [
        f"guess {number} was {label} {p:.6f} and is {other} {q:.6f}"
        for number, ((label, p), (other, q)) in enumerate(zip(before, again, strict=False), 1)
        if (label, p) != (other, q)
    ]


def _overlays(stored: Image | None, again: Image | None) -> list[str]:
    if stored is None or again is None:
        return [] if stored is again else ["only one of the two has an overlay"]
    differing = np.abs(stored.astype(np.int16) - again)
    if not differing.any():
        return []
    return [
        f"the overlay differs in {(differing > 0).any(-1).mean():.1%} of its px, by at most {differing.max()} of 255"
    ]


def _drawn(stored: StoredPicture, picture: Image, evidence: NDArray[np.float32] | None) -> Image | None:
    return None if evidence is None else draw_weights(picture, stored.crop, evidence, _STYLE)
