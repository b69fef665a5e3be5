"""Loads the model of a run, makes sure that it answers correctly on this machine, and remembers that it did."""

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from vitcam.config.settings import ModelSettings
from vitcam.errors import ConfigError, ModelError
from vitcam.model.classifier import Classifier
from vitcam.model.files import DEFAULT, find_model, model_folders
from vitcam.open_model import open_classifier
from vitcam.pictures.opencv import use_one_thread
from vitcam.run_model import RunModel
from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)


class LastModel:
    """The model file that worked at the last start, for a start at which another one is damaged.

    folder  the state folder; None: nothing is remembered
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "model.json") if folder else None

    @property
    def path(self) -> Path | None:
        """Its file; None if none is known."""
        path = self._content().get("path")
        return Path(path) if isinstance(path, str) else None

    def remember(self, path: Path) -> None:
        """This one works. Writes only if it is another one than before, and a disk that is full costs nothing else."""
        if self._file is None or self.path == path.resolve():
            return
        try:
            self._file.write(json.dumps({**self._content(), "path": str(path.resolve())}) + "\n")
        except OSError as error:
            log.warning("%s cannot be written: %s", self._file.path, error.strerror)

    def _content(self) -> dict[str, Any]:
        return (self._file.read_if_good(_parsed) if self._file else None) or {}


class LoadedAhead:
    """Loads and tries a model in a thread of its own while the rest of a daemon is imported. Close it.

    What fails here is done again by the one who takes it, and fails with its reason then.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self._settings = settings
        self._found: Classifier | None = None
        self._thread = threading.Thread(target=self._load, name="load", daemon=True)
        self._thread.start()

    def take(self, settings: ModelSettings) -> Classifier | None:
        """The model, once; None where other settings are wanted, or it failed."""
        self.close()
        found, self._found = self._found, None
        return found if settings == self._settings else None

    def close(self) -> None:
        """Wait for the end: stderr is held back while a model is loaded, and nobody may end in between."""
        self._thread.join()

    def _load(self) -> None:
        use_one_thread()
        with suppress(Exception):
            self._found = _tried(self._settings)


def load_first_model(
    settings: ModelSettings,
    named_in: str,
    last: LastModel | None = None,
    instead: str = "",
    chosen: str = "",
    ahead: LoadedAhead | None = None,
) -> RunModel:
    """The model of a start: the one that was chosen on the page, else the one of the settings.

    named_in  where the configuration names it; empty where it does not
    last      the last model that worked, which runs in place of one that is damaged; None: that is an error, too
    instead   file to load in place of the one that its name finds; empty: that one
    chosen    on the page; empty: none was, or it does not count
    ahead     has loaded the one of the settings already
    raises    ConfigError for a model that the configuration names and that cannot be used, else ModelError
    """
    trouble = ""
    if chosen:
        try:
            return run_model(replace(settings, name=chosen, labels=""))
        except ModelError as error:
            trouble = f"the model {chosen} that was chosen on the page cannot be used: {error}; until then "
    try:
        model = run_model(settings, instead, ahead)
    except ModelError as error:
        if last is not None and _is_damaged(settings) and (other := _other_model(settings, last)):
            model = replace(other, trouble=f"{error}; until then {other.name_or_file} is used")
        elif named_in:
            raise ConfigError(f"{named_in}: model.name: {error}") from error
        else:
            raise
    else:
        if last is not None:
            last.remember(model.classifier.path)
    if trouble:
        model = replace(model, trouble=f"{trouble}{model.name_or_file} is used")
    if model.trouble:
        log.error("%s", model.trouble)
    return model


def run_model(settings: ModelSettings, instead: str = "", ahead: LoadedAhead | None = None) -> RunModel:
    """Load a model as `load_model` does, with what goes with it.

    instead  file to load in place of the one that its name finds; empty: that one
    """
    classifier = load_model(replace(settings, name=instead or settings.name), ahead)
    words = None
    if classifier.card.word_capacity:
        # few models have labels that are words, and these modules take 5 ms of each start
        from vitcam.model.text.live_labels import LiveLabels
        from vitcam.model.text.relabel import destination_of, read_open_vocabulary

        words = LiveLabels(read_open_vocabulary(classifier.path), destination_of(settings.name, classifier.path))
    return RunModel.of(classifier, settings.name, words)


def _is_damaged(settings: ModelSettings) -> bool:
    """Whether the file is there and cannot be used; not a wrong name, nor labels that do not fit to a good model."""
    try:
        find_model(settings.name)
    except ModelError:
        return False
    if not settings.labels:
        return True
    try:
        load_model(replace(settings, labels=""))
    except ModelError:
        return True
    return False


def _other_model(settings: ModelSettings, last: LastModel) -> RunModel | None:
    """The first that works of: the last model that did, another file of the same name, the default."""
    failed = find_model(settings.name).resolve()
    for path in _candidates(settings.name, last):
        if path.is_file() and path.resolve() != failed:
            try:
                return run_model(replace(settings, name=str(path), labels=""))
            except ModelError as error:
                log.warning("%s", error)
    return None


def _candidates(name: str, last: LastModel) -> Iterator[Path]:
    if (path := last.path) is not None:
        yield path
    for each in (name, DEFAULT):
        yield from (folder / f"{each}.tflite" for folder in model_folders())


def load_model(settings: ModelSettings, ahead: LoadedAhead | None = None) -> Classifier:
    """Load a model, check its golden images, and say what runs it. Raises ModelError if it answers wrongly."""
    classifier = (ahead.take(settings) if ahead else None) or _tried(settings)
    runtime = classifier.runtime
    log.info(
        "model %s, %d labels, on %s %s with %d threads, %d delegate partition(s), %d operator(s) outside",
        classifier.card.name, len(classifier.labels), runtime.name, runtime.version,
        runtime.threads, runtime.partitions, runtime.outside,
    )  # fmt: skip
    return classifier


def _tried(settings: ModelSettings) -> Classifier:
    classifier = open_classifier(settings)
    wrong = [result for result in classifier.verify() if not result.same]
    if wrong:
        first = wrong[0]
        raise ModelError(
            f"{classifier.path} answers {first.name} with {first.answer} instead of {first.right_answer} "
            "on this machine; reinstall vitcam or export the model again"
        )
    return classifier


def _parsed(text: str) -> dict[str, Any]:
    """Raises ValueError or TypeError if it is damaged."""
    return dict(**json.loads(text))
