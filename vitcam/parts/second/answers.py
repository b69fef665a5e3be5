"""A second model, and its answer about a part of a frame."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vitcam.frames import LIKELY, Frame, Guess, Prediction, SecondAnswer
from vitcam.model.classifier import Classifier
from vitcam.names.species import Species
from vitcam.parts.second.lists import called, places_of
from vitcam.rects import Rect

_OTHERS = 0.1  # a species that is not of the place is there now and then: with 0 it would get a wrong name, and surely


@dataclass(frozen=True, slots=True)
class Sayable:
    """What may be said at this place."""

    only: tuple[str, ...] = ()
    """Names of species; empty: every one."""
    names: Mapping[str, str] | None = None
    """As `read_names` gives them; None: English names."""


class SecondModel:
    """Used in one thread. It shares its interpreter with others that were made of the same classifier.

    above  probability from which on a name is given; 0: as the card says
    """

    def __init__(self, name: str, classifier: Classifier, above: float, sayable: Sayable) -> None:
        self.name = name
        labels = classifier.labels
        self._species = {label: Species.of(label) for label in labels}
        self._called = {label: called(each, sayable.names or {}) for label, each in self._species.items()}
        left, self.unknown = places_of([*self._species.values()], sayable.only)
        """`unknown`: what of the list the model does not know."""
        self._left = frozenset(labels[index] for index in left) if sayable.only else None
        self._classifier = classifier.with_top_k(len(labels) if sayable.only else 1)
        card = classifier.card
        self._by_probability = card.least_familiarity is None and not card.taught and not card.word_capacity
        """Whether a name is known by its probability alone. Others say of a picture whether it is one of theirs."""
        self._least = above or (card.threshold if self._by_probability else LIKELY) or LIKELY

    def ask(self, frame: Frame, part: Rect) -> SecondAnswer:
        """What it says of a part of a frame, in px of the preview. Raises ModelError."""
        small = frame.model_input if part == frame.crop else None
        prediction = self._classifier(replace(frame, model_input=small, crop=part), features=False)
        return self.answer(prediction)

    def answer(self, prediction: Prediction) -> SecondAnswer:
        """Of a prediction that has as many guesses as are needed."""
        best = self._best(prediction.top)
        species = self._species[best.label]
        is_known = not prediction.blank and (prediction.known or self._by_probability)
        if species.is_nothing or not is_known or best.p < self._least:
            return SecondAnswer(None, best.p, self.name)
        return SecondAnswer(self._called[best.label], best.p, self.name, species.scientific)

    def _best(self, top: tuple[Guess, ...]) -> Guess:
        """The most probable label of those that may be said, where each other one counts a tenth."""
        if self._left is None:
            return top[0]
        left = [guess for guess in top if guess.label in self._left]
        share = sum(guess.p for guess in left)
        weight = share + _OTHERS * (sum(guess.p for guess in top) - share)
        return Guess(left[0].label, left[0].p / weight) if left and weight > 0 else replace(top[0], p=0.0)
