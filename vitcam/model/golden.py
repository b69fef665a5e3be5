"""Whether a model gives on this machine the answers for its golden images that its file carries."""

from collections.abc import Mapping
from dataclasses import dataclass

from vitcam.frames import Guess, Prediction
from vitcam.model.bundle import Golden

GOLDEN_TOLERANCE = 0.05  # int8 kernels of different processors round differently; a wrong runtime differs by far more


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """The answer for one golden image on this machine."""

    name: str
    expected: Guess | None
    """None: the image is blank and must be called unknown."""
    found: Guess
    known: bool
    ok: bool

    @property
    def answer(self) -> str:
        """What was found, for people."""
        return "unknown" if self.expected is None and not self.known else f"{self.found.label} {self.found.p:.3f}"

    @property
    def right_answer(self) -> str:
        """What should have been found, for people."""
        return "unknown" if self.expected is None else f"{self.expected.label} {self.expected.p:.3f}"


def checked(golden: Golden, prediction: Prediction, names: Mapping[str, str]) -> GoldenResult:
    """The answer for a golden image, beside what it must be.

    names  what the labels of the file are called here
    """
    found, known = prediction.top[0], prediction.known
    if not golden.top:
        return GoldenResult(golden.name, None, found, known, not known)
    expected = Guess(names[golden.top[0].label], golden.top[0].p)
    ok = found.label == expected.label and abs(found.p - expected.p) <= GOLDEN_TOLERANCE
    return GoldenResult(golden.name, expected, found, known, ok)
