"""Get every prediction and every event of a camera, as vitcam's own outputs do: here, what was there for how long.

python examples/python/write_a_sink.py /dev/video0
"""

import sys
import time
from collections import Counter

from vitcam import Event, LiveCamera, Prediction, Rules, Summary, Unreadable


class TimeSpent:
    """Sums up how long each thing was to be seen. All methods but `serving` are called in order, in one thread."""

    def __init__(self) -> None:
        self.predictions = 0
        self.seconds: Counter[str] = Counter()

    def serving(self, url: str) -> None:
        """The page can be watched there: never called without a page."""

    def prediction(self, prediction: Prediction, changed: bool) -> None:
        """One frame was classified. An OSError that is raised here reaches who asks the camera."""
        self.predictions += 1

    def event(self, event: Event) -> None:
        """Something is new, lasts (`update`) or is over (`end`)."""
        if event.phase == "end" and event.end_ns is not None:
            self.seconds[event.shown.label or event.label] += round((event.end_ns - event.start_ns) / 1e9)

    def unreadable(self, bad: Unreadable) -> None:
        """A file was skipped."""

    def close(self, summary: Summary | None) -> None:
        """Nothing more will come: all events have ended."""
        print(f"{self.predictions} pictures")
        for label, seconds in self.seconds.most_common():
            print(f"{seconds:5} s  {label}")


def main(source: str = "demo", for_s: float = 5.0) -> None:
    """Watch for some seconds, then print what was seen."""
    until_s = time.monotonic() + for_s
    with LiveCamera(source, sinks=[TimeSpent()], rules=Rules(dwell_s=0.2)) as camera:
        for _ in camera:
            if time.monotonic() > until_s:
                break


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "demo")
