"""Starts without what earlier runs remembered, where starts with it keep failing; nothing of it is lost.

A start counts as failed until a picture was classified, the run was ended in good order, or two minutes have passed. So
crashes count, and a watchdog that ends the process. A port in use and a missing camera do not. Within a run the first
attempts of its stages count likewise.
Masks are never set aside: a start without them would show what they hide.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from vitcam.config.on_page import ON_PAGE
from vitcam.config.settings import Settings, harmless_sections
from vitcam.daemon.saved_state.aside_file import AsideFile, PageChoices
from vitcam.daemon.saved_state.page_choices import SavedAreas, SavedCrop
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.daemon.saved_state.trials import Trials
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import state_folder
from vitcam.look.active_areas import ActiveAreas
from vitcam.model.files import model_folders
from vitcam.redaction import redacted
from vitcam.sentence import Sentence
from vitcam.sources import is_camera
from vitcam.sources.active_crop import ActiveCrop
from vitcam.storage.files import write_atomically
from vitcam.storage.reading import read_text

log = logging.getLogger(__name__)

MOST_FAILED = 3
_ATTEMPTS = Sentence(f"the first {MOST_FAILED} attempts failed", "aside.attempts", n=MOST_FAILED)
SETTLED_S = 120.0
_MOST_BYTES = 4096  # of the number of starts


def _starts(failed: int) -> Sentence:
    return Sentence(f"the last {failed} starts ended without a picture", "aside.starts", n=failed)


class SetAside:
    """What starts failed with, and how many did. Any thread may call it once `begin` has returned.

    folder  the state folder; None: nothing is remembered
    source  the camera
    model   the model's name
    fixed   what the configuration sets, so that nothing remembered is in force: `crop`, `zones`, `model`
    """

    def __init__(self, folder: Path | None, source: str, model: str, fixed: frozenset[str] = frozenset()) -> None:
        self._folder = folder
        self._source = source
        self._model = model
        self._fixed = fixed
        self._file = AsideFile(folder, source)
        self._crop, self._areas = SavedCrop(folder, source), SavedAreas(folder, source)
        self._page = PageSettings(folder)
        self._in_force = ActiveCrop(), ActiveAreas()
        self._read_settings: Callable[[], None] = lambda: None
        self._is_counting = False
        self.set_aside, reason = self._file.load()
        self.reason = {str(each): each for each in (_starts(MOST_FAILED), _ATTEMPTS)}.get(reason, reason)

    @classmethod
    def of(cls, settings: Settings, environ: Mapping[str, str], model_fixed: str = "") -> "SetAside":
        """Of the camera of a run; nothing is remembered for files.

        model_fixed  where the model is named; empty where the page may choose it
        """
        source = settings.camera.source
        folder = state_folder(environ) if is_camera(source) else None
        fixed = {"crop"} if settings.camera.crop else set()
        fixed |= {"zones"} if settings.zones else set()
        fixed |= {"model"} if model_fixed else set()
        return cls(folder, redacted(source) or "auto", settings.model.name, frozenset(fixed))

    def begin(self) -> None:
        """A start begins. Where too many in a row have failed with what is remembered, set that aside."""
        if self._folder is None:
            return
        found = self._found()
        if not found.names:
            return
        failed = self._failed()
        if failed >= MOST_FAILED and self._put_aside(found, _starts(failed)):
            self._starts.unlink(missing_ok=True)
        else:
            self._count(failed + 1)

    def follow(self, trials: Trials, failed: int = 0) -> None:
        """Look after the first attempts of this start: where they keep failing, set aside what is in force.

        failed  how many have
        """

        def over(done: "Future[str]") -> None:
            error = done.exception()
            if error is not None and failed + 1 < MOST_FAILED:
                self.follow(trials, failed + 1)
            elif error is not None:
                self._give_up(_ATTEMPTS)

        trials.begin("start", self.settled).add_done_callback(over)

    def _give_up(self, reason: str) -> None:
        crop, areas = self._in_force
        found = replace(self._found(), model="", chosen="")  # it is loaded already
        if found.names and self._put_aside(found, reason):
            if found.crop is not None:
                crop.become(crop.with_region(None))
            if found.zones:
                areas.become(areas.with_areas(replace(areas.areas, zones=())))
            if found.settings:
                self._read_settings()

    @contextmanager
    def exempt(self) -> Iterator[None]:
        """What is refused within has nothing to do with what is remembered, so the start does not count as failed."""
        try:
            yield
        except VitcamError:
            self.settled()
            raise

    def settled(self) -> str:
        """This start did not fail."""
        if self._is_counting and self._folder is not None:
            self._is_counting = False
            with suppress(OSError):
                self._starts.unlink()
        return ""

    @property
    def model(self) -> str:
        """The model to load in place of one whose words are set aside; empty: the usual one."""
        if not self.set_aside.model:
            return ""
        return next((str(path) for path in self._models() if str(path) != self.set_aside.model), "")

    def record(self) -> dict[str, Any] | None:
        """For `/api/state`; None if nothing is set aside."""
        return {"what": self.set_aside.names, "reason": self.reason} if self.set_aside.names else None

    def offer(self, crop: ActiveCrop, areas: ActiveAreas, read_settings: Callable[[], None] = lambda: None) -> None:
        """Where it can be put in force again. `read_settings` takes over the settings that are kept then."""
        self._in_force, self._read_settings = (crop, areas), read_settings

    def refuse_settings(self, reason: str) -> bool:
        """Set aside what was set on the page, since a start with it failed; False if there is nothing, or it cannot."""
        found = PageChoices(settings=_risky(self._page, and_camera=True))
        return bool(found.settings) and self._put_aside(found, reason)

    def use(self) -> str:
        """Put it in force again; words and a model are used from the next start on.

        returns  why it is not kept, "" if it is
        raises   UsageError where it does not work; it stays aside then
        """
        (crop, areas), reasons = self._in_force, list[str]()
        if self.set_aside.zones:
            reasons.append(areas.replace(replace(areas.areas, zones=self.set_aside.zones)))
        if self.set_aside.crop is not None:
            reasons.append(crop.replace(self.set_aside.crop))
        if self.set_aside.chosen:
            reasons.append(self._page.save_model(self.set_aside.chosen))
        if self.set_aside.settings:
            reasons.append(self._save_settings({**self._page.layer.values, **self.set_aside.settings}))
            self._read_settings()
        if not any(reasons):  # else it may not be there at the next start
            self.forget()
        return "; ".join(filter(None, reasons))

    def _save_settings(self, values: Mapping[str, Any]) -> str:
        return self._page.save_settings(replace(self._page.layer, values=values))

    def forget(self) -> None:
        """Nothing is set aside any more. Raises UsageError if that cannot be kept."""
        self._write(PageChoices(), "")

    @property
    def _starts(self) -> Path:
        return (self._folder or Path()) / "starts.json"

    def _found(self) -> PageChoices:
        """What is remembered and would be in force."""
        crop = None if "crop" in self._fixed else self._crop.load()
        zones = () if "zones" in self._fixed else self._areas.load()[0].zones
        chosen = "" if "model" in self._fixed else self._page.model
        words = "" if self.set_aside.model else self._changed_model()
        return PageChoices(crop, zones, words, chosen, _risky(self._page))

    def _put_aside(self, found: PageChoices, reason: str) -> bool:
        """False if it cannot be kept: then it stays in force."""
        before = self.set_aside
        both = PageChoices(
            found.crop or before.crop,
            found.zones or before.zones,
            found.model or before.model,
            found.chosen or before.chosen,
            {**before.settings, **found.settings},
        )
        try:
            self._write(both, reason)
        except UsageError as error:
            log.error("%s", error)
            return False
        if found.crop is not None:
            self._crop.save(None)
        if found.chosen:
            self._page.save_model("")
        if found.settings:
            kept = {name: value for name, value in self._page.layer.values.items() if name not in found.settings}
            self._save_settings(kept)
        areas, unknown = self._areas.load()
        if found.zones and not unknown:
            self._areas.save(replace(areas, zones=()))
        what = " and ".join(found.names)
        log.warning(
            "%s, so this run does without the %s of earlier runs; the page offers to use it again", reason, what
        )
        return True

    def _write(self, found: PageChoices, reason: str) -> None:
        """Raises UsageError."""
        self._file.save(found, reason)
        self.set_aside, self.reason = found, reason

    def _failed(self) -> int:
        try:
            return max(0, int(json.loads(read_text(self._starts, _MOST_BYTES))["failed"]))
        except (OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
            return 0

    def _count(self, failed: int) -> None:
        try:
            write_atomically(self._starts, json.dumps({"failed": failed}) + "\n")
            self._is_counting = True
        except OSError as error:
            log.warning("%s cannot be written: %s", self._starts, error.strerror)

    def _models(self) -> list[Path]:
        found = (folder / f"{self._model}.tflite" for folder in model_folders())
        return [path for path in found if path.is_file()]

    def _changed_model(self) -> str:
        """The model with other words, where another one of that name was installed, too."""
        models = self._models()
        if len(models) < 2 or models[0].parent != model_folders()[0]:
            return ""
        from vitcam.model.text.relabel import read_open_vocabulary  # few folders have two files of a model

        try:
            read_open_vocabulary(models[0])
        except UsageError:  # its labels cannot be changed: somebody put it there
            return ""
        return str(models[0])


def _risky(page: PageSettings, and_camera: bool = False) -> dict[str, Any]:
    """What was set on the page and may make a start fail.

    and_camera  the camera, too; without it another one is opened, which may have no masks
    """
    risky = {name for name in ON_PAGE if name.partition(".")[0] not in harmless_sections()}
    risky -= set() if and_camera else {"camera.source"}
    return {name: value for name, value in page.layer.values.items() if name in risky}
