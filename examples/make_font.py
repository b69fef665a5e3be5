"""Make vitcam/pictures/font.npz: the outlines of Open Sans that `vitcam.pictures.font` fills.

OpenCV's own font has thin strokes and only ASCII letters. This needs matplotlib (in the extra `peers`) and the font
(Debian: fonts-open-sans):

    python examples/make_font.py /usr/share/fonts/truetype/open-sans
"""

import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.path import Path as Outline
from numpy.typing import NDArray

TARGET = Path(__file__).parents[1] / "vitcam" / "pictures" / "font.npz"
FACES = {"regular": "OpenSans-Regular.ttf", "bold": "OpenSans-Semibold.ttf"}
EM = 1000
TOLERANCE = 3  # of EM: a fifth of a pixel in letters 60 px high
RANGES = ((0x20, 0x7E), (0xA0, 0x17F), (0x386, 0x3CE), (0x400, 0x45F), (0x2010, 0x2044), (0x20AC, 0x20AC),
          (0x2190, 0x2193), (0x2202, 0x2265))  # fmt: skip


def outlines(font: FT2Font, code: int) -> list[NDArray[np.int16]]:
    """The contours of a letter, (n, 2) each, y downwards from the baseline, simplified within the tolerance."""
    font.load_char(code, flags=LoadFlags.NO_HINTING)
    vertices, codes = font.get_path()
    polygons = Outline(vertices, codes).to_polygons() if len(vertices) else []
    simple = (cv2.approxPolyDP(np.asarray(polygon, np.float32), TOLERANCE, True)[:, 0] for polygon in polygons)
    return [np.rint(polygon * (1, -1)).astype(np.int16) for polygon in simple]


def face(path: Path) -> dict[str, NDArray[Any]]:
    """Every letter of the font: its code, its advance, and where its contours and points begin."""
    font = FT2Font(str(path))
    font.set_size(EM, 72)
    have = font.get_charmap()
    codes = [code for low, high in RANGES for code in range(low, high + 1) if code in have]
    advances = [font.load_char(code, flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536 for code in codes]
    letters = [outlines(font, code) for code in codes]
    contours = [contour for letter in letters for contour in letter]
    return {
        "codes": np.array(codes, np.uint16),
        "advances": np.rint(advances).astype(np.int16),
        "contours": np.cumsum([len(letter) for letter in letters]).astype(np.uint16),
        "ends": np.cumsum([len(contour) for contour in contours]).astype(np.uint16),
        "points": np.concatenate(contours),
    }


def main() -> None:
    """Write both faces into one file."""
    folder = Path(sys.argv[1])
    arrays: dict[str, Any] = {
        f"{name}_{key}": value for name, file in FACES.items() for key, value in face(folder / file).items()
    }
    np.savez_compressed(TARGET, **arrays)


if __name__ == "__main__":
    main()
