"""The figure of `vitcam explain`: from the photo to the answer, and where each block looked."""

import numpy as np
from numpy.typing import NDArray

from vitcam.explain.explained import ExplainedPhoto
from vitcam.explain.first_row import first_row
from vitcam.frames import Image
from vitcam.model.card import ModelCard
from vitcam.pictures.canvas import (
    GUTTER,
    LINE,
    Paper,
    badge,
    beside,
    blank,
    colour_scale,
    columns_for,
    framed,
    heat_over,
    stack,
    tiles,
)
from vitcam.pictures.font import draw_text, shorten, text_width, wrap

WIDTH = 1920
MARGIN = 56
_INNER = WIDTH - 2 * MARGIN
_COLUMN = (_INNER - 3 * GUTTER) // 4
_GAP = 16
_SECTION = 44

ON_PAGE = {
    "light": Paper((0xFF, 0xFF, 0xFF), (0x17, 0x1A, 0x21), (0x5C, 0x64, 0x70), (0xE9, 0xEC, 0xF0), (0xC2, 0x41, 0x0C)),
    "dark": Paper((0x18, 0x1B, 0x22), (0xEC, 0xEE, 0xF2), (0x9A, 0xA3, 0xB2), (0x26, 0x2B, 0x35), (0xFB, 0x92, 0x3C)),
}
"""Scheme of a browser -> the page's colours in it: those of a card, as its style sheet has them."""

WHOSE = {
    "cls_token": "the class token",
    "distilled": "class and distillation token, on average,",
    "first": "the first patch's token",
    "mean": "all tokens, on average,",
}
NO_ATTENTION = (
    "This model file gives no attention, so where it looked is not known; vitcam-train export makes files that do."
)
NO_BLOCKS = "This model file has no signature `explain`: rollout and the other blocks are not known; export it again."


def draw_figure(explained: ExplainedPhoto) -> Image:
    """Draw the whole figure. What the model file does not give is left out.

    returns  (H, WIDTH, 3) uint8, RGB; H depends on what there is to show
    """
    rows = [_header(explained), first_row(explained, _COLUMN)]
    if explained.prediction.attention is not None or explained.prediction.rollout is not None:
        rows += [_last_block(explained)]
    if explained.prediction.rows is not None:
        rows += [_every_block(explained, explained.prediction.rows)]
    return framed(stack([*rows, *_what_is_missing(explained)], _SECTION, explained.paper), MARGIN, explained.paper)


def _header(explained: ExplainedPhoto) -> Image:
    shown, out = explained.prediction.shown, blank(124, _INNER, explained.paper)
    verdict = _verdict(explained)
    room = _INNER - (verdict.shape[1] + GUTTER if verdict is not None else 0)
    percent = f"{shown.p:.1%}" if shown.label is not None else ""
    label = shorten(explained.name_shown, room - text_width(percent, 64) - 20, 64, "bold")
    draw_text(out, label, (-3, 58), 64, explained.paper.ink, "bold")
    draw_text(out, percent, (text_width(label, 64, "bold") + 17, 58), 64, explained.paper.pale)
    if verdict is not None:
        out[12 : 12 + verdict.shape[0], -verdict.shape[1] :] = verdict
    card = explained.card
    words = [explained.name, f"{card.name}: {card.description}"]
    if card.parameters:
        words.append(f"{card.parameters:,} parameters, {card.layers} blocks of {card.heads} heads, width {card.width}")
    draw_text(out, shorten("  ·  ".join(words), _INNER, 22), (0, 104), 22, explained.paper.pale)
    return out


def _verdict(explained: ExplainedPhoto) -> Image | None:
    if explained.truth is None:
        return None
    truth = shorten(explained.truth, 420, 26, "bold")
    paper = explained.paper
    if explained.right:
        return badge(f"right: {truth}", paper.ok, True, paper)
    return badge(f"wrong: it is {truth}", paper.bad, False, paper)


