"""From a frame to a JPEG: shrink, draw the overlay, encode. All of it runs off the event loop."""

from collections.abc import Callable
from concurrent.futures import Executor

import cv2

from vitcam.frames import Image, Prediction
from vitcam.pictures.encode import encode_jpeg
from vitcam.pictures.overlay import draw_overlay, overlay_weights
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.pictures.resize import shrunk
from vitcam.pictures.zone_overlay import draw_zones
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.rects import Rect
from vitcam.web.stream.picture import Placeholder, draw_placeholder
from vitcam.web.stream.variant import Variant


class Encoder:
    """Makes JPEGs in an executor of one thread, so that encoding takes at most one core from the model.

    OpenCV releases the interpreter's lock meanwhile: neither the event loop nor the classifier waits for it.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.encoded = 0
        """JPEGs made of frames since the start."""

    async def encode_frame(self, classified: ClassifiedFrame, variant: Variant) -> bytes:
        """A frame with its overlay, as JPEG."""
        self.encoded += 1
        return await self._made(lambda: encode_jpeg(draw(classified, variant), variant.quality))

    async def encode_look(self, seen: Image, look: Prediction, variant: Variant) -> bytes:
        """What the model saw of something that is followed, with its overlay, as JPEG.

        seen  (h, w, 3) uint8, RGB
        """
        return await self._made(lambda: encode_jpeg(draw_look(seen, look, variant), variant.quality))

    async def encode_placeholder(self, placeholder: Placeholder, variant: Variant) -> bytes:
        """The picture that says why there is no frame, as JPEG."""
        return await self._made(lambda: encode_jpeg(draw_placeholder(placeholder, variant.width), variant.quality))

    async def _made(self, make: Callable[[], bytes]) -> bytes:
        from asyncio import get_running_loop  # which is not imported before the first picture

        return await get_running_loop().run_in_executor(self._executor, make)


def draw(classified: ClassifiedFrame, variant: Variant) -> Image:
    """The frame with its overlay, at the size of the variant.

    It is shrunk first, because the cost of drawing grows with the number of pixels.

    classified  its preview is (H, W, 3) uint8, RGB
    returns     (h, w, 3) uint8, RGB, w at most `variant.width`
    """
    image, scale = _fitted(classified.frame.preview, variant)
    if classified.looks:
        zones = [(each.crop.scaled(scale, *image.shape[:2]), each) for each in classified.looks]
        return draw_zones(image, zones, variant.overlay, head=variant.head, opacity=variant.opacity)
    crop, overlay = classified.frame.crop.scaled(scale, *image.shape[:2]), variant.overlay
    own = image is not classified.frame.preview
    return draw_overlay(
        image, crop, classified.prediction, overlay, head=variant.head, opacity=variant.opacity, inside=own
    )


def draw_look(seen: Image, look: Prediction, variant: Variant) -> Image:
    """What the model saw of something that is followed, with its overlay.

    seen     (H, W, 3) uint8, RGB
    returns  (h, w, 3) uint8, RGB, w at most `variant.width`
    """
    image, _ = _fitted(seen, variant)
    whole = Rect(0, 0, image.shape[1], image.shape[0])
    return draw_overlay(image, whole, look, variant.overlay, head=variant.head, opacity=variant.opacity)


def _fitted(image: Image, variant: Variant) -> tuple[Image, float]:
    """The picture at most as wide as the variant, and the scale."""
    scale = min(1.0, variant.width / image.shape[1])
    # area looks best; above a scale of 1/2 linear looks the same and takes a fifth of the time
    return shrunk(image, scale, cv2.INTER_AREA if scale <= 0.5 else cv2.INTER_LINEAR), scale


def has_weights(classified: ClassifiedFrame, variant: Variant) -> bool:
    """Whether the variant can be drawn: weights that cost extra are computed only from the first viewer on."""
    needs = OVERLAYS[variant.overlay].needs
    if needs is None or not needs.costs_extra:
        return True
    drawn = classified.looks or ((classified.prediction,) if classified.prediction is not None else ())
    return bool(drawn) and all(overlay_weights(each, variant.overlay) is not None for each in drawn)
