"""Another model for a run: loaded and verified beside the one in use, put in its place between two frames, and kept.

A prediction carries what answered, so no event, headline or stored picture mixes two models.
"""

import logging
import threading
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from vitcam.config.settings import Settings, labels_in
from vitcam.daemon.model import run_model
from vitcam.daemon.part_options import default_variant
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.look.active_areas import ActiveAreas
from vitcam.model.files import find_model, list_models
from vitcam.model.installed import InstalledModels, delete_taught
from vitcam.model.labels import unknown_labels
from vitcam.names.active import ActiveNames
from vitcam.pipeline.pipeline import Pipeline
from vitcam.run.kinds import Watches
from vitcam.run.objects import Objects
from vitcam.run_model import ChosenModel, RunModel, vocabulary_of
from vitcam.slot import Current
from vitcam.web.stream.variant import Variant

log = logging.getLogger(__name__)


class RunningModel:
    """Puts another model in the place of the one in use. Every method blocks, and may take seconds.

    model     the one in use, which every part that asks it reads
    settings  in force; a reload replaces them
    fixed     where the model is named, so that the page cannot choose another one; empty where it can
    objects   of the run, some of which wait for labels
    """

    def __init__(
        self,
        model: Current[RunModel],
        settings: Settings,
        fixed: str,
        *,
        names: ActiveNames,
        areas: ActiveAreas,
        pipeline: Pipeline,
        default: Current[Variant],
        page: PageSettings,
        trials: Trials,
        objects: Objects,
    ) -> None:
        self._model = model
        self.settings = settings
        self.fixed = fixed
        self._names = names
        self._areas = areas
        self._pipeline = pipeline
        self._default = default
        self._page = page
        self._trials = trials
        self._installed = InstalledModels()
        self._objects = objects
        self._before = ""
        self._stamp = _stamp(model.value.name_or_file)
        self._changing = threading.RLock()
        """Held while a model is loaded and tried."""
        self._putting = threading.RLock()
        """Held while all parts get a model. A failed trial takes one back while its change still waits."""

    def record(self) -> dict[str, Any]:
        """For `/api/models`."""
        return {
            "models": [*list_models()],
            "about": [asdict(each) for each in self._installed.all()],
            "name": self._model.value.name_or_file,
            "before": self._before or None,
            "fixed": self.fixed,
        }

    def check(self, name: str) -> ChosenModel:
        """What choosing a model would change. Raises ModelError."""
        with self._changing:
            return self._described(self._load(name))

    def use(self, name: str) -> ChosenModel:
        """Use it from the next frame on, and keep it for the next run once it has answered for one.

        raises  ModelError for one that cannot be used; UsageError where a stage fails with it: the one before is in use
                again then
        """
        with self._changing:
            before, model = self._model.value, self._load(name)
            self.put(model)
            reason = self._trials.keep("model", lambda: self._page.save_model(name), lambda: self._undo(model, before))
            self._remember(before)
            return replace(self._described(model), reason=reason)

    def back(self) -> ChosenModel:
        """Use the one before again. Raises as `use`, and UsageError if there is none."""
        with self._changing:
            if not self._before:
                raise UsageError("this run has used no other model before; choose one of GET /api/models")
            return self.use(self._before)

    def delete(self, name: str) -> None:
        """Delete a model that was taught. Raises ModelError, UsageError and VitcamError; then it stays."""
        with self._changing:
            path = find_model(plain_name(name))
            used = [self._model.value.name_or_file, self._page.model, self.settings.model.name]
            delete_taught(path, "in use" if path.resolve() in map(_file_of, used) else "")
            if name == self._before:
                self._before = ""

    def read_again(self) -> str:
        """Use the model that another process has chosen; returns why it cannot be used, "" if it is.

        A file that was replaced is another model.
        """
        name = self._page.model
        with self._changing:
            before = self._model.value
            is_unsaved = "model" in self._trials.unsaved.reasons
            if self.fixed or not name or is_unsaved or (name == before.name_or_file and _stamp(name) == self._stamp):
                return ""
            try:
                self.put(self._load(name))
            except VitcamError as error:
                return f"the model stays {before.name_or_file}: {error}"
            self._remember(before)
            return ""

    def put(self, model: RunModel) -> None:
        """Every part takes it before its next picture. In any thread."""
        model.classifier.call_by(self._names)
        with self._putting:
            self._default.value = default_variant(self.settings, model.classifier)
            self._model.value, self._stamp = model, _stamp(model.name_or_file)
            self._pipeline.use_model(model.classifier.card.name, model.classifier.input)
        log.info("the model in use is now %s, with %d labels", model.name_or_file, len(model.labels))

    def _undo(self, model: RunModel, before: RunModel) -> None:
        with self._putting:
            if self._model.value is model:
                self.put(before)

    def _remember(self, before: RunModel) -> None:
        """The way back leads to another model, not to an older file of the same one."""
        if before.name_or_file != self._model.value.name_or_file:
            self._before = before.name_or_file

    def _load(self, name: str) -> RunModel:
        return run_model(replace(self.settings.model, name=plain_name(name), labels=""))

    def _described(self, model: RunModel) -> ChosenModel:
        seen = vocabulary_of(Current(model), self._names)
        awaited = (each for one in self._objects.each(Watches) for each in one.watched())
        asked_for = [
            *self._areas.areas.watched_labels,
            *labels_in(self.settings),
            *((each.label, each.who) for each in awaited if each.label),
        ]
        unknown = () if model.words is not None else unknown_labels(dict.fromkeys(asked_for), seen.known)
        return ChosenModel(model.name_or_file, tuple(unknown))


def plain_name(name: str) -> str:
    """A name that is no file: who may change the page may not read or delete any file. Raises UsageError."""
    if "/" in name or name.endswith(".tflite"):
        raise UsageError(f"{name!r} is a file; give the name of an installed model, as GET /api/models lists them")
    return name


def _file_of(name: str) -> Path | None:
    try:
        return find_model(name).resolve()
    except ModelError:
        return None


def _stamp(name: str) -> tuple[int, int] | None:
    """When the file of a model was written, and its size: another one after it was replaced; None without a file."""
    try:
        found = find_model(name).stat()
    except (ModelError, OSError):
        return None
    return found.st_mtime_ns, found.st_size
