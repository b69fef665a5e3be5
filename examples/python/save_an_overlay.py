"""Save a photo with the parts of it that led to the answer.

python examples/python/save_an_overlay.py photo.jpg where.png
"""

import sys
from pathlib import Path

from vitcam import Classifier, draw_overlay, encode_by_ending, open_source


def main(photo: str = "models/golden/coffee.jpg", out: str = "where.png") -> None:
    """Write `out`; its ending says the format."""
    classifier = Classifier("everyday")
    with open_source(photo) as frames:
        frame = next(iter(frames))
    prediction = classifier(frame)
    drawn = draw_overlay(frame.preview, frame.crop, prediction, "evidence")
    Path(out).write_bytes(encode_by_ending(drawn, out))
    print(f"wrote {out}: {prediction.top[0].label}")


if __name__ == "__main__":
    main(*sys.argv[1:])
