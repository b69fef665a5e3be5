"""What a model displays of two clips of fixed cameras, second by second, and the events that it makes of them.

    python -m vitcam_training.evaluation.clips [MODEL]

The main thing of each second was written down by eye beforehand (`looked_at.py`). Every frame is classified, and
headlines and events are those of the daemon with its default rules. A second displays what most of its frames do. It is
right if that is an accepted thing, one of its kinds, or a group that holds it whole; it is not sure if no name is
displayed. An event is right if its name is right in at least half of the seconds in which it lasts.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.events import Rules
from vitcam.film_events import predictions_of, steps_of
from vitcam.frames import Event, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pipeline.headlines import Headlines
from vitcam.pipeline.place_events import PlaceEvents
from vitcam_training.data.dataset import data_root, missing_data
from vitcam_training.data.published.looked_at import NOTHING, clips

SOURCE = "github.com/intel-iot-devkit/sample-videos"
RIGHT, WRONG, UNSURE = "right", "wrong", "not sure"


@dataclass(frozen=True)
class Measured:
    """What was displayed of one clip."""

    clip: str
    displayed: tuple[str | None, ...]
    """The name of each second; None: not sure."""
    seconds: tuple[str, ...]
    """Whether that is right, wrong or not sure."""
    events: tuple[tuple[str, float, float, bool], ...]
    """Name, start and end in s, and whether it is right."""


class Names:
    """Which names of a model are right where a thing is to be seen."""

    def __init__(self, classifier: Classifier) -> None:
        groups = classifier.groups.members if classifier.groups else {}
        self._held = {label: frozenset({label}) for label in classifier.labels}
        self._held |= {name: frozenset(classifier.labels[i] for i in members) for name, members in groups.items()}

    def judge(self, name: str | None, things: Iterable[str]) -> str:
        """A displayed name, or None, where one of these things is to be seen: right, wrong or not sure."""
        if name is None:
            return RIGHT if NOTHING in things else UNSURE
        shown = self._held[name]
        held = (self._held.get(thing, frozenset()) for thing in things)
        return RIGHT if any(each and (shown <= each or each <= shown) for each in held) else WRONG


def measure(clip: Path, things: tuple[frozenset[str], ...], classifier: Classifier) -> Measured:
    """Replay a clip.

    things  what may be said of each second
    """
    shown: list[Counter[str | None]] = [Counter() for _ in things]
    ended: list[Event] = []
    names = Names(classifier)
    told = PlaceEvents(Rules())
    headlines = Headlines(lambda: told.lasting)

    def watched(predictions: Iterable[Prediction]) -> Iterable[Prediction]:
        for prediction in predictions:
            second = prediction.captured_ns // 10**9
            if second < len(shown):
                shown[second][headlines.add_to(prediction).told.label] += 1
            yield prediction

    for _, events in steps_of(watched(predictions_of(clip, classifier)), told):
        ended += [event for event in events if event.phase == "end" and event.shown.label]
    displayed = tuple(count.most_common(1)[0][0] if count else None for count in shown)
    seconds = tuple(names.judge(name, may) for name, may in zip(displayed, things, strict=True))
    return Measured(clip.name, displayed, seconds, tuple(_judged(event, things, names) for event in ended))


def _judged(event: Event, things: tuple[frozenset[str], ...], names: Names) -> tuple[str, float, float, bool]:
    name = str(event.shown.label)
    start, end = event.start_ns / 1e9, (event.end_ns or event.start_ns) / 1e9
    lasted = things[int(start) : int(end) + 1]
    right = sum(names.judge(name, may) == RIGHT for may in lasted)
    return name, start, end, 2 * right >= len(lasted)


def main() -> int:
    """Print each clip's seconds and events, and whether they are right."""
    options = argparse.ArgumentParser(prog="python -m vitcam_training.evaluation.clips")
    options.add_argument("model", nargs="?", default="everyday")
    options.add_argument("--json", action="store_true")
    o = options.parse_args()
    folder = data_root() / "clips"
    if not folder.is_dir():
        raise missing_data(folder, SOURCE)
    found = [measure(folder / name, things, Classifier(o.model)) for name, things in clips().items()]
    sys.stdout.write(json.dumps([asdict(each) for each in found]) if o.json else "\n".join(map(_told, found)) + "\n")
    return 0


def _told(found: Measured) -> str:
    count = Counter(found.seconds)
    lines = [
        f"{found.clip}: {len(found.seconds)} seconds: " + ", ".join(f"{count[k]} {k}" for k in (RIGHT, WRONG, UNSURE))
    ]
    runs: list[tuple[int, int, str | None, str]] = []
    for second, (name, verdict) in enumerate(zip(found.displayed, found.seconds, strict=True)):
        if runs and runs[-1][2:] == (name, verdict):
            runs[-1] = (runs[-1][0], second, name, verdict)
        else:
            runs.append((second, second, name, verdict))
    lines += [f"  {first:4} to {last:4} s  {verdict:8}  {name or ''}" for first, last, name, verdict in runs]
    lines.append(f"{sum(right for *_, right in found.events)} of {len(found.events)} events are right")
    lines += [f"  {a:6.1f} to {b:6.1f} s  {RIGHT if right else WRONG:8}  {name}" for name, a, b, right in found.events]
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except VitcamError as error:
        sys.exit(str(error))
