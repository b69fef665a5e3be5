"""Write docs/demo.webp, the moving picture of the README: the demo's clip as the page shows it, with what is seen."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from vitcam.frames import Image, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pictures.font import draw_text
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.sources import SourceOptions, open_source
from vitcam.web.stream.encoder import draw
from vitcam.web.stream.variant import Variant

OUT = Path(__file__).parent / "demo.webp"
WIDTH, ROW, BAR = 480, 22, 190
EVERY = 6
"""Of the clip's 30 frames/s."""
QUALITY = 70
ROWS = 3
DARK, LIGHT, ACCENT = (24, 24, 27), (228, 228, 231), (245, 158, 11)
_VARIANT = Variant(overlay="evidence", width=WIDTH)


def frames() -> Iterator[tuple[Prediction, Image]]:
    """Each answer, and (h, w, 3) uint8, RGB: the picture with its overlay above the best guesses."""
    classifier = Classifier("everyday")
    with open_source("demo", SourceOptions(input=classifier.input, realtime=False, loop=False)) as source:
        for number, frame in enumerate(source):
            if number % EVERY == 0:
                prediction = classifier(frame)
                picture = draw(ClassifiedFrame(frame, prediction), _VARIANT)
                yield prediction, np.vstack([picture, guesses(prediction, picture.shape[1])])


def guesses(prediction: Prediction, width: int) -> Image:
    """(h, width, 3) uint8, RGB: a bar for each of the best guesses."""
    panel = np.full((ROWS * ROW + 12, width, 3), DARK, np.uint8)
    for row, guess in enumerate(prediction.top[:ROWS]):
        top = 6 + row * ROW
        colour = ACCENT if row == 0 and prediction.known else LIGHT
        draw_text(panel, guess.label, (10, top + 15), 14, colour)
        draw_text(panel, f"{guess.p:.0%}", (width - 45, top + 15), 14, colour)
        left = width - 55 - BAR
        panel[top + 4 : top + 16, left : left + round(BAR * guess.p)] = colour
    return panel


def main() -> None:
    """Write the file."""
    animation = cv2.Animation()
    animation.frames = [cv2.cvtColor(picture, cv2.COLOR_RGB2BGR) for _, picture in frames()]
    animation.durations = [round(1000 * EVERY / 30)] * len(animation.frames)
    cv2.imwriteanimation(str(OUT), animation, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])


if __name__ == "__main__":
    main()
