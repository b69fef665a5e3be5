"""What a data set may hold: no more, and under no other labels, than can be taught."""

import unicodedata

from vitcam.errors import UsageError
from vitcam.sentence import Sentence
from vitcam.text import shortened

NOTHING = "nothing special"
"""The label of the empty scene."""
LONGEST_LABEL = 60  # characters
MOST_PHOTOS = 20_000  # of a data set
MOST_LABELS = 127
"""As many as the default model has room for where they stand alone, beside that for none of them."""


def checked_label(text: str) -> str:
    """A label in one spelling, which can be the name of a folder: accents composed, and no space around it.

    raises  UsageError if it is empty, too long, cannot be printed, is no name of a folder that is seen, or means
            something else
    """
    from vitcam.frames import UNKNOWN  # both bring NumPy along, and `vitcam --help` needs none
    from vitcam.model.taught import NONE

    label = unicodedata.normalize("NFC", text).strip()
    bad = not label.isprintable() or "/" in label or label.startswith(".") or label == "__MACOSX"
    if bad or not 0 < len(label) <= LONGEST_LABEL:
        raise UsageError(
            Sentence(
                f"{shortened(repr(text))} cannot be a label; use 1 to {LONGEST_LABEL} printable characters without /, "
                "of which the first is not a dot",
                "teach.label_form",
                label=shortened(text),
                longest=LONGEST_LABEL,
            )
        )
    if label.casefold() in (UNKNOWN, NONE):
        taken = f"{label!r} cannot be a label: it has a meaning of its own here; take another name"
        raise UsageError(Sentence(taken, "teach.label_taken", label=label))
    return label
