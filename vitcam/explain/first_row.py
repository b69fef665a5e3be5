"""The upper row of what `vitcam explain` draws: photo, input, patches, guesses."""

from dataclasses import dataclass

import cv2
import numpy as np

from vitcam.frames import Frame, Guess, Image, Prediction, Rect
from vitcam.model.bundle import ModelCard
from vitcam.pictures.canvas import BLUE, GREEN, RED, Panel, bars, fitted, panel_row
from vitcam.pictures.font import Colour


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedPhoto:
    """A photo, what the model was shown of it, and what it said."""

    name: str
    """The photo's file name."""
    frame: Frame
    size: tuple[int, int]
    """Width and height of the photo itself, in px; the frame may hold it reduced."""
    seen: Image
    """(h, w, 3) uint8, RGB: the model's input."""
    card: ModelCard
    prediction: Prediction
    """With a guess for every label."""
    top_k: int
    truth: str | None
    """The label that the photo's folder is called by; None where it is none."""
    opacity: float

    @property
    def right(self) -> bool:
        """Whether the best guess is the truth."""
        return self.prediction.top[0].label == self.truth


def first_row(of: ExplainedPhoto, column: int) -> Image:
    """From the photo to the answer, in columns of that width."""
    spec, card = of.card.input, of.card
    across, height = of.size
    seen = fitted(of.seen, column, column)
    how = "squashed" if spec.resize == "squash" else "cut out"
    panels = [
        Panel(_photo(of.frame, column), "Photo", f"{across} × {height} px; {_share_seen(of.frame)}"),
        Panel(seen, "Input", f"{spec.width} × {spec.height} px: {how}, {spec.interpolation} interpolation"),
    ]
    if card.patch_size:
        panels.append(Panel(_patches(seen, card), *patch_words(card)))
    guesses = _guesses(of)
    pitch = max(56, min(86, column // len(guesses)))
    panels.append(Panel(bars(guesses, column, pitch), f"Top {of.top_k}", _certainty(of)))
    return panel_row(panels, column)


def patch_words(card: ModelCard) -> tuple[str, str]:
    """How many patches there are, such as `14 × 14 = 196 patches + class token`, and what a token is."""
    rows, columns = card.grid
    count, side = rows * columns, card.patch_size
    words = f"{columns} × {rows} = {count:,} patches"
    if card.pooling == "cls_token":
        return f"{words} + class token", f"{count + 1:,} tokens; a patch is {side} × {side} px"
    read = "the first one's" if card.pooling == "first" else "the mean of all"
    return words, f"of {side} × {side} px; no class token, the head reads {read}"


def _sees_all(frame: Frame) -> bool:
    return (frame.crop.height, frame.crop.width) == frame.preview.shape[:2]


def _share_seen(frame: Frame) -> str:
    if _sees_all(frame):
        return "the model sees all of it"
    share = frame.crop.width * frame.crop.height / frame.preview[..., 0].size
    return f"the model sees the frame, {share:.0%} of it"


def _photo(frame: Frame, column: int) -> Image:
    """The photo; where the model sees a part of it, that has a frame around it and the rest is faded."""
    out = fitted(frame.preview, column, column)
    if _sees_all(frame):
        return out
    crop = _scaled(frame.crop, frame.preview, out)
    inside = out[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width].copy()
    out = np.asarray(cv2.addWeighted(out, 0.4, np.full_like(out, 255), 0.6, 0), np.uint8)
    out[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width] = inside
    corners = (crop.x + 1, crop.y + 1), (crop.x + crop.width - 2, crop.y + crop.height - 2)
    cv2.rectangle(out, *corners, BLUE, 3)
    return out


def _scaled(rect: Rect, image: Image, shown: Image) -> Rect:
    across, down = shown.shape[1] / image.shape[1], shown.shape[0] / image.shape[0]
    left, top = round(rect.x * across), round(rect.y * down)
    return Rect(
        left, top, max(3, round((rect.x + rect.width) * across) - left),
        max(3, round((rect.y + rect.height) * down) - top),
    )  # fmt: skip


def _patches(seen: Image, card: ModelCard) -> Image:
    """The input with gaps between its patches, so that each stands by itself."""
    rows, columns = card.grid
    out = seen.copy()
    line = 3 if min(seen.shape[0] / rows, seen.shape[1] / columns) > 16 else 1
    for x in np.linspace(0, seen.shape[1], columns + 1).round().astype(int)[1:-1]:
        out[:, x - line // 2 : x - line // 2 + line] = 255
    for y in np.linspace(0, seen.shape[0], rows + 1).round().astype(int)[1:-1]:
        out[y - line // 2 : y - line // 2 + line] = 255
    return out


def _guesses(of: ExplainedPhoto) -> list[tuple[str, float, Colour]]:
    """The best guesses; the truth is added where it is not among them."""
    ranked = of.prediction.top
    shown = list(ranked[: of.top_k])
    behind = [(rank, guess) for rank, guess in enumerate(ranked, 1) if guess.label == of.truth and rank > of.top_k]
    rows = [(guess.label, guess.p, _colour(guess, of)) for guess in shown]
    return rows + [(f"{rank}. {guess.label}", guess.p, GREEN) for rank, guess in behind]


def _colour(guess: Guess, of: ExplainedPhoto) -> Colour:
    if of.truth is None:
        return BLUE
    if guess.label == of.truth:
        return GREEN
    return RED if guess is of.prediction.top[0] else BLUE


def _certainty(of: ExplainedPhoto) -> str:
    labels = f"{len(of.prediction.top):,} labels"
    if of.card.familiarity:
        resembles = f"of {labels}; it resembles what the model learned from"
        return (
            resembles if of.prediction.known else f"unlike what the model learned from: it may be none of its {labels}"
        )
    if not of.card.threshold:
        return f"of {labels}"
    if of.prediction.known:
        return f"of {labels}; above the threshold of {of.card.threshold:.0%}"
    return f"below the model's threshold of {of.card.threshold:.0%}: it may be none of its {labels}"
