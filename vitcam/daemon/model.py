"""Loads the model of a run, makes sure that it answers correctly on this machine, and gives it its threads."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from vitcam.config.settings import ModelSettings
from vitcam.daemon.saved_state.last_model import LastModel
from vitcam.errors import ConfigError, ModelError
from vitcam.model.classifier import Classifier, open_classifier
from vitcam.model.files import DEFAULT, find_model, model_folders

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunModel:
    """The model of a run."""

    classifier: Classifier
    name_or_file: str
    """What finds it again."""
    trouble: str = ""
    """Why it is not the one that was asked for, as one sentence; empty if it is."""


def load_configured_model(
    settings: ModelSettings, named_in: str, last: LastModel | None = None, instead: str = ""
) -> RunModel:
    """Load a model as `load_model` does. One that the configuration names and that cannot be used is a ConfigError.

    named_in  where the configuration names it; empty where it does not
    last      the last model that worked, which runs in place of one that is damaged; None: that is an error, too
    instead   file to load in place of the one that its name finds; empty: that one
    """
    try:
        classifier = load_model(replace(settings, name=instead or settings.name))
    except ModelError as error:
        if last is not None and _is_damaged(settings) and (other := _other_model(settings, last)):
            trouble = f"{error}; until then {other.path} is used"
            log.error("%s", trouble)
            return RunModel(other, str(other.path), trouble)
        if not named_in:
            raise
        raise ConfigError(f"{named_in}: model.name: {error}") from error
    if last is not None:
        last.remember(classifier.path)
    return RunModel(classifier, settings.name)


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


def _other_model(settings: ModelSettings, last: LastModel) -> Classifier | None:
    """The first that works of: the last model that did, another file of the same name, the default."""
    failed = find_model(settings.name).resolve()
    for path in _candidates(settings.name, last):
        if path.is_file() and path.resolve() != failed:
            try:
                return load_model(replace(settings, name=str(path), labels=""))
            except ModelError as error:
                log.warning("%s", error)
    return None


def _candidates(name: str, last: LastModel) -> Iterator[Path]:
    if (path := last.path) is not None:
        yield path
    for each in (name, DEFAULT):
        yield from (folder / f"{each}.tflite" for folder in model_folders())


def load_model(settings: ModelSettings) -> Classifier:
    """Load a model, check its golden images, and say what runs it. Raises ModelError if it answers wrongly."""
    classifier = open_classifier(settings)
    wrong = [result for result in classifier.verify() if not result.ok]
    if wrong:
        first = wrong[0]
        raise ModelError(
            f"{classifier.path} answers {first.name} with {first.answer} instead of {first.right_answer} "
            "on this machine; reinstall vitcam or export the model again"
        )
    runtime = classifier.runtime
    log.info(
        "model %s, %d labels, on %s %s with %d threads, %d delegate partition(s), %d operator(s) outside",
        classifier.card.name, len(classifier.labels), runtime.name, runtime.version,
        runtime.threads, runtime.partitions, runtime.outside,
    )  # fmt: skip
    return classifier


class FewerThreads:
    """Used in one thread. Another number of threads takes an interpreter of its own: 18 MB while it is in use.

    With one thread, a frame of `everyday` takes a quarter less processor time than with two: docs/program/benchmarks.md

    classifier  with all of its threads
    """

    def __init__(self, classifier: Classifier) -> None:
        self._all = self._current = classifier
        self._threads = 0

    def classifier(self, threads: int) -> Classifier:
        """The model with this number of threads; 0: all."""
        if threads != self._threads:
            self._current = self._all.clone(threads) if threads else self._all
            self._threads = threads
        self._current.top_k = self._all.top_k  # a reload may have changed it
        return self._current
