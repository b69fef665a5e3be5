"""The words of a running model. They can be changed while it runs: the next picture is compared with the new ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.model.bundle import Bundle
from vitcam.model.classifier import Classifier
from vitcam.model.text.relabel import new_labels, write_relabelled
from vitcam.model.words import Words
from vitcam.storage.unsaved import NotWritten

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    labels: tuple[str, ...]
    words: Words


class LiveLabels:
    """The words that each thread with a classifier of its own takes over before its next picture.

    model  as it was loaded
    place  where the model with other words is written, so that the next run finds it
    """

    def __init__(self, model: Bundle, place: Path) -> None:
        self._model, self._place = model, place
        self._change: _Change | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The words."""
        change = self._change
        return change.labels if change else self._model.labels

    @property
    def room(self) -> int:
        """How many words the model takes at most."""
        return self._model.card.word_capacity - 1

    def replace(self, words: Sequence[str]) -> None:
        """Change the words. Takes seconds on a Pi.

        raises  UsageError, ModelError, VitcamError as `new_labels`; the words stay then
        """
        labels, vectors = new_labels(self._model, words)
        self._change = _Change(labels, vectors)
        log.info("the words are now: %s", ", ".join(labels))

    def save(self) -> str:
        """Write the model with these words; returns why the next run will not have them, "" if it will."""
        change = self._change
        if change is None:
            return ""
        try:
            self._place.parent.mkdir(parents=True, exist_ok=True)
            write_relabelled(self._model, change.labels, change.words, self._place)
        except OSError as error:
            return NotWritten.of(self._place, error)
        except VitcamError as error:
            return str(error)
        return ""

    def give_to(self, classifier: Classifier) -> None:
        """Called by the thread that runs a classifier, between two pictures."""
        change = self._change
        if change is not None and classifier.labels is not change.labels:
            classifier.take_words(change.labels, change.words)
