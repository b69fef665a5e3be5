"""Whether a model gives on this machine the answers for its golden images that its file carries, and whether these
are true.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vitcam.frames import Guess, Prediction
from vitcam.model.bundle import Golden
from vitcam.model.groups import Groups

GOLDEN_TOLERANCE = 0.05  # int8 kernels of different processors round differently; a wrong runtime differs by far more


@dataclass(frozen=True, slots=True)
class GoldenResult:
    """The answer for one golden image on this machine."""

    name: str
    expected: Guess | None
    """None: the image is blank and must be called unknown."""
    found: Guess
    known: bool
    same: bool
    """The answer is the one that the file carries."""
    shown: str | None
    """The name that is displayed; None: not sure."""
    true: str
    """What the image shows; empty where the file does not say."""
    right: bool
    """What is displayed is what the image shows, or the file does not say what it shows."""

    @property
    def ok(self) -> bool:
        """As the file says, and true."""
        return self.same and self.right

    @property
    def answer(self) -> str:
        """What was found, for people."""
        return "unknown" if self.expected is None and not self.known else f"{self.found.label} {self.found.p:.3f}"

    @property
    def right_answer(self) -> str:
        """What should have been found, for people."""
        return "unknown" if self.expected is None else f"{self.expected.label} {self.expected.p:.3f}"


class Names:
    """What the labels of a file are called here, and which labels each group holds.

    names   label of the file -> the same here
    groups  of the labels, if the file has any
    labels  as they are called here
    """

    def __init__(self, names: Mapping[str, str], groups: Groups | None, labels: Sequence[str]) -> None:
        self._names = names
        members = groups.members if groups else {}
        self._groups = {group: frozenset(labels[label] for label in indices) for group, indices in members.items()}

    def label(self, name: str) -> str:
        """What a label of the file is called here."""
        return self._names[name]

    def says(self, said: str | None, true: str) -> bool:
        """Whether a name says what is there: that, one of its kinds, or a kind that it belongs to.

        said  as it is displayed here; None: nothing is
        true  a label or a group of the file
        """
        if said is None:
            return False
        said_of, there = self._labels(said), self._labels(self._names.get(true, true))
        return said_of <= there or there <= said_of

    def _labels(self, name: str) -> frozenset[str]:
        return self._groups.get(name, frozenset({name}))


def checked(golden: Golden, prediction: Prediction, names: Names) -> GoldenResult:
    """The answer for a golden image, beside what it must be."""
    found, known, shown = prediction.top[0], prediction.known, prediction.shown.label
    if not golden.top:
        return GoldenResult(golden.name, None, found, known, not known, shown, "", True)
    expected = Guess(names.label(golden.top[0].label), golden.top[0].p)
    same = found.label == expected.label and abs(found.p - expected.p) <= GOLDEN_TOLERANCE
    right = not golden.true or names.says(shown, golden.true)
    return GoldenResult(golden.name, expected, found, known, same, shown, golden.true, right)
