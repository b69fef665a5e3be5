"""Copies what was captured into a buffer that the daemon reads. Runs in the camera's process only."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.view import UPRIGHT, Orientation
from vitcam.rects import Rect
from vitcam.sources.picamera.details import parts_of, write_detail
from vitcam.sources.picamera.messages import CameraConfig, DetailCut, Ready
from vitcam.sources.picamera.streams import Streams, copy_model_input, copy_preview, to_rgb
from vitcam.sources.transform import reorient, reorient_rect


@dataclass(frozen=True, slots=True)
class Copying:
    """How the streams of a request become the pictures of a buffer."""

    streams: Streams
    config: CameraConfig
    ready: Ready
    orientation: Orientation
    """What the camera has not flipped."""

    def copy(self, request: Any, buffer: NDArray[np.uint8], rects: Iterable[Rect]) -> tuple[DetailCut, ...]:
        """Write preview, model input and details.

        request  a CompletedRequest of picamera2
        buffer   (n,) uint8: a part of the shared memory, where they go
        rects    what is followed, in px of the preview
        returns  the details that were written
        """
        preview, model_input = self.ready.pictures(buffer)
        self._copy_pictures(request, preview, model_input)
        return self._copy_details(request, buffer, rects) if self.ready.room else ()

    def copy_small(self, request: Any, buffer: NDArray[np.uint8]) -> None:
        """Write the whole picture as the scaler has made it small, and nothing else.

        request  a CompletedRequest of picamera2
        buffer   (n,) uint8: a part of the shared memory, where it goes
        """
        from picamera2 import MappedArray

        if self.streams.small is None:
            return
        small = self.ready.small(buffer)
        with MappedArray(request, self.streams.small.name, write=False) as mapped:
            np.copyto(small, to_rgb(mapped.array, self.streams.small))
        self._flip(small)

    def _copy_pictures(self, request: Any, preview: Image, model_input: Image | None) -> None:
        from picamera2 import MappedArray

        streams, spec = self.streams, self.config.input
        with MappedArray(request, streams.preview.name, write=False) as mapped:
            copy_preview(mapped.array, streams.preview, preview)
        self._flip(preview)
        if model_input is not None and streams.small is not None and spec is not None:
            with MappedArray(request, streams.small.name, write=False) as mapped:
                copy_model_input(mapped.array, streams.small, spec, model_input)
            self._flip(model_input)

    def _copy_details(self, request: Any, buffer: NDArray[np.uint8], rects: Iterable[Rect]) -> tuple[DetailCut, ...]:
        from picamera2 import MappedArray

        streams, ready = self.streams, self.ready
        if streams.large is None:
            return ()
        as_taken = [reorient_rect(self.orientation, rect, ready.height, ready.width) for rect in rects]
        parts = list(parts_of(as_taken, streams.preview, streams.large, ready.room))
        if not parts:
            return ()
        details = ready.details(buffer, [part.cut for part in parts])
        with MappedArray(request, streams.large.name, write=False) as mapped:
            for part, detail in zip(parts, details, strict=True):
                write_detail(mapped.array, streams.large, part, detail)
                self._flip(detail)
        return tuple(self._flipped(part.cut) for part in parts)

    def _flip(self, picture: Image) -> None:
        if self.orientation != UPRIGHT:
            np.copyto(picture, reorient(self.orientation, picture))

    def _flipped(self, cut: DetailCut) -> DetailCut:
        rect = reorient_rect(self.orientation, cut.rect, self.ready.height, self.ready.width)
        return cut._replace(x=rect.x, y=rect.y)
