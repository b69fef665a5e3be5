"""The first row of the figure: photo, input, patches, guesses."""

import cv2
import numpy as np

from vitcam.explain.explained import ExplainedPhoto
from vitcam.frames import LEAST, WHY_BLANK, Frame, Guess, Image
from vitcam.model.card import ModelCard
from vitcam.pictures.canvas import Panel, Paper, bars, fitted, panel_row
from vitcam.pictures.font import Colour
from vitcam.rects import Rect


def first_row(explained: ExplainedPhoto, column: int) -> Image:
    """From the photo to the answer.

    column   width of each panel, in px
    returns  (H, W, 3) uint8, RGB
    """
    spec, card = explained.card.input, explained.card
    across, height = explained.size
    model_input = fitted(explained.model_input, column, column)
    how = "squashed" if spec.resize == "squash" else "cut out"
    panels = [
        Panel(
            _photo(explained.frame, column, explained.paper),
            "Photo",
            f"{across} × {height} px; {_share_seen(explained.frame)}",
        ),
        Panel(model_input, "Input", f"{spec.width} × {spec.height} px: {how}, {spec.interpolation} interpolation"),
    ]
    if card.patch_size:
        panels.append(Panel(_patches(model_input, card, explained.paper), *patch_words(card)))
    guesses = _guesses(explained)
    pitch = max(56, min(86, column // len(guesses)))
    panels.append(Panel(bars(guesses, column, pitch, explained.paper), f"Top {explained.top_k}", _certainty(explained)))
    return panel_row(panels, column, paper=explained.paper)


def patch_words(card: ModelCard) -> tuple[str, str]:
    """Title and caption of the patches, such as `14 × 14 = 196 patches + class token`, and what a token is."""
    rows, columns = card.grid
    count, side = rows * columns, card.patch_size
    words = f"{columns} × {rows} = {count:,} patches"
    before = {"cls_token": ["class token"], "distilled": ["class token", "distillation token"]}.get(card.pooling, [])
    if before:
        others = [*before, *([f"{card.registers} registers"] if card.registers else [])]
        tokens = count + len(before) + card.registers
        return f"{words} + {' + '.join(others)}", f"{tokens:,} tokens; a patch is {side} × {side} px"
    read = "the first one's" if card.pooling == "first" else "the mean of all"
    return words, f"of {side} × {side} px; no class token, the head reads {read}"


def _sees_all(frame: Frame) -> bool:
    return (frame.crop.height, frame.crop.width) == frame.preview.shape[:2]


def _share_seen(frame: Frame) -> str:
    if _sees_all(frame):
        return "the model sees all of it"
    share = frame.crop.area / frame.preview[..., 0].size
    return f"the model sees the frame, {share:.0%} of it"


def _photo(frame: Frame, column: int, paper: Paper) -> Image:
    """The photo. Where the model sees only a part of it, that part is framed and the rest is pale."""
    out = fitted(frame.preview, column, column)
    if _sees_all(frame):
        return out
    crop = _scaled(frame.crop, frame.preview, out)
    inside = out[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width].copy()
    out = np.asarray(cv2.addWeighted(out, 0.4, np.full_like(out, paper.ground), 0.6, 0), np.uint8)
    out[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width] = inside
    corners = (crop.x + 1, crop.y + 1), (crop.x + crop.width - 2, crop.y + crop.height - 2)
    cv2.rectangle(out, *corners, paper.accent, 3)
    return out


def _scaled(rect: Rect, image: Image, scaled: Image) -> Rect:
    across, down = scaled.shape[1] / image.shape[1], scaled.shape[0] / image.shape[0]
    left, top = round(rect.x * across), round(rect.y * down)
    return Rect(
        left, top, max(3, round((rect.x + rect.width) * across) - left),
        max(3, round((rect.y + rect.height) * down) - top),
    )  # fmt: skip


def _patches(model_input: Image, card: ModelCard, paper: Paper) -> Image:
    """The input with gaps between its patches."""
    rows, columns = card.grid
    out = model_input.copy()
    line = 3 if min(out.shape[0] / rows, out.shape[1] / columns) > 16 else 1
    for x in np.linspace(0, out.shape[1], columns + 1).round().astype(int)[1:-1]:
        out[:, x - line // 2 : x - line // 2 + line] = paper.ground
    for y in np.linspace(0, out.shape[0], rows + 1).round().astype(int)[1:-1]:
        out[y - line // 2 : y - line // 2 + line] = paper.ground
    return out


def _guesses(explained: ExplainedPhoto) -> list[tuple[str, float, Colour]]:
    """The best guesses above the noise, at least one, and the right label if it is not among them."""
    ranked = explained.prediction.top
    count = max(1, sum(guess.p >= LEAST for guess in ranked[: explained.top_k]))
    lower = [(rank, guess) for rank, guess in enumerate(ranked, 1) if guess.label == explained.truth]
    rows = [(guess.label, guess.p, _colour(guess, explained)) for guess in ranked[:count]]
    return rows + [(f"{rank}. {guess.label}", guess.p, explained.paper.ok) for rank, guess in lower if rank > count]


def _colour(guess: Guess, explained: ExplainedPhoto) -> Colour:
    if explained.truth is None:
        return explained.paper.accent
    if guess.label == explained.truth:
        return explained.paper.ok
    return explained.paper.bad if guess is explained.prediction.top[0] else explained.paper.accent


def _certainty(explained: ExplainedPhoto) -> str:
    card, is_familiar = explained.card, not explained.prediction.unfamiliar
    labels = f"{len(explained.prediction.top):,} labels"
    if explained.prediction.blank:
        return f"nothing to see: the picture is {WHY_BLANK}"
    if card.least_familiarity is not None and is_familiar:
        return f"of {labels}; it resembles what the model learned from"
    if card.least_familiarity is not None:
        return f"unlike what the model learned from: it may be none of its {labels}"
    if not card.threshold:
        return f"of {labels}"
    if is_familiar:
        return f"of {labels}; above the threshold of {card.threshold:.0%}"
    return f"below the model's threshold of {card.threshold:.0%}: it may be none of its {labels}"
