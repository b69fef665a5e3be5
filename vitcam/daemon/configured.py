"""What of the base takes new settings while it runs, each with what it may have to make anew."""

import logging
from collections.abc import Mapping
from dataclasses import replace

from vitcam.config.compare import Changes
from vitcam.config.settings import Settings
from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.part_options import (
    ConsoleSink,
    check_overlay,
    default_variant,
    follow_of,
    gate_of,
    prints_every,
    trouble_with_names,
)
from vitcam.daemon.saved_state.page_choices import initial_areas, initial_crop
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import VitcamError
from vitcam.look.active_areas import ActiveAreas
from vitcam.names.active import ActiveNames
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.kinds import Configured
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.sources.active_crop import ActiveCrop
from vitcam.web.server import WebServer

log = logging.getLogger(__name__)


class ConfiguredModel(Configured):
    """How the model is asked: how often, at which frames, and for how many labels."""

    def __init__(self, before: Settings, models: RunningModel, model: Current[RunModel], pipeline: Pipeline) -> None:
        self._before = before
        self._models = models
        self._model = model
        self._pipeline = pipeline

    def apply(self, new: Settings) -> None:
        # a new gate knows no picture, so it is made only where its own settings have changed
        same = (new.motion, new.look.rest) == (self._before.motion, self._before.look.rest)
        gate = self._pipeline.gate if same else gate_of(new)
        self._before = self._models.settings = new
        self._model.value.classifier.top_k = new.model.top_k
        self._pipeline.follower.mode = follow_of(new)
        self._pipeline.change(new.model.fps, gate)


class ConfiguredNames(Configured):
    """The names that the configuration gives."""

    def __init__(self, before: Settings, names: ActiveNames, model: Current[RunModel]) -> None:
        self._before = before
        self._names = names
        self._model = model

    def apply(self, new: Settings) -> None:
        changed, self._before = Changes.between(self._before, new).touch("names"), new
        if changed:
            self._names.fix(new.names.wanted)
            if trouble := trouble_with_names(self._names, self._model.value.classifier):
                log.warning("%s", trouble)


class ConfiguredView(Configured):
    """What is looked at: crop, zones and masks. Where the configuration did not change, what was drawn stays."""

    def __init__(
        self, before: Settings, environ: Mapping[str, str], crop: ActiveCrop, areas: ActiveAreas, trials: Trials
    ) -> None:
        self._before = before
        self._environ = environ
        self._crop = crop
        self._areas = areas
        self._trials = trials

    def apply(self, new: Settings) -> None:
        before, self._before = self._before, new
        if new.camera.crop != before.camera.crop:
            self._crop.become(initial_crop(new.camera, self._environ, self._trials))
        other_zones, other_masks = new.zones != before.zones, new.camera.masks != before.camera.masks
        if not (other_zones or other_masks):
            return
        wanted, drawn = initial_areas(new, self._environ, self._trials), self._areas.areas
        areas = wanted.areas
        areas = areas if other_zones else replace(areas, zones=drawn.zones)
        areas = areas if other_masks else replace(areas, masks=drawn.masks)
        try:
            self._areas.become(wanted.with_areas(areas))
        except VitcamError as error:  # the masks are in force, and something holds a picture of before
            log.error("%s", error)


class ConfiguredOutput(Configured):
    """What the console prints, and what viewers get who choose nothing.

    every_by_default  the meaning of `emit = auto`
    web               None: there is no page
    """

    def __init__(
        self,
        before: Settings,
        console: ConsoleSink,
        every_by_default: bool,
        model: Current[RunModel],
        web: WebServer | None,
    ) -> None:
        self._mode = before.overlay.mode
        self._console = console
        self._every_by_default = every_by_default
        self._model = model
        self._web = web

    def check(self, new: Settings) -> None:
        """Raises UsageError for an overlay that the model does not give."""
        model = self._model.value
        if new.overlay.mode != self._mode and not model.trouble:
            check_overlay(new, model.classifier)

    def apply(self, new: Settings) -> None:
        self._mode = new.overlay.mode
        self._console.every = prints_every(new.log, self._every_by_default)
        if self._web is not None:
            self._web.change(default_variant(new, self._model.value.classifier), new.web.names)
