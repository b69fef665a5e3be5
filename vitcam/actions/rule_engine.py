"""Puts together what acts on events."""

import logging
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

from vitcam.actions.command import AT_ONCE, Commands
from vitcam.actions.line_file import LineFiles
from vitcam.actions.notification import MISSING as NO_APPRISE
from vitcam.actions.notification import Notifications, Picture
from vitcam.actions.outbox import has_outbox
from vitcam.actions.pin import MISSING as NO_GPIOZERO
from vitcam.actions.pin import Pins
from vitcam.actions.runner import ActionRunner, OutcomeLog
from vitcam.actions.task import Note
from vitcam.actions.webhook import Webhooks
from vitcam.actions.worker_queue import ActionHandler, WorkerQueue
from vitcam.config.layers import nearest
from vitcam.config.settings import Settings
from vitcam.config.tables import OnSettings
from vitcam.folders import state_folder
from vitcam.frames import UNKNOWN
from vitcam.names.vocabulary import Vocabulary
from vitcam.names.wanted import key_of
from vitcam.threads.worker import Watched

log = logging.getLogger(__name__)

_NEEDED = {"notify": ("apprise", NO_APPRISE), "gpio": ("gpiozero", NO_GPIOZERO)}
"""Kind of action -> the library that does it, and what is said where that is missing."""


class RuleEngine:
    """The runner of a run and what only a reload changes in it.

    seen     what the model can see, and how it may be named
    is_open  whether the labels are words that may change, so that nobody can say which are unknown
    outbox   folder for webhooks that wait, which no other run uses; None: they are lost at the end
    environ  of the process
    note     keeps what came of an action
    picture  as in `Notifications`
    """

    def __init__(
        self,
        settings: Settings,
        seen: Vocabulary,
        is_open: Callable[[], bool],
        outbox: Path | None,
        environ: Mapping[str, str],
        note: Note,
        picture: Picture,
    ) -> None:
        self._seen = seen
        self._is_open = is_open
        self._outbox = outbox
        outcomes = OutcomeLog(note)
        commands, pins = Commands(environ), Pins()
        self.webhooks = Webhooks(outbox, outcomes, settings.actions.secret)
        handlers: dict[str, ActionHandler] = {
            "command": WorkerQueue("command", commands, outcomes, AT_ONCE, commands.close),
            "webhook": self.webhooks,
            "notify": WorkerQueue("notify", Notifications(picture), outcomes),
            "gpio": WorkerQueue("gpio", pins, outcomes, end=pins.close),
            "file": WorkerQueue("file", LineFiles(state_folder(environ)), outcomes),
        }
        self.runner = ActionRunner((), seen, handlers, outcomes)
        self.workers: tuple[Watched, ...] = (*self.runner.workers, pins)
        """Every thread that acts."""
        self.change(settings)

    def start(self) -> None:
        """Deliver what an earlier run left in the outbox."""
        if self._outbox is not None and has_outbox(self._outbox):
            self.webhooks.start()

    def change(self, settings: Settings) -> None:
        """Take over other rules, at the next event. In any thread."""
        self.runner.rules = settings.on
        self.webhooks.secret = settings.actions.secret
        self.webhooks.urls = frozenset(rule.webhook for rule in settings.on if rule.webhook)
        for sentence in missing_libraries(settings.on):
            log.error("%s", sentence)
        for sentence in unknown_labels_of(settings.on, self._seen.known) if not self._is_open() else ():
            log.warning("%s", sentence)


def missing_libraries(rules: Iterable[OnSettings]) -> list[str]:
    """A sentence for each library that a rule needs and that is not there. The rest of the rules act all the same."""
    kinds = {kind for rule in rules for kind in rule.kinds}
    return [sentence for kind, (library, sentence) in _NEEDED.items() if kind in kinds and not find_spec(library)]


def unknown_labels_of(rules: Iterable[OnSettings], names: frozenset[str]) -> list[str]:
    """A sentence for each rule whose label the model does not know. names: of labels and groups."""
    found, keys = [], {UNKNOWN, "", *map(key_of, names)}
    for rule in rules:
        if rule.kind == "seen" and key_of(rule.label) not in keys:
            near = nearest(rule.label, names)
            hint = f"; did you mean {near!r}?" if near else ""
            found.append(f"the rule {rule.name} waits for {rule.label!r}, which the model does not know{hint}")
    return found
