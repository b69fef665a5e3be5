"""Whether the caption over the live picture says what the newest look says, how often it is right, and how calm it is.

python -m tests.bench.caption [--seconds 200] [--source demo --source CLIP …]

For each source a daemon of this checkout plays it in a loop, as fast as a camera would, and a headless Chromium shows
the page. In it the caption is read every 100 ms, while another client reads `/api/predictions`. Without a source: the
demo, and both clips of fixed cameras of the data set.

The caption is wrong where it names something that neither the newest look older than 0.3 s nor one after it is given,
and where it has been dimmed for more than 0.5 s. It may be the look of any place: the whole view, or what is followed.
"""

import argparse
import json
import tempfile
import threading
import time
import urllib.request
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from tests.daemon import daemon
from tests.eventually import eventually
from tests.integration.web.browser import open_browser
from vitcam.model.classifier import Classifier
from vitcam.sources.demo import CLIP
from vitcam.sources.film import Film
from vitcam_training.data.dataset import data_root
from vitcam_training.data.published.looked_at import clips
from vitcam_training.evaluation.clips import RIGHT, Names

_LATE_S, _DIMMED_S = 0.3, 0.5
_GONE_S = 2.0  # a place without a newer look is not displayed any more
_DEMO = (  # s from which on a thing is seen; where one fades into the next, either may be named
    (0.0, ("espresso", "cup")), (3.3, ("espresso", "cup", "person")), (3.7, ("person",)), (6.8, ("person", "dog")),
    (7.1, ("dog",)), (10.4, ("dog", "cat")), (10.8, ("cat",)), (14.4, ("cat", "bird")), (14.8, ("bird",)),
    (17.7, ("bird", "cat")), (18.1, ("cat",)), (21.7, ("cat", "espresso", "cup")),
)  # fmt: skip
_READ = """
  window.samples = [];
  setInterval(() => {
    const caption = document.getElementById("caption");
    const {opacity, display, visibility} = getComputedStyle(caption);
    window.samples.push({at: Date.now() / 1000, text: caption.textContent, dimmed: opacity < 1,
      shown: display !== "none" && visibility === "visible", seq: caption.dataset.seq, label: caption.dataset.label});
  }, 100);
"""


@dataclass(frozen=True)
class Look:
    """What came of one look, when it came."""

    at_s: float
    seq: int
    place: tuple[str | None, int | None]
    names: frozenset[str]
    """What it may be called; empty: it has no name."""


@dataclass(frozen=True)
class Sample:
    """The caption at one time."""

    at_s: float
    name: str
    """Empty: it names nothing."""
    dimmed: bool


@dataclass(frozen=True)
class Figures:
    """Of one source."""

    seconds: float
    looks: int
    wrong: float
    """Part of the time in which the caption is wrong."""
    right: float
    """Part of the time in which a name stands there that is right."""
    named: float
    dimmed: float
    changes: float
    """A minute, of what is said, also to and from no name."""
    renamed: float
    """A minute, from one name to another one, whatever was between them."""

    def row(self) -> str:
        shares = " | ".join(f"{100 * each:.1f} %" for each in (self.wrong, self.right, self.named, self.dimmed))
        return f"{self.seconds:.0f} | {self.looks} | {shares} | {self.changes:.1f} | {self.renamed:.1f}"


class _Follower:
    """Reads every prediction in a thread of its own."""

    def __init__(self, url: str) -> None:
        self.looks: list[Look] = []
        self._answer = urllib.request.urlopen(f"{url}/api/predictions", timeout=60)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        kind = ""
        try:
            for line in self._answer:
                if line.startswith(b"event: "):
                    kind = line[7:].strip().decode()
                elif kind == "prediction" and line.startswith(b"data: "):
                    self.looks.append(_look(json.loads(line[6:])))
        except (OSError, ValueError, AttributeError):  # it was closed
            return

    def close(self) -> None:
        self._answer.close()


def _look(record: dict[str, Any]) -> Look:
    shown = record["shown"]
    names = frozenset(filter(None, (shown["label"], shown["label"] and shown.get("kind"))))
    return Look(time.time(), record["seq"], (record["zone"], record["track"]), names)


