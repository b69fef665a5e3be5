"""The figures of docs/study/concepts.md: the equations of reference.py at work on everyday's own weights."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from vitcam.frames import Image
from vitcam.pictures.canvas import (
    GUTTER,
    Panel,
    beside,
    colour_scale,
    fitted,
    framed,
    heat_over,
    panel_row,
    stack,
    tiles,
)
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg, encode_png
from vitcam.pictures.overlay import coloured
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.config import ViTConfig
from vitcam_training.drawing import sheet, walk
from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.study import reference

PHOTOS = ("cat", "bird", "coffee")
NET = ViTConfig(classes=1066, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5))
SIDE = 400
OPACITY = 0.85

Map = NDArray[np.float32]
Weights = dict[str, NDArray[Any]]


def draw_all(root: Path) -> None:
    """Write every figure into docs/study/concepts/."""
    folder = root / "docs" / "study" / "concepts"
    folder.mkdir(exist_ok=True)
    weights = load_file(root / "models" / "everyday.safetensors")
    photos = [_photo(root / "models" / "golden" / f"{name}.jpg") for name in PHOTOS]
    looked = [_attention(photo, weights) for photo in photos]
    _save(folder / "patches.jpg", patches(photos[1]))
    _save(folder / "positions.png", positions(weights))
    _save(folder / "matrices.jpg", matrices(looked[0]))
    _save(folder / "attention.jpg", attention(photos[0], looked[0]))
    _save(folder / "rollout.jpg", rollout(photos, looked))
    gelu(folder / "gelu.svg")
    (folder / "network.svg").write_text(sheet(walk(NET), "everyday"), encoding="utf-8")


def patches(photo: Image) -> Image:
    """A photo, its patches, and what `reshape` alone takes for them."""
    squares = reference.patches(photo[None].astype(float), NET.patch_size)[0]  # (N, P²·C)
    strips = photo.reshape(NET.grid[0] * NET.grid[1], -1)
    panels = [
        Panel(fitted(photo, SIDE, SIDE), "The photo", "224 × 224 px, 3 channels"),
        Panel(_laid_out(squares), "14 × 14 = 196 patches", "each 16 × 16 × 3 = 768 values of one square"),
        Panel(_laid_out(strips), "The mistake: reshape alone", "768 values, but of a line of pixels and a bit"),
    ]
    return panel_row(panels, SIDE)


def positions(weights: Weights) -> Image:
    """How much the position of one patch resembles those of all others, for every second patch."""
    kinds = [
        ("Learned, by everyday", weights["pos_embed"][0, 1:].astype(float)),
        ("Fixed: sine and cosine", reference.sincos(NET.tokens, NET.width)[1:]),
    ]
    panels = []
    for title, table in kinds:
        unit = table / np.linalg.norm(table, axis=1, keepdims=True)
        alike = unit @ unit.T  # (N, N)
        caption = f"cosine from {alike.min():.2f} (black) to 1 (yellow)".replace("-", "−")
        panels.append(Panel(_every_second(alike), title, caption))
    return panel_row(panels, 440)


def matrices(looked: list[reference.Array]) -> Image:
    """A of whole blocks, mean over heads: row i says where token i looked."""
    panels = []
    for number in (1, 6, 12):
        mean = looked[number - 1].mean(axis=0)
        bright = np.sqrt(mean / np.percentile(mean, 99.5)).clip(0, 1)
        panels.append(Panel(_coloured(bright, SIDE), f"A of block {number}", "197 × 197, mean over the heads"))
    return panel_row(panels, SIDE)


def attention(photo: Image, looked: list[reference.Array]) -> Image:
    """The class token's row of A in every head of every block."""
    size, rows = 104, []
    for head in range(NET.heads):
        maps = [heat_over(photo, _grid(block[head, 0, 1:]), size, size, OPACITY) for block in looked]
        rows.append(tiles(maps, [f"{i}.{head + 1}" for i in range(1, len(maps) + 1)], len(maps), 8))
    return stack([*rows, colour_scale(220, "least", "most, in each map", OPACITY)], 10)


