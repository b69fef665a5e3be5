"""Pictures that FFmpeg has kept while it analysed a stream are old."""

import pytest

from vitcam.sources.rtsp import child

FPS = 25.0
QUEUED_S = 0.0
LATE_S = 0.03
"""Longer than half the time from one picture to the next."""


class Stream(child.Camera):
    """A camera and its clock: each grab takes its time; the stream then ends."""

    def __init__(self, takes_s: list[float]) -> None:
        self._takes_s = iter(takes_s)
        self._now_s = 1000.0
        self.grabbed = 0
        self.fps = FPS

    def monotonic(self) -> float:
        return self._now_s

    def grab(self) -> bool:
        takes_s = next(self._takes_s, None)
        if takes_s is None:
            return False
        self._now_s += takes_s
        self.grabbed += 1
        return True


@pytest.mark.parametrize(
    ("takes_s", "skipped"),
    [
        ([LATE_S] * 5, 2),
        ([QUEUED_S] * 10 + [LATE_S] * 5, 12),
        ([QUEUED_S] * 4 + [LATE_S] + [QUEUED_S] * 4 + [LATE_S] * 5, 11),
        ([QUEUED_S] * 4, 4),
    ],
    ids=["nothing queued", "ten queued", "one of those queued decoded late", "ended"],
)
def test_pictures_are_skipped_until_two_in_a_row_had_to_be_waited_for(
    takes_s: list[float], skipped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Stream(takes_s)
    monkeypatch.setattr(child, "time", stream)
    child.skip_queued(stream)

    assert stream.grabbed == skipped