def _last_block(explained: ExplainedPhoto) -> Image:
    """Evidence and rollout on the left, as large as the panels above. The heads of the last block on the right."""
    prediction = explained.prediction
    heads, by_name = prediction.attention, {"Evidence": prediction.evidence, "Rollout": prediction.rollout}
    titles = {"Evidence": f"Evidence{_evidence_shares(explained)}", "Rollout": "Rollout"}
    aspect = explained.model_input.shape[1] / explained.model_input.shape[0]
    size = _size(_COLUMN, _COLUMN, aspect)
    maps: list[Image] = []
    for name, weights in by_name.items():
        if weights is not None:
            widened = blank(size[0] + LINE, _COLUMN, explained.paper)
            widened[:, : size[1]] = tiles([_map(explained, weights, size)], [titles[name]], 1, 0, explained.paper)
            maps.append(widened)
    if heads is not None:
        room = _INNER - len(maps) * (_COLUMN + GUTTER)
        maps.append(_heads(explained, heads, size[0], room, aspect))
    words = f"where {WHOSE[explained.card.pooling]} looked in the last block, by head"
    if by_name["Rollout"] is not None:
        words = f"rollout: through all {explained.card.layers} blocks; heads: {words}"
    if by_name["Evidence"] is not None:
        words = f"evidence: what spoke for the answer; {words}"
    paper = explained.paper
    legend = colour_scale(220, "least", "most, in each map", explained.opacity, paper)
    return stack([_heading("Where it looked", words, paper, legend), beside(maps, GUTTER, paper)], 18, paper)


def _evidence_shares(explained: ExplainedPhoto) -> str:
    """How much of the answer patches wrote, and how much is the own share of the token that the head reads."""
    share = explained.prediction.evidence_share
    if share is None:
        return ""
    if share > 1:
        return ": from patches; the token's own spoke against"
    if share < 0:
        return ": the token's own; patches spoke against"
    return f": {share:.0%} from patches, {1 - share:.0%} the token's own"


def _heads(explained: ExplainedPhoto, heads: NDArray[np.float32], height: int, room: int, aspect: float) -> Image:
    gap = GUTTER if len(heads) <= 4 else _GAP
    columns, across = columns_for(len(heads), height + LINE, room, aspect, LINE, gap)
    size = _size(height, across, aspect)
    names = [f"Head {i}" + _share(head, explained.card, across) for i, head in enumerate(heads, 1)]
    return tiles([_map(explained, head, size) for head in heads], names, columns, gap, explained.paper)


def _share(head: NDArray[np.float32], card: ModelCard, across: int) -> str:
    """The class token's attention to itself and to other tokens is not part of the map; the title gives its share."""
    if card.pooling not in ("cls_token", "distilled") or across < 340:
        return ""
    rest = "on itself" if card.pooling == "cls_token" and not card.registers else "on other tokens"
    return f": {head.sum():.0%} on the patches, {max(0.0, 1 - head.sum()):.0%} {rest}"


def _every_block(explained: ExplainedPhoto, rows: NDArray[np.float32]) -> Image:
    """One map for each block; rows is (layers, heads, gh, gw)."""
    aspect = explained.model_input.shape[1] / explained.model_input.shape[0]
    columns = min(len(rows), 12)
    across = min(_COLUMN // 2, (_INNER - _GAP * (columns - 1)) // columns)
    size = _size(_COLUMN, across, aspect)
    maps = [_map(explained, block.mean(axis=0), size) for block in rows]
    words = f"where {WHOSE[explained.card.pooling]} looked in each block, mean over its heads"
    grid = tiles(maps, [str(i) for i in range(1, len(maps) + 1)], columns, _GAP, explained.paper)
    return stack([_heading("Block by block", words, explained.paper), grid], 18, explained.paper)


def _what_is_missing(explained: ExplainedPhoto) -> list[Image]:
    """One sentence on what this model file does not give."""
    if explained.prediction.rows is not None:
        return []
    lines = wrap(NO_ATTENTION if explained.prediction.attention is None else NO_BLOCKS, _INNER, 22)
    out = blank(34 * len(lines), _INNER, explained.paper)
    for i, line in enumerate(lines):
        draw_text(out, line, (0, 24 + 34 * i), 22, explained.paper.pale)
    return [out]


def _map(explained: ExplainedPhoto, weights: NDArray[np.float32], size: tuple[int, int]) -> Image:
    return heat_over(explained.model_input, weights, *size, explained.opacity)


def _size(room_height: int, room_width: int, aspect: float) -> tuple[int, int]:
    """(height, width) of a tile of that aspect."""
    across = min(room_width, int(room_height * aspect))
    return max(1, round(across / aspect)), max(1, across)


def _heading(title: str, words: str, paper: Paper, legend: Image | None = None) -> Image:
    out = blank(36, _INNER, paper)
    draw_text(out, title, (0, 27), 30, paper.ink, "bold")
    left = text_width(title, 30, "bold") + 20
    room = _INNER - left - (legend.shape[1] + GUTTER if legend is not None else 0)
    draw_text(out, shorten(words, room, 20), (left, 27), 20, paper.pale)
    if legend is not None:
        out[8 : 8 + legend.shape[0], -legend.shape[1] :] = legend
    return out
