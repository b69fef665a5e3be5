"""What a model's card keeps of every attempt at it, the weaker ones too: a line each, oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace

from vitcam.model.card import ModelCard

KEY = "attempts"  # in the provenance of a card
HEAD = ("date", "recipe", "what", "revision", "photos", "float32", "int8", "MB", "")


@dataclass(frozen=True)
class Attempt:
    """One network that was exported under a model's name. Accuracies are fractions of 1."""

    date: str = ""
    """Of the export; empty where a file from before there was this list does not say."""
    recipe: str = ""
    fingerprint: str = ""
    """Of the recipe's settings; empty for runs from before it was kept, and for weights from elsewhere."""
    what: str = ""
    """What was done otherwise, in the words of who tried it, and the options of the export."""
    revision: str = ""
    """Of the program that trained it."""
    data: str = ""
    photos: int = 0
    """How many of the held-out photos of `data` gave the figures; 0: none were measured."""
    float_top1: float = 0.0
    top1: float = 0.0
    """Of the model file."""
    mb: float = 0.0
    taken: bool = True
    """Whether its files were put in place; the last that was is the model."""

    @classmethod
    def from_card(cls, card: ModelCard, size: int, date: str = "", note: str = "", revision: str = "") -> Attempt:
        """The one that a card describes.

        size      of the model file, in bytes
        revision  where the card names none
        """
        made, found = card.provenance, card.accuracy
        return cls(
            date=date,
            recipe=made.get("recipe", ""),
            fingerprint=made.get("fingerprint", ""),
            what=", ".join(filter(None, (note, made.get("export_options", "")))),
            revision=made.get("revision") or revision,
            data=found.get("data", ""),
            photos=found.get("n", 0),
            float_top1=round(found.get("float_top1", 0.0), 5),
            top1=round(found.get("top1", 0.0), 5),
            mb=round(size / 1e6, 2),
        )

    def again(self, earlier: Attempt) -> bool:
        """Whether it is the earlier one once more: nothing but the day, or what became of it, is another."""
        return replace(earlier, date=self.date, taken=self.taken) == self


def listed(card: ModelCard) -> tuple[Attempt, ...]:
    """The attempts that a card keeps; none where it is from before there was this list."""
    known = {f.name for f in fields(Attempt)}  # a newer vitcam may have written more
    kept = card.provenance.get(KEY) or ()
    return tuple(Attempt(**{name: value for name, value in each.items() if name in known}) for each in kept)


def with_attempts(card: ModelCard, attempts: Sequence[Attempt]) -> ModelCard:
    """The card with this list in place of its own."""
    return replace(card, provenance={**card.provenance, KEY: [asdict(each) for each in attempts]})


def attempt_rows(attempts: Sequence[Attempt]) -> list[list[str]]:
    """A line for each below `HEAD`, the one that is the model marked."""
    model = max((i for i, each in enumerate(attempts) if each.taken), default=-1)
    return [[*_row(each), "this file" if i == model else ""] for i, each in enumerate(attempts)]


def _row(attempt: Attempt) -> list[str]:
    figures = [f"{attempt.float_top1:.2%}", f"{attempt.top1:.2%}"] if attempt.photos else ["–", "–"]
    photos = f"{attempt.photos:,} of {attempt.data}" if attempt.photos else "–"
    recipe = " ".join(filter(None, (attempt.recipe, attempt.fingerprint)))
    return [attempt.date or "–", recipe or "–", attempt.what, attempt.revision, photos, *figures, f"{attempt.mb:.2f}"]
