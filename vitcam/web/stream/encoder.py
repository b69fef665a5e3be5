"""Makes pictures off the event loop."""

import asyncio
from concurrent.futures import Executor

from vitcam.frames import ClassifiedFrame
from vitcam.web.stream.picture import Card, draw, encode
from vitcam.web.stream.placeholder import draw_placeholder
from vitcam.web.stream.variant import Variant


class Encoder:
    """One thread is enough, and a bound: encoding never takes more than one core from the model.

    OpenCV releases the interpreter's lock, so that neither the loop nor the classifier waits for it.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.encoded = 0
        """JPEGs made of frames since the start."""

    async def frame(self, shown: ClassifiedFrame, variant: Variant) -> bytes:
        """A frame with its overlay, as JPEG."""
        self.encoded += 1
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, lambda: encode(draw(shown, variant), variant.quality)
        )

    async def card(self, card: Card, variant: Variant) -> bytes:
        """The card that says why there is no picture, as JPEG."""
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, lambda: encode(draw_placeholder(card.title, card.reason, variant.width), variant.quality)
        )
