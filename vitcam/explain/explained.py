"""What the figure of `vitcam explain` shows of a photo, asked of a model."""

from dataclasses import dataclass
from pathlib import Path

from vitcam.frames import Frame, Image, Prediction
from vitcam.model.card import ModelCard
from vitcam.model.classifier import Classifier
from vitcam.pictures.canvas import PRINT, Paper
from vitcam.pictures.decode import Decoded
from vitcam.pictures.resize import frame_of_picture, to_model_size

MAX_GUESSES = 40
"""The figure has room for this many."""


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedPhoto:
    """A photo, the part of it that the model got, and the answer."""

    name: str
    """The photo's file name."""
    frame: Frame
    size: tuple[int, int]
    """Width and height of the photo itself, in px; the frame may hold it reduced."""
    model_input: Image
    """(h, w, 3) uint8, RGB."""
    card: ModelCard
    prediction: Prediction
    """With a guess for every label."""
    top_k: int
    truth: str | None
    """The right label where it is known: the name of the photo's folder."""
    opacity: float
    paper: Paper = PRINT
    """The colours of the figure."""

    @property
    def name_shown(self) -> str:
        """The displayed name; "Not sure" or "Unknown" where there is none."""
        without = "Unknown" if self.prediction.blank or self.prediction.unfamiliar else "Not sure"
        return self.prediction.shown.label or without

    @property
    def answer(self) -> str:
        """The displayed name with its probability; without one the best guesses."""
        shown = self.prediction.shown
        if shown.label is not None:
            return f"{shown.label}, {shown.p:.1%}"
        guesses = (f"{guess.label} {guess.p:.1%}" for guess in self.prediction.best_three)
        return ", ".join((self.name_shown.lower(), *guesses))

    @property
    def right(self) -> bool:
        """Whether the best guess is the truth."""
        return self.prediction.top[0].label == self.truth


def explain(
    classifier: Classifier, photo: Decoded, name: str, top_k: int, opacity: float, path: Path | None = None
) -> ExplainedPhoto:
    """Ask the model for everything that the figure shows. The classifier itself stays as it was.

    name  of the photo, for the figure
    path  its file, where there is one: the folder may name the right label
    """
    count = len(classifier.displayed_labels)
    frame = frame_of_picture(photo.image, classifier.input, "explain", None if path is None else str(path))
    return ExplainedPhoto(
        name=name,
        frame=frame,
        size=(photo.width, photo.height),
        model_input=to_model_size(photo.image, classifier.input),
        card=classifier.card,
        # with every label, because the figure gives the rank of the right one, however low
        prediction=classifier.with_top_k(count)(frame, explain=True),
        top_k=min(top_k, count, MAX_GUESSES),
        truth=None if path is None else _truth(path, classifier),
        opacity=opacity,
    )


def _truth(path: Path, classifier: Classifier) -> str | None:
    """As it is displayed; the folder may also have the model's own name."""
    own, naming = true_label(path, classifier.labels), classifier.naming
    if naming is None or own is None:
        return true_label(path, classifier.displayed_labels)
    return naming.of_labels[classifier.labels.index(own)].name


def true_label(photo: Path, labels: tuple[str, ...]) -> str | None:
    """The label that a photo's folder is named after, as in data sets: LABEL/photo.jpg. None if there is none.

    Upper and lower case are the same, and so are spaces, `_` and `-` between words.
    """
    folder = photo.absolute().parent.name  # not resolved: a data set may be a tree of links
    return next((label for label in labels if _normalised(label) == _normalised(folder)), None)


def _normalised(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())
