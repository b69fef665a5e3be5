"""Asks second models while a camera runs: once a second for each place at most, in the thread that classifies.

There, an answer goes with the picture that it is about, and a film gives the same answers every time. Of a camera's
time all second looks together take a small share, however slow the machine is and however many things are followed. A
second model that fails costs its answer.
"""

import logging
import queue
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vitcam.config.settings import Settings
from vitcam.daemon.run import Run
from vitcam.errors import ModelError, VitcamError
from vitcam.frames import Frame, Place, Prediction, SecondAnswer
from vitcam.meters import LatencyMeter
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model
from vitcam.names.vocabulary import Meanings, means_name
from vitcam.parts.second import LOADS
from vitcam.parts.second.answers import Sayable, SecondModel
from vitcam.parts.second.lists import read_list, read_names
from vitcam.parts.second.settings import SecondRule, SpeciesSettings
from vitcam.parts.second.state import SecondState
from vitcam.run.ending import Ending
from vitcam.run.kinds import Configured, Reports, Runs, Specifies
from vitcam.storage.files import Stamp, stamp_of
from vitcam.threads.worker import Worker

log = logging.getLogger(__name__)

_EVERY_NS = 1_000_000_000
_HELD_NS = 10_000_000_000  # for this time an answer holds where there is no time for another one
_SHARE = 0.025  # of the time, so that at least 97 % of the frames/s are left
_MOST_PLACES = 64
_TURN_S = 5.0
_AGAIN_S = 60.0  # from one attempt to the next with what could not be read: opening a model takes a while


@dataclass(frozen=True, slots=True)
class _LastAnswer:
    rule: SecondRule
    at_ns: int
    answer: SecondAnswer | None
    """None: the model failed."""


