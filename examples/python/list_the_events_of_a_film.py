"""List what can be seen in a film, and from when to when.

python examples/python/list_the_events_of_a_film.py film.mp4
"""

import sys
from pathlib import Path

from vitcam import Classifier, Rules, events_of_film


def main(film: str = "vitcam/sources/demo.mp4") -> None:
    """Print a line for each event that has ended; the end of the film ends all."""
    rules = Rules(enter=0.6, dwell_s=0.5)  # it must stay above 60 % for half a second
    for event in events_of_film(Path(film), Classifier("everyday"), rules):
        if event.phase == "end" and event.end_ns is not None:
            print(f"{event.start_ns / 1e9:7.1f} s to {event.end_ns / 1e9:7.1f} s  {event.shown.label or event.label}")


if __name__ == "__main__":
    main(*sys.argv[1:])
