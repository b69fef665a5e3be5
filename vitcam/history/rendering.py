"""The picture of a stored event as it is asked for: smaller, or with its evidence drawn over it."""

from vitcam.errors import UsageError
from vitcam.history.best_picture import QUALITY
from vitcam.history.stored import FrameSummary
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam.pictures.overlay import draw_weights
from vitcam.pictures.resize import shrunk

LEAST_WIDTH, MOST_WIDTH = 32, 8192
DRAWABLE = ("none", "evidence")
"""Overlays of stored pictures: of the weights only the evidence is kept."""
_ROUNDED_PX, _LEAST_OF_VIEW = 4, 0.8  # models look at 0.875 of the shorter side, or at more
_FOR_TRAINING = 95  # quality of the JPEG


def rendered(jpeg: bytes, summary: FrameSummary, overlay: str = "none", width: int | None = None) -> bytes:
    """The JPEG at most that wide, with the overlay.

    raises  UsageError for an overlay that nothing was kept for, or if the picture is damaged
    """
    if overlay not in DRAWABLE:
        raise UsageError(f"the overlay is {overlay[:40]!r}; for a stored event it can be {' or '.join(DRAWABLE)}")
    if width is None and overlay == "none":
        return jpeg
    whole = decode_image(jpeg)
    scale = min(1.0, (width or MOST_WIDTH) / whole.shape[1])
    image = shrunk(whole, scale)
    if overlay == "evidence" and summary.evidence is not None:
        image = draw_weights(image, summary.crop.scaled(scale, *image.shape[:2]), summary.evidence, "tint")
    return encode_jpeg(image, QUALITY)


def seen_by_model(jpeg: bytes, summary: FrameSummary) -> bytes:
    """The part of an event's picture that the model saw, where that is not the middle of the whole view.

    A model that is trained with the picture of a zone must not learn the view around it, which other labels have, too.
    """
    (width, height), crop = summary.size, summary.crop
    off_px = max(abs(2 * crop.x + crop.width - width), abs(2 * crop.y + crop.height - height))
    is_middle = off_px <= _ROUNDED_PX and max(crop.width, crop.height) >= _LEAST_OF_VIEW * min(width, height)
    if is_middle or not crop.width or not crop.height:
        return jpeg
    try:
        whole = decode_image(jpeg)
    except UsageError:  # damaged on the disk: it is filed as it is
        return jpeg
    part = crop.scaled(whole.shape[1] / width, *whole.shape[:2])
    return encode_jpeg(whole[part.y : part.y + part.height, part.x : part.x + part.width], _FOR_TRAINING)
