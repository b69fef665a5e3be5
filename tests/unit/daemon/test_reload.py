"""Every setting that is live reaches the part that uses it, and wrong settings reach none."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import cv2
import numpy as np
import pytest

from tests.refusals import naming
from vitcam.config.load import merge_layers
from vitcam.config.settings import Settings, options
from vitcam.config.tables import ZoneSettings
from vitcam.daemon.assembly import assemble
from vitcam.daemon.configured import ConfiguredOutput
from vitcam.daemon.daemon import Daemon, RunOptions
from vitcam.daemon.reload import Reloader
from vitcam.errors import ConfigError
from vitcam.history.retention import RetentionRules
from vitcam.look.areas import Areas, Zone
from vitcam.model.classifier import Classifier
from vitcam.parts import PARTS
from vitcam.pictures.view import Region
from vitcam.web.given import WebParts
from vitcam.web.server import WebServer

T = TypeVar("T")
LIVE: dict[str, tuple[str, Callable[[Daemon], Any], Any]] = {
    "camera.name": ("Front door", lambda daemon: of_page(daemon).state().name, "Front door"),
    "camera.crop": ("0,0,0.5,1", lambda daemon: of_page(daemon).crop.region, Region(0, 0, 0.5, 1)),
    "camera.masks": ("0,0,0.5,1;0,0,1,0.1", lambda daemon: masks(daemon), (Region(0, 0, 0.5, 1), Region(0, 0, 1, 0.1))),
    "model.fps": ("7", lambda daemon: daemon.pipeline._options.max_fps, 7.0),
    "model.top_k": ("3", lambda daemon: daemon.model.value.classifier.top_k, 3),
    "look.follow": ("motion", lambda daemon: daemon.pipeline.follower.mode, "motion"),
    "look.rest": ("4", lambda daemon: gate(daemon).rest_s, 4.0),
    "motion.threshold": ("9", lambda daemon: gate(daemon).threshold, 9.0),
    "motion.hold_s": ("8", lambda daemon: gate(daemon).hold_s, 8.0),
    "events.half_life_s": ("2", lambda daemon: daemon.publisher.rules.half_life_s, 2.0),
    "events.enter": ("0.7", lambda daemon: daemon.publisher.rules.enter, 0.7),
    "events.leave": ("0.1", lambda daemon: daemon.publisher.rules.leave, 0.1),
    "events.dwell_s": ("4", lambda daemon: daemon.publisher.rules.dwell_s, 4.0),
    "store.keep_days": ("3", lambda daemon: history(daemon).keep_days, 3.0),
    "store.max_mb": ("70", lambda daemon: history(daemon).max_mb, 70.0),
    "events.gap_s": ("6", lambda daemon: daemon.publisher.rules.gap_s, 6.0),
    "web.names": ("cam.example.org", lambda daemon: web(daemon)._names.value, ("cam.example.org",)),
    "overlay.mode": ("grid", lambda daemon: web(daemon)._parts.default.value.overlay, "grid"),
    "overlay.opacity": ("0.9", lambda daemon: web(daemon)._parts.default.value.opacity, 0.9),
    "names.language": ("de", lambda daemon: of_page(daemon).names.in_force.wanted.language, "de"),
    "log.emit": ("all", lambda daemon: console(daemon).every, True),
}
"""A new value, where it must arrive, and as what."""


def gate(daemon: Daemon) -> Any:
    return daemon.pipeline.gate._options  # type: ignore[union-attr]


def history(daemon: Daemon) -> RetentionRules:
    store = of_page(daemon).history
    assert store is not None
    assert store._writer.rules is not None
    return store._writer.rules


def one(daemon: Daemon, kind: type[T]) -> T:
    found = daemon.objects.one(kind)
    assert found is not None
    return found


def console(daemon: Daemon) -> Any:
    return one(daemon, ConfiguredOutput)._console


def masks(daemon: Daemon) -> Any:
    return of_page(daemon).areas.areas.masks


def web(daemon: Daemon) -> WebServer:
    assert daemon.web is not None
    return daemon.web


def of_page(daemon: Daemon) -> WebParts:
    return web(daemon)._parts


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("photo") / "0.png"
    cv2.imwrite(str(path), np.full((28, 28, 3), 128, np.uint8))
    return str(path)


class Run:
    """A run that was assembled and not started, and the texts of `--set` that are read at the next reload."""

    def __init__(self, photo: str) -> None:
        self._fixed = [f"camera.source={photo}", "model.name=mnist", "log.format=json", "web.port=0"]
        self.sets: list[str] = []
        self.zones: tuple[ZoneSettings, ...] = ()
        settings = self.read()
        self.daemon = assemble(
            RunOptions(settings, self.read), {"STATE_DIRECTORY": str(Path(photo).parent)}, patient=False
        )
        self.reload = Reloader(RunOptions(settings, self.read), self.daemon).reload

    def read(self) -> Settings:
        found = merge_layers(None, [*self._fixed, *self.sets], {}, {}, Path("/nonexistent")).settings
        return replace(found, zones=self.zones)


@pytest.fixture
def run(photo: str) -> Iterator[Run]:
    run = Run(photo)
    yield run
    run.daemon.photos.close()
    web(run.daemon).stop(1)


def test_the_settings_that_are_live_are_those_that_are_tried_here() -> None:
    of_parts = {section for part in PARTS for section in part.sections}
    live = {name for name, option in options().items() if option.rule.live and option.section not in of_parts}
    assert live - set(LIVE) == set()


@pytest.mark.parametrize("name", LIVE)
def test_a_new_value_of_a_live_setting_arrives_where_it_is_used(
    run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitcam.daemon.part_options.is_film", lambda _: False)  # the demo never rests
    value, found, expected = LIVE[name]
    run.sets = [f"{name}={value}"]
    if name.startswith("motion."):
        run.sets.insert(0, "look.rest=2")

    note = run.reload()

    assert note == ""
    assert found(run.daemon) == expected


def test_what_is_taken_back_is_as_it_was_before(run: Run) -> None:
    others = {name: found for name, (_, found, _) in LIVE.items() if not name.startswith(("motion.", "look.rest"))}
    before = {name: found(run.daemon) for name, found in others.items()}
    run.sets = [f"{name}={value}" for name, (value, *_) in LIVE.items()]
    run.reload()
    run.sets = []

    run.reload()

    assert {name: found(run.daemon) for name, found in others.items()} == before
    assert run.daemon.pipeline.gate is None


def test_a_gate_that_knows_the_scene_stays_when_other_settings_change(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitcam.daemon.part_options.is_film", lambda _: False)
    run.sets = ["look.rest=4"]
    run.reload()
    before = run.daemon.pipeline.gate
    run.sets = ["look.rest=4", "model.fps=3", "events.enter=0.9"]

    run.reload()

    assert run.daemon.pipeline.gate is before


def test_a_crop_that_was_drawn_on_the_page_survives_a_reload_of_other_settings(run: Run) -> None:
    of_page(run.daemon).crop.replace(Region(0, 0, 0.25, 1))
    run.sets = ["model.fps=3"]

    run.reload()

    assert of_page(run.daemon).crop.region == Region(0, 0, 0.25, 1)


def test_what_was_drawn_on_the_page_survives_a_reload_of_other_settings(run: Run) -> None:
    drawn = Areas((Zone("door", Region(0, 0, 0.5, 1)),), (Region(0, 0, 0.25, 1),))
    of_page(run.daemon).areas.replace(drawn)
    of_page(run.daemon).crop.replace(Region(0, 0, 0.25, 1))
    run.sets = ["model.fps=3"]
    run.reload()
    after = of_page(run.daemon).areas.areas
    run.sets = ["camera.masks=0,0,1,0.1"]
    run.reload()

    assert after == drawn
    assert of_page(run.daemon).areas.areas == Areas(drawn.zones, (Region(0, 0, 1, 0.1),))
    assert of_page(run.daemon).crop.region == Region(0, 0, 0.25, 1)


def test_zones_of_the_configuration_come_and_go_without_a_restart(run: Run) -> None:
    run.zones = (ZoneSettings("door", "0,0,0.5,1", ("cup",), enter=0.7),)
    notes = [run.reload()]
    drawn = of_page(run.daemon).areas.areas.zones
    run.zones = ()
    notes.append(run.reload())

    assert notes == ["", ""]
    assert drawn == (Zone("door", Region(0, 0, 0.5, 1), ("cup",), enter=0.7),)
    assert of_page(run.daemon).areas.areas.zones == ()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [("events.leave=0.9", "leave may be at most enter"), ("overlay.mode=rollout", "the overlay is rollout, but")],
)
def test_one_wrong_setting_keeps_all_of_the_old_ones(
    run: Run, monkeypatch: pytest.MonkeyPatch, wrong: str, why: str
) -> None:
    monkeypatch.setattr(Classifier, "gives", frozenset())
    run.sets = ["model.fps=3", wrong]

    note = run.reload()

    assert note.startswith("the settings stay as they were: ")
    assert why in note
    assert LIVE["model.fps"][1](run.daemon) == 0.0


def test_settings_that_need_a_restart_are_named_and_change_nothing(run: Run) -> None:
    run.sets = ["web.port=9", "model.fps=3", "camera.width=640"]

    notes = [run.reload(), run.reload()]

    assert notes == ["a restart is needed for camera.width and web.port"] * 2
    assert LIVE["model.fps"][1](run.daemon) == 3.0


def test_a_place_of_settings_that_went_away_keeps_the_old_ones(photo: str) -> None:
    run = Run(photo)

    def gone() -> Settings:
        raise ConfigError("config.toml: cannot be read: Stale file handle; name a TOML file that can")

    note = Reloader(RunOptions(run.read(), gone), run.daemon).reload()
    run.daemon.photos.close()
    web(run.daemon).stop(1)

    assert re.match(naming("stay as they were", "config.toml", "Stale file handle"), note)
