"""What corrections and answers are taught to: the model in use, with its own data set."""

from dataclasses import dataclass

from vitcam.errors import UsageError
from vitcam.model.card import ModelCard
from vitcam.model.files import DEFAULT
from vitcam.parts.teach.datasets.store import MINE, DataSets

ENOUGH = 10
"""Photos of a label: with fewer, it is advised to take more."""


@dataclass(frozen=True, slots=True)
class TeachingTarget:
    """The data set that pictures go to, and the model that is taught with it."""

    dataset: str
    base: str
    """Name or file of the model that is taught."""
    add_to: bool
    """Whether it knows the labels of its base, too."""


def target_of(card: ModelCard, name_or_file: str, data_sets: DataSets) -> TeachingTarget:
    """A model that was taught here is taught again; any other one gets labels beside its own.

    card          of the model in use
    name_or_file  what finds it
    """
    base, dataset = base_of_model(card, name_or_file), str(card.provenance.get("dataset", ""))
    if not card.taught:
        return TeachingTarget(MINE, base, add_to=True)
    try:
        data_sets.path(dataset)
    except UsageError:  # it was taught from another folder
        return TeachingTarget(MINE, base, add_to=True)
    return TeachingTarget(dataset, base, card.taught == "added")


def base_of_model(card: ModelCard, name_or_file: str) -> str:
    """What is taught where a model is in use: that, or what it was taught from; the default one where it has no room.

    Arguments as of `target_of`.
    """
    if card.taught:
        return str(card.provenance.get("taught_from", DEFAULT))
    return name_or_file if card.row_capacity else DEFAULT
