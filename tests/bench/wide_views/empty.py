"""Scenes in which nothing happens but weather: events that show nothing, with following off and on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from tests.bench.wide_views.clips import drawn
from tests.bench.wide_views.play import Mode, Picture, play
from tests.bench.wide_views.scenes import scene_of
from tests.bench.wide_views.weather import weather_of
from vitcam.pictures.opencv import use_one_thread

_HEIGHT, _WIDTH = 720, 1280


@dataclass(frozen=True, slots=True)
class Hour:
    """What is watched."""

    kind: str
    number: int
    weather: str
    minutes: float
    fps: float


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of it."""

    hour: Hour
    mode: Mode
    looks: int
    events: tuple[str, ...]
    """What each event says, in their order."""


def watched(hours: Sequence[Hour], modes: Sequence[Mode], model: str, workers: int) -> Iterator[Watched]:
    """Play all of them, in processes of their own."""
    todo = [(hour, mode, model) for hour in hours for mode in modes]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(_watch, *zip(*todo, strict=True))


def _watch(hour: Hour, mode: Mode, model: str) -> Watched:
    use_one_thread()
    played = play(_pictures(hour), mode, hour.fps, model)
    return Watched(hour, mode, len(played.looks), tuple(event.shown.label or "unknown" for event in played.events))


def _pictures(hour: Hour) -> Iterator[Picture]:
    scene = scene_of(hour.kind, hour.number, _HEIGHT, _WIDTH)
    weather = weather_of(hour.weather, hour.number, _HEIGHT, _WIDTH)
    for i in range(round(60 * hour.minutes * hour.fps)):
        t = i / hour.fps
        yield Picture(t, weather.over(drawn(scene, weather, t, swings=False), t))