def measure(source: str, seconds: float, truth: Sequence[tuple[float, tuple[str, ...]]], clip: Path) -> Figures:
    """Play a source, and read the caption meanwhile."""
    with (
        tempfile.TemporaryDirectory() as folder,
        daemon("--source", source, "--loop", STATE_DIRECTORY=folder) as running,
        open_browser(Path(folder) / "profile", look="simple") as chrome,
    ):
        running.wait_for("ok")
        unnamed = tuple(_unnamed(running.url))
        chrome.get(running.url)
        assert eventually(lambda: chrome.execute_script("return document.getElementById('caption').textContent"))
        follower = _Follower(running.url)
        time.sleep(3)
        chrome.execute_script(_READ)
        time.sleep(seconds)
        read = chrome.execute_script("return window.samples")
        follower.close()
    samples = [
        Sample(each["at"], "" if each["text"].startswith(unnamed) else each["text"], each["dimmed"])
        for each in read
        if each["shown"]
    ]
    return figures(samples, follower.looks, truth, clip)


def _unnamed(url: str) -> Iterator[str]:
    """How captions without a name begin."""
    with urllib.request.urlopen(f"{url}/page/language/en.json") as answer:
        words = json.load(answer)
    yield from (words[key].split("{")[0].rstrip(": ") for key in ("answer.not_sure", "answer.nothing"))


def figures(
    samples: Sequence[Sample], looks: Sequence[Look], truth: Sequence[tuple[float, tuple[str, ...]]], clip: Path
) -> Figures:
    """What samples and looks come to."""
    names, (frames, fps) = Names(Classifier("everyday", threads=1)), _length(clip)
    times = [look.at_s for look in looks]
    starts = [start for start, _ in truth]
    wrong = right = 0
    since_s: float | None = None
    for sample in samples:
        since_s = (sample.at_s if since_s is None else since_s) if sample.dimmed else None
        too_long = since_s is not None and sample.at_s - since_s > _DIMMED_S
        known = bisect_right(times, sample.at_s)
        wrong += too_long or (
            bool(sample.name) and not sample.dimmed and sample.name not in _given(looks[:known], sample.at_s)
        )
        if known and sample.name:
            position_s = looks[known - 1].seq % frames / fps
            things = truth[max(0, bisect_right(starts, position_s) - 1)][1]
            right += _judge(names, sample.name, things) == RIGHT
    lasted_s = samples[-1].at_s - samples[0].at_s
    said = [name for name, _ in groupby(sample.name for sample in samples)]
    named = [name for name, _ in groupby(filter(None, said))]
    whole = len(samples)
    return Figures(
        lasted_s, sum(samples[0].at_s <= look.at_s <= samples[-1].at_s for look in looks), wrong / whole, right / whole,
        sum(bool(each.name) for each in samples) / whole, sum(each.dimmed for each in samples) / whole,
        60 * (len(said) - 1) / lasted_s, 60 * sum(1 for _ in pairwise(named)) / lasted_s,
    )  # fmt: skip


def _given(looks: Sequence[Look], now_s: float) -> frozenset[str]:
    """Every name that the newest look of some place older than 0.3 s is given, or one after it."""
    found: frozenset[str] = frozenset()
    done: set[tuple[str | None, int | None]] = set()
    for look in reversed(looks):
        if now_s - look.at_s > _GONE_S and done:
            break
        if look.place not in done:
            found |= look.names
        if now_s - look.at_s >= _LATE_S:
            done.add(look.place)
    return found


def _judge(names: Names, name: str, things: Sequence[str]) -> str:
    try:
        return names.judge(name, things)
    except KeyError:  # a name that the model has not
        return RIGHT if name in things else ""


def _length(clip: Path) -> tuple[int, float]:
    """How many frames a clip has, and how many of them pass in a second."""
    with Film(clip) as film:
        positions = [shot.position_s for shot in film]
    return len(positions), (len(positions) - 1) / (positions[-1] - positions[0])


def main() -> None:
    """Print a row for each source."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.caption")
    options.add_argument("--seconds", type=float, default=200)
    options.add_argument("--source", action="append")
    o = options.parse_args()
    seen = clips()
    print("| source | s | looks | wrong | right | named | dimmed | changes/min | renamed/min |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for source in o.source or ("demo", *(str(data_root() / "clips" / name) for name in seen)):
        clip = CLIP if source == "demo" else Path(source)
        of_clip = [(float(at), tuple(things)) for at, things in enumerate(seen.get(clip.name, ()))]
        found = measure(source, o.seconds, _DEMO if source == "demo" else of_clip or [(0.0, ())], clip)
        print(f"| {clip.name} | {found.row()} |", flush=True)


if __name__ == "__main__":
    main()