class SecondLook(Specifies, Runs, Configured, Reports):
    """Of one run.

    meanings  by which texts labels and groups may be named
    threads   that a model may use
    is_live   whether frames come by themselves; False: every look is taken that is due
    """

    def __init__(self, settings: Settings, meanings: Meanings, threads: int, is_live: bool = False) -> None:
        self._meanings = meanings
        self._threads = threads
        self._is_live = is_live
        self._free_ns = 0
        """Capture time from which on there is time for another look."""
        self._asked: dict[Place, _LastAnswer] = {}
        self._ready: tuple[tuple[SecondRule, SecondModel], ...] = ()
        """Replaced as a whole."""
        self._again_s = 0.0
        """When what could not be read is tried again."""
        self._unready: tuple[str, ...] = ()
        """Why rules have no model, as sentences."""
        self._unknown: tuple[str, ...] = ()
        """What of a list of species no model knows, as sentences."""
        self._failed: dict[str, str] = {}
        """Name of a model -> why its last answer failed. Replaced as a whole."""
        self._classifiers: dict[tuple[str, Stamp], Classifier] = {}
        """Of each model, and of its file as it was read."""
        self._ms = LatencyMeter()
        self._count = self._named = 0
        self._new: queue.SimpleQueue[Settings | None] = queue.SimpleQueue()
        self._worker = Worker("second", self._run, LOADS)
        self.load(settings)

    def load(self, settings: Settings) -> None:
        """Make models ready as the settings ask for them. What cannot be used costs its answers alone."""
        self._settings, self._files = settings, _files(settings)
        species, rules = settings[SpeciesSettings], _rules(settings)
        known, self._classifiers, ready, troubles = self._classifiers, {}, [], list[str]()
        before = {file[0]: (file, classifier) for file, classifier in known.items()}
        try:
            sayable = _sayable(species) if rules else Sayable()
        except VitcamError as error:
            sayable, rules, troubles = Sayable(), (), [f"no second model is asked: {error}"]
        for rule in rules:
            file = rule.model, self._files[rule.model]
            try:
                classifier = self._classifiers.get(file) or known.get(file) or self._open(rule.model)
            except VitcamError as error:
                if rule.model not in before:
                    troubles.append(f"nothing more is said of {rule.when}: {error}")
                    continue
                troubles.append(f"the second model {rule.model} is still the one before: {error}")
                file, classifier = before[rule.model]
            self._classifiers[file] = classifier
            ready.append((rule, SecondModel(rule.model, classifier, rule.above, sayable)))
        said, was_ready = {*self._unready, *self._unknown}, bool(self._ready)
        self._ready, self._unready, self._failed = tuple(ready), tuple(dict.fromkeys(troubles)), {}
        self._unknown = tuple(_unknown(ready))
        self._again_s = time.monotonic() + _AGAIN_S
        for sentence in (*self._unready, *self._unknown):
            if sentence not in said:
                log.warning("%s", sentence)
        if ready and not (was_ready and self._unready):
            log.info("second models: %s", ", ".join(f"{rule.model} at {rule.when}" for rule, _ in ready))

    def specify(self, frame: Frame, prediction: Prediction) -> SecondAnswer | None:
        if not self._ready:
            return None
        label = prediction.shown.label
        if label is None or prediction.at_rest:
            return None
        found = next((each for each in self._ready if means_name(each[0].when, label, self._meanings)), None)
        if found is None:
            return None
        rule, model = found
        before, now_ns = self._asked.get(prediction.place), prediction.captured_ns
        since_ns = now_ns - before.at_ns if before is not None else _HELD_NS
        waits = self._is_live and now_ns < self._free_ns
        if before is not None and 0 <= since_ns < (_HELD_NS if waits else _EVERY_NS):
            return before.answer if before.rule is rule else None  # names may take turns in each frame
        if waits:
            return None
        answer = self._ask(model, frame, prediction)
        if prediction.place not in self._asked and len(self._asked) >= _MOST_PLACES:
            del self._asked[min(self._asked, key=lambda place: self._asked[place].at_ns)]
        self._asked[prediction.place] = _LastAnswer(rule, now_ns, answer)
        return answer

    def _ask(self, model: SecondModel, frame: Frame, prediction: Prediction) -> SecondAnswer | None:
        begun_ns = time.perf_counter_ns()
        try:
            answer = model.ask(frame, prediction.crop)
        except Exception as error:  # noqa: BLE001 - it costs its answer, and no frame
            reason = str(error) or type(error).__name__
            if self._failed.get(model.name) != reason:
                log.warning("the second model %s fails: %s", model.name, reason)
            self._failed = self._failed | {model.name: reason}
            return None
        took_ns = time.perf_counter_ns() - begun_ns
        self._ms.add(took_ns / 1e6)
        self._free_ns = prediction.captured_ns + round(took_ns / _SHARE)
        self._count += 1
        self._named += answer.label is not None
        if model.name in self._failed:
            self._failed = {name: reason for name, reason in self._failed.items() if name != model.name}
        return answer

    def apply(self, new: Settings) -> None:
        self._new.put(new)
        self._worker.start()

    @property
    def workers(self) -> tuple[Worker, ...]:
        return (self._worker,)

    def start(self) -> None:
        """Its thread begins where a second model is asked for, else with a change of the settings."""
        if _rules(self._settings):
            self._worker.start()

    def stop(self, ending: Ending) -> None:
        self._worker.stop()
        self._new.put(None)

    def _run(self) -> None:
        while True:
            self._worker.beat()
            try:
                new = self._new.get(timeout=_TURN_S)
            except queue.Empty:
                new = self._settings  # its models may have been taught or fetched anew
            if new is None:
                return
            is_due = bool(self._unready) and time.monotonic() >= self._again_s
            if is_due or _wanted(new) != _wanted(self._settings) or _files(new) != self._files:
                self.load(new)

    def state(self) -> SecondState:
        models = tuple(dict.fromkeys(model.name for _, model in self._ready))
        return SecondState(models, self._count, self._named, self._ms.percentiles())

    def troubles(self) -> Iterable[str]:
        failed = (f"the second model {name} fails: {reason}" for name, reason in self._failed.items())
        return (*self._unready, *failed)

    def notices(self) -> Iterable[str]:
        return self._unknown

    def _open(self, name: str) -> Classifier:
        return Classifier(name, threads=self._threads)


def _rules(settings: Settings) -> tuple[SecondRule, ...]:
    return (*settings.rules_of(SecondRule), *settings[SpeciesSettings].rules)


def _wanted(settings: Settings) -> object:
    return settings.rules_of(SecondRule), settings[SpeciesSettings]


def _files(settings: Settings) -> dict[str, Stamp]:
    """The models that are asked for and the lists -> the stamps of their files; empty for a model that is not there."""
    species = settings[SpeciesSettings]
    found = {path: stamp_of([Path(path)]) for path in (species.list, species.names) if path}
    for rule in _rules(settings):
        try:
            found[rule.model] = stamp_of([find_model(rule.model)])
        except ModelError:
            found[rule.model] = ()
    return found


def _sayable(species: SpeciesSettings) -> Sayable:
    """Raises UsageError for a file that cannot be read."""
    only = species.only or (read_list(Path(species.list)) if species.list else ())
    return Sayable(only, read_names(Path(species.names)) if species.names else None)


def _unknown(ready: Iterable[tuple[SecondRule, SecondModel]]) -> Iterable[str]:
    for name, unknown in {model.name: model.unknown for _, model in ready if model.unknown}.items():
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        yield f"the second model {name} does not know {', '.join(unknown[:3])}{more} of the list of species"


def make(run: Run) -> list[object]:
    """The second look, also where nothing is asked for: settings may ask for it later."""
    return [SecondLook(run.settings, run.vocabulary, run.model.value.classifier.runtime.threads, run.is_live)]
