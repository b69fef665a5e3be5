"""Two real clips of fixed cameras, with following off and on: what is displayed in each second, and the events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from tests.bench.wide_views.play import BEGAN_NS, Mode, Picture, Played, play
from vitcam.frames import Event
from vitcam.model.classifier import Classifier
from vitcam.pictures.opencv import use_one_thread
from vitcam.sources.film import Film
from vitcam_training.data.dataset import data_root, missing_data
from vitcam_training.data.published.looked_at import clips
from vitcam_training.evaluation.clips import RIGHT, SOURCE, Names

FPS = 10.0


@dataclass(frozen=True, slots=True)
class Filmed:
    """What came of one clip."""

    clip: str
    mode: Mode
    seconds: tuple[str, ...]
    """Whether what most of its frames displayed is right, wrong or not sure."""
    events: tuple[tuple[str, bool], ...]
    """What each says, and whether it is right in at least half of the seconds in which it lasted."""
    looks: int


def filmed(modes: Sequence[Mode], model: str, workers: int) -> Iterator[Filmed]:
    """Play both clips. Raises UsageError if they are not there."""
    folder = data_root() / "clips"
    if not folder.is_dir():
        raise missing_data(folder, SOURCE)
    todo = [(folder / name, mode, model) for name in clips() for mode in modes]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(_play, *zip(*todo, strict=True))


def _play(path: Path, mode: Mode, model: str) -> Filmed:
    use_one_thread()
    times: list[float] = []
    played = play(_pictures(path, times), mode, FPS, model)
    things, names = clips()[path.name], Names(Classifier(model, threads=1))
    return Filmed(
        path.name, mode, _seconds(played, times, things, names), _events(played, things, names), len(played.looks)
    )


def _pictures(path: Path, times: list[float]) -> Iterator[Picture]:
    """Ten frames a second of the clip."""
    due_s = 0.0
    with Film(path) as film:
        for shot in film:
            if shot.position_s + 1e-3 < due_s or (picture := shot.picture()) is None:
                continue
            due_s += 1 / FPS
            times.append(shot.position_s)
            yield Picture(shot.position_s, picture)


def _seconds(played: Played, times: Sequence[float], things: Sequence[frozenset[str]], names: Names) -> tuple[str, ...]:
    shown: list[Counter[str | None]] = [Counter() for _ in things]
    for at_s, display in zip(times, played.displays, strict=True):
        if int(at_s) < len(shown):
            shown[int(at_s)][display.shown.label if display.shown else None] += 1
    most = (count.most_common(1)[0][0] if count else None for count in shown)
    return tuple(names.judge(name, may) for name, may in zip(most, things, strict=True))


def _events(played: Played, things: Sequence[frozenset[str]], names: Names) -> tuple[tuple[str, bool], ...]:
    found = []
    for event in played.ended:
        if event.shown.label is not None:
            lasted = things[_second(event.start_ns) : _second(_end_ns(event)) + 1]
            right = sum(names.judge(event.shown.label, may) == RIGHT for may in lasted)
            found.append((event.shown.label, 2 * right >= len(lasted)))
    return tuple(found)


def _end_ns(event: Event) -> int:
    return event.start_ns if event.end_ns is None else event.end_ns


def _second(at_ns: int) -> int:
    return (at_ns - BEGAN_NS) // 10**9