def rollout(photos: list[Image], looked: list[list[reference.Array]]) -> Image:
    """Photo, the last block's attention, and rollout, for three photos."""
    sheets = []
    for photo, blocks in zip(photos, looked, strict=True):
        last = _grid(blocks[-1].mean(axis=0)[0, 1:])
        through = _grid(reference.rollout(blocks)[0, 1:])
        shown = [photo, *(heat_over(photo, grid, 200, 200, OPACITY) for grid in (last, through))]
        sheets.append(tiles([fitted(one, 200, 200) for one in shown], ["photo", "last block", "rollout"], 3, 8))
    scale = colour_scale(220, "least", "most, in each map", OPACITY)
    return stack([beside(sheets, GUTTER), scale], 12)


def gelu(path: Path) -> None:
    """GELU, its tanh form and ReLU; and how far the tanh form is off."""
    x = np.linspace(-5, 5, 1001)
    exact, approximate = reference.gelu(x), reference.gelu_tanh(x)
    with figure(path, 9, 3.2, columns=2) as (curves, error):
        curves.plot(x, reference.relu(x), color=FAINT, label="ReLU")
        curves.plot(x, exact, color=ACCENT, label="GELU, exact")
        curves.plot(x, approximate, color=PLAIN, linestyle=":", label="GELU, tanh form")
        curves.set_xlim(-4, 3)
        curves.set_ylim(-0.4, 3)
        curves.legend(frameon=False)
        error.plot(x, 1e4 * (approximate - exact), color=ACCENT)
        error.set_ylabel("tanh form − exact, in 1/10,000")
        for axes in (curves, error):
            axes.set_xlabel("x")


def _photo(path: Path) -> Image:
    return to_model_size(decode_image(path.read_bytes()), InputSpec(*NET.image_size))


def _attention(photo: Image, weights: Weights) -> list[reference.Array]:
    """A (h, T, T) of every block."""
    taps = reference.vit(photo[None], weights, NET)[1]
    return [taps[f"block{i:02}/attention"][0] for i in range(NET.depth)]


def _grid(row: reference.Array) -> Map:
    return row.reshape(NET.grid).astype(np.float32)


def _laid_out(tokens: NDArray[Any]) -> Image:
    """Patches (N, P²·C) in their grid, with gaps between them."""
    side = NET.patch_size
    cells = [np.ascontiguousarray(token.reshape(side, side, 3).astype(np.uint8)) for token in tokens]
    rows = [beside(cells[i : i + NET.grid[1]], 2) for i in range(0, len(cells), NET.grid[1])]
    return fitted(stack(rows, 2), SIDE, SIDE)


def _every_second(alike: reference.Array) -> Image:
    """Rows of (N, N) as maps, those of every second patch in every second row of patches."""
    scaled = (alike - alike.min()) / (1 - alike.min())
    rows, columns = NET.grid
    maps = [
        [_coloured(scaled[y * columns + x].reshape(NET.grid), 4 * columns) for x in range(0, columns, 2)]
        for y in range(0, rows, 2)
    ]
    return stack([beside(row, 7) for row in maps], 7)


def _coloured(values: reference.Array, side: int) -> Image:
    """Values of 0 to 1 as colours, (side, side, 3)."""
    grey = np.rint(values * 255).astype(np.uint8)
    large = cv2.resize(
        grey, (side, side), interpolation=cv2.INTER_NEAREST if side > 3 * len(grey) else cv2.INTER_LINEAR
    )
    return coloured(np.asarray(large, np.uint8))


def _save(path: Path, image: Image) -> None:
    large = framed(image, 16)
    path.write_bytes(encode_png(large) if path.suffix == ".png" else encode_jpeg(large, 85))
