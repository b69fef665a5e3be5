"""The data set `no-thing`: drawn pictures that are full of detail, but show no thing of `things.csv`.

Digits and printed pages on paper, logos, line drawings, walls of bricks and floors, as a camera sees them. A model
should say that it is not sure. Where a label or two would be right, such as `menu` for a printed page, these are
accepted. As those of `blank`, a picture depends on its seed only, and no picture is in two parts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam_training.data.blank import SIZES, Random, Scene, light, seen_at_a_slant, taken, wall, waves, wood
from vitcam_training.data.dataset import NOTHING, Dataset, Sample
from vitcam_training.data.published.things import Things, read_things

SEEDS = {"choose": range(5_000_000, 5_000_150), "heldout": range(6_000_000, 6_000_150)}
FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_COMPLEX_SMALL, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)  # fmt: skip
SYLLABLES = (
    "an",
    "be",
    "co",
    "da",
    "fi",
    "ga",
    "in",
    "jo",
    "ka",
    "lo",
    "mi",
    "no",
    "or",
    "qui",
    "ra",
    "so",
    "tu",
    "ver",
)


def digits(rng: Random, h: int, w: int) -> Scene:
    """One to four large digits, written with a pen on a sheet of paper."""
    text = str(rng.integers(0, 10 ** rng.integers(1, 5)))
    paper = _paper(rng, 300, 420)
    scale = 9.0 / (len(text) + 1)
    pen, font = int(rng.integers(8, 22)), int(rng.choice(FONTS))
    (width, height), _ = cv2.getTextSize(text, font, scale, pen)
    cv2.putText(paper, text, ((420 - width) // 2, (300 + height) // 2), font, scale, _ink(rng), pen, cv2.LINE_AA)
    return _on_a_table(rng, _wavy(rng, paper, rng.uniform(1, 5)), h, w)


def printed_page(rng: Random, h: int, w: int) -> Scene:
    """Lines of words below a heading, in one or two columns."""
    page = _paper(rng, 640, 460)
    font, ink = int(rng.choice(FONTS[:5])), _ink(rng)
    cv2.putText(page, _words(rng, 3).title(), (30, 60), font, 0.9, ink, 2, cv2.LINE_AA)
    columns = int(rng.integers(1, 3))
    width, size = 400 // columns, rng.uniform(0.35, 0.6)
    for column in range(columns):
        for y in range(100, 610, int(28 * size + 8)):
            if rng.random() < 0.9:  # else a paragraph ends
                line = _fitting(_words(rng, 12), font, size, width - 15)
                cv2.putText(page, line, (30 + column * width, y), font, size, ink, 1, cv2.LINE_AA)
    return _on_a_table(rng, page, h, w)


def logo(rng: Random, h: int, w: int) -> Scene:
    """A few plain shapes of strong colours within each other, on a sign, often with a word below."""
    sign = _plain(rng.uniform(200, 255, 3) if rng.random() < 0.7 else rng.uniform(0, 90, 3), 360, 360)
    colours = rng.uniform(0, 255, (3, 3))
    for i, colour in enumerate(colours):
        radius, turn = 120 - 38 * i, rng.uniform(0, 2 * np.pi)
        corners = int(rng.choice([3, 4, 5, 6, 60]))
        angles = turn + np.arange(corners) * 2 * np.pi / corners
        at = np.array([180, 150]) + rng.normal(0, 8, 2)
        outline = (at + radius * np.stack([np.cos(angles), np.sin(angles)], -1)).astype(np.int32)
        cv2.fillPoly(sign, [outline], tuple(float(each) for each in colour), cv2.LINE_AA)
    if rng.random() < 0.7:
        word, font = _words(rng, 1).upper(), int(rng.choice(FONTS[:4]))
        (width, _), _ = cv2.getTextSize(word, font, 1.6, 4)
        ink = tuple(float(each) for each in colours[0])
        cv2.putText(sign, word, ((360 - width) // 2, 335), font, 1.6, ink, 4, cv2.LINE_AA)
    return _on_a_table(rng, sign, h, w)


def line_drawing(rng: Random, h: int, w: int) -> Scene:
    """Loops, arrows, boxes and rounds, drawn with a pen: nothing that has a name."""
    paper, ink, pen = _paper(rng, 300, 420), _ink(rng), int(rng.integers(2, 6))
    for _ in range(int(rng.integers(3, 9))):
        x, y, size = rng.uniform(60, 360), rng.uniform(60, 240), rng.uniform(20, 90)
        t = np.linspace(0, 1, 200)
        kind = int(rng.integers(4))
        if kind == 0:  # a loop that closes or not
            a, b, turns = rng.uniform(0.3, 1, 3)
            angle = 2 * np.pi * t * (1 + 3 * turns)
            points = np.stack([x + size * a * np.cos(angle), y + size * b * np.sin(angle * (1 + round(turns)))], -1)
        elif kind == 1:  # a spiral
            angle = 2 * np.pi * t * rng.uniform(2, 5)
            points = np.stack([x + size * t * np.cos(angle), y + size * t * np.sin(angle)], -1)
        elif kind == 2:  # an arrow
            end = np.array([x, y]) + rng.normal(0, 80, 2)
            start, stop = (tuple(int(each) for each in point) for point in ((x, y), end))
            cv2.arrowedLine(paper, start, stop, ink, pen, cv2.LINE_AA, tipLength=0.25)
            continue
        else:  # a box or another polygon
            corners = int(rng.integers(3, 7))
            angle = 2 * np.pi * np.arange(corners + 1) / corners + rng.uniform(0, 2)
            points = np.stack([x + size * np.cos(angle), y + size * np.sin(angle)], -1)
        cv2.polylines(paper, [points.astype(np.int32)], False, ink, pen, cv2.LINE_AA)
    return _on_a_table(rng, _wavy(rng, paper, rng.uniform(1, 4)), h, w)


def bricks(rng: Random, h: int, w: int) -> Scene:
    """A wall of red, brown or yellow bricks in courses, with pale joints."""
    height, joint = h / rng.uniform(6, 16), max(2.0, h / rng.uniform(60, 120))
    width = height * rng.uniform(2.2, 3.2)
    y, x = np.arange(h, dtype=np.float32) + rng.uniform(0, height), np.arange(w, dtype=np.float32)
    course = (y // height).astype(int)
    along = x[None] + (course % 2 * width / 2)[:, None]
    between = ((y % height < joint)[:, None] | (along % width < joint)).astype(np.float32)[..., None]
    tone = 1 + rng.normal(0, rng.uniform(0.06, 0.16), (64, 64, 1))
    shade = tone[course[:, None] % 64, (along // width).astype(int) % 64]
    clay = np.array([rng.uniform(130, 200), rng.uniform(70, 130), rng.uniform(45, 100)])
    rough = 1 + 0.12 * waves(rng, h, w, w / rng.uniform(2, 5))[..., None]
    mortar = np.full(3, rng.uniform(140, 215))
    return np.asarray((clay * shade * (1 - between) + mortar * between) * rough * light(rng, h, w)[..., None])


def floor(rng: Random, h: int, w: int) -> Scene:
    """Boards, a chequered floor, or paving of many stones, seen at a slant."""
    kind = int(rng.integers(3))
    if kind == 0:
        return wood(rng, h, w)
    side = w / rng.uniform(4, 12)
    y, x = (np.arange(n, dtype=np.float32)[shape] for n, shape in ((h, np.s_[:, None]), (w, np.s_[None])))
    if kind == 1:
        odd = (((y // side) + (x // side)) % 2)[..., None]
        plain = rng.uniform(20, 110, 3) * odd + rng.uniform(150, 240, 3) * (1 - odd)
        return seen_at_a_slant(rng, np.asarray(plain * light(rng, h, w)[..., None], np.float32))
    centres = rng.uniform(0, 1, (int(60 + rng.integers(120)), 2)) * [h, w]
    canvas = np.zeros((h, w), np.int32)
    distance = np.full((h, w), np.inf)
    second = distance.copy()
    for i, (row, column) in enumerate(centres):
        own = np.hypot(y - row, x - column)
        second = np.minimum(second, np.maximum(distance, own))
        canvas = np.where(own < distance, i, canvas)
        distance = np.minimum(distance, own)
    gap = np.clip((second - distance) / (w / 80), 0.35, 1)[..., None]
    stones = rng.uniform(90, 200, (len(centres), 1)) * (1 + rng.normal(0, 0.05, (len(centres), 3)))
    paved = stones[canvas] * gap * (1 + 0.1 * waves(rng, h, w, w / 4)[..., None])
    return seen_at_a_slant(rng, np.asarray(paved * light(rng, h, w)[..., None], np.float32))


KINDS: dict[Callable[[Random, int, int], Scene], tuple[str, ...]] = {
    digits: (),
    printed_page: ("menu", "website", "book cover", "comic book", "crossword"),
    logo: (),
    line_drawing: (),
    bricks: ("stone wall", "tile roof"),
    floor: ("patio", "stone wall", "maze"),
}
"""Each kind of picture, and the labels that may be said of it."""


def no_thing() -> Dataset:
    """Pictures of no label in the parts `choose` and `heldout`. They are drawn when they are read."""
    things = read_things()
    parts = {part: tuple(_sample(seed, things) for seed in seeds) for part, seeds in SEEDS.items()}
    return Dataset("no-thing", things.labels, {"train": (), **parts}, things.synsets, things.groups)


def no_thing_picture(seed: int) -> Image:
    """A picture that shows none of the things.

    seed     the same gives the same picture; six seeds in a row give one of each kind
    returns  (H, W, 3) uint8, RGB, of a size in `blank.SIZES`
    """
    rng = np.random.default_rng(seed)
    h, w = SIZES[rng.integers(len(SIZES))]
    return taken(rng, _kind(seed)(rng, h, w))


def _kind(seed: int) -> Callable[[Random, int, int], Scene]:
    return list(KINDS)[seed % len(KINDS)]


def _sample(seed: int, things: Things) -> Sample:
    kind = _kind(seed)
    accepted = frozenset(things.labels.index(label) for label in KINDS[kind])
    path = Path(kind.__name__, f"{seed}.png")
    return Sample(path, NOTHING, render=partial(no_thing_picture, seed), accepted=accepted)


def _paper(rng: Random, h: int, w: int) -> Scene:
    """White, cream or grey."""
    return _plain(rng.uniform(195, 250) * (1 + rng.uniform(-0.06, 0.03, 3)), h, w)


def _plain(colour: NDArray[np.floating[Any]], h: int, w: int) -> Scene:
    """Floats; bytes for OpenCV 5, which writes text on nothing else."""
    if cv2.__version__.startswith("4."):
        return np.full((h, w, 3), colour, np.float32)
    return np.full((h, w, 3), np.clip(np.round(colour), 0, 255), np.uint8)


def _ink(rng: Random) -> tuple[float, ...]:
    """Black, blue, or another dark colour."""
    return tuple(float(each) for each in rng.uniform(0, [70, 70, 130]))


def _words(rng: Random, count: int) -> str:
    """Words that nobody knows."""
    return " ".join("".join(rng.choice(SYLLABLES, rng.integers(1, 5))) for _ in range(count))


def _fitting(text: str, font: int, size: float, width_px: int) -> str:
    """As many of the words as the line holds."""
    words = text.split()
    while len(words) > 1 and cv2.getTextSize(" ".join(words), font, size, 1)[0][0] > width_px:
        words.pop()
    return " ".join(words)


def _wavy(rng: Random, paper: Scene, far_px: float) -> Scene:
    """Strokes of a hand: each point of the sheet moved a little."""
    h, w = paper.shape[:2]
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    across, down = (plane + np.float32(far_px) * waves(rng, h, w, 6) for plane in (x, y))
    return np.asarray(cv2.remap(paper, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def _on_a_table(rng: Random, sheet: Scene, h: int, w: int) -> Scene:
    """A sheet that lies on a table or is fixed to a wall, seen from near and a little from a side, under one light."""
    below = wood(rng, h, w) if rng.random() < 0.5 else wall(rng, h, w)
    rows, columns = sheet.shape[:2]
    scale = rng.uniform(0.75, 1.15) * min(h / rows, w / columns)
    across, down = scale * columns / 2, scale * rows / 2
    corners = np.array([[-across, -down], [across, -down], [across, down], [-across, down]])
    turn = rng.normal(0, 0.15)
    rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    seen = corners @ rotation.T + [w / 2, h / 2] + rng.normal(0, 0.03 * w, (4, 2))
    flat = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, seen.astype(np.float32))
    over = cv2.warpPerspective(np.dstack([sheet, np.ones((rows, columns), np.float32)]), matrix, (w, h))
    covered = over[..., 3:]
    return np.asarray((below * (1 - covered) + over[..., :3]) * light(rng, h, w)[..., None])
