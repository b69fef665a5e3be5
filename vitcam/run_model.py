"""The model of a run, with what goes with it. `Current[RunModel]` is replaced as a whole when another one is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from vitcam.model.classifier import Classifier
from vitcam.model.record import ModelInfo, model_info
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.slot import Current

if TYPE_CHECKING:
    from vitcam.model.text.live_labels import LiveLabels  # few models have labels that are words


@dataclass(frozen=True, slots=True, eq=False)
class RunModel:
    """A model that was loaded and answers as it must."""

    classifier: Classifier
    """Of the thread that classifies the camera's frames; others clone it."""
    info: ModelInfo
    """What it is."""
    name_or_file: str
    """What finds it again."""
    trouble: str = ""
    """Why it is not the one that was asked for, as one sentence; empty if it is."""
    words: "LiveLabels | None" = None
    """None: its labels cannot be changed."""

    @classmethod
    def of(cls, classifier: Classifier, name_or_file: str = "", words: "LiveLabels | None" = None) -> Self:
        """Of a model that was loaded just now."""
        return cls(classifier, model_info(classifier), name_or_file, words=words)

    @property
    def labels(self) -> Sequence[str]:
        """They change where they are words."""
        return self.info.labels if self.words is None else self.words.labels

    @property
    def space(self) -> str:
        """Says whose embeddings can be compared: models that were taught share the graph of their base."""
        return self.info.card.graph_sha256

    @property
    def members(self) -> Mapping[str, Sequence[int]]:
        """Group -> indices of its labels."""
        return self.info.groups


def vocabulary_of(model: Current[RunModel], names: ActiveNames) -> Vocabulary:
    """By which texts labels and groups may be named; it goes with the names, the model and its words."""
    return Vocabulary(names, lambda: (model.value.labels, model.value.members))


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """What came of choosing another model."""

    name: str
    unknown: tuple[str, ...]
    """A sentence for each label that a zone or a rule waits for, and that this model does not know."""
    reason: str = ""
    """Why the next run will not use it; empty if it will."""
