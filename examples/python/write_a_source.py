"""Give vitcam pictures that it has no source for: here a photo that the camera zooms into, again and again.

python examples/python/write_a_source.py
"""

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from vitcam import Frame, LiveCamera, SourceLost, SourceOptions, open_source


class ZoomedPhoto:
    """A live source: an iterator of frames that never ends, at `fps` frames/s. Each shows less of the photo."""

    live = True  # the newest frame wins; False: every frame waits until it was classified

    def __init__(self, photo: str, fps: float = 10.0) -> None:
        self._photo = photo
        self._fps = fps
        self._stopped = False

    def __enter__(self) -> Self:
        """Open what the pictures come from. May raise SourceError."""
        self._stopped = False
        with open_source(self._photo) as frames:
            self._picture = next(iter(frames)).preview  # (H, W, 3) uint8, RGB
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.stop()

    def stop(self) -> None:
        """End the iteration soon. Called from another thread."""
        self._stopped = True

    def __iter__(self) -> Iterator[Frame]:
        """Raise SourceLost where a camera goes away: it is opened again then."""
        options, seq = SourceOptions(), 0
        while not self._stopped:
            edge = 2 * (seq % 40)
            part = self._picture[edge : -edge or None, edge : -edge or None]
            if part.size == 0:
                raise SourceLost(f"{self._photo} is too small to zoom into")
            yield options.frame(part, self._photo, seq, time.monotonic_ns(), 0)
            seq += 1
            time.sleep(1 / self._fps)


def main(photo: str = "models/golden/coffee.jpg", answers: int = 5) -> None:
    """Print some answers."""
    with LiveCamera(ZoomedPhoto(photo)) as camera:
        for answer, _ in zip(camera, range(answers), strict=False):
            print(f"frame {answer.frame.seq}: {answer.prediction.top[0].label}")


if __name__ == "__main__":
    main()
