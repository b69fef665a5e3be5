"""Puts together what acts on events."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from importlib.util import find_spec
from typing import Literal

from vitcam.config.layers import nearest
from vitcam.config.settings import Settings
from vitcam.errors import UsageError
from vitcam.folders import state_folder
from vitcam.frames import UNKNOWN, Event, Prediction
from vitcam.names.vocabulary import Vocabulary
from vitcam.names.wanted import key_of
from vitcam.parts.alerts.broker_message import BrokerMessages
from vitcam.parts.alerts.command import AT_ONCE, Commands
from vitcam.parts.alerts.deliveries import Deliveries
from vitcam.parts.alerts.notification import MISSING as NO_APPRISE
from vitcam.parts.alerts.notification import Notifications
from vitcam.parts.alerts.ntfy import Ntfy
from vitcam.parts.alerts.outcome_log import LastOutcome, OutcomeLog
from vitcam.parts.alerts.pin import MISSING as NO_GPIOZERO
from vitcam.parts.alerts.pin import Pins
from vitcam.parts.alerts.push import MISSING as NO_PUSH
from vitcam.parts.alerts.push import Push
from vitcam.parts.alerts.push_devices import PushDevices
from vitcam.parts.alerts.runner import ActionRunner
from vitcam.parts.alerts.settings import ActionSettings, OnSettings
from vitcam.parts.alerts.sound import Sound
from vitcam.parts.alerts.state import Actions, figures_of
from vitcam.parts.alerts.stored_events import StoredEvents
from vitcam.parts.alerts.task import Task, made_up_event
from vitcam.parts.alerts.webhook import Webhook
from vitcam.parts.alerts.worker_queue import ActionHandler, WorkerQueue
from vitcam.rules import Instant, RuleState, step
from vitcam.run.awaited import Awaited
from vitcam.run.ending import Ending
from vitcam.run.figures import Figure
from vitcam.run.kinds import Configured, Hears, Reports, Runs, Sender, Watches
from vitcam.run.objects import Objects
from vitcam.sentence import Sentence
from vitcam.storage.outbox import Delivery, Outbox
from vitcam.text import shortened
from vitcam.threads.worker import Watched
from vitcam.web.open_pages import OpenPages

log = logging.getLogger(__name__)

_NEEDED = {"notify": ("apprise", NO_APPRISE), "gpio": ("gpiozero", NO_GPIOZERO), "push": ("http_ece", NO_PUSH)}
"""Kind of action -> the library that does it, and what is said where that is missing."""


class RuleEngine(Runs, Hears, Configured, Reports, Watches, Sender):
    """The runner of a run, the rules of the configuration, and those of the page beside them. In any thread.

    seen     what the model can see, and how it may be named
    is_open  whether the labels are words that may change, so that nobody can say which are unknown
    outbox   where webhooks wait
    environ  of the process
    stored   the events of the run
    pages    those that are open
    objects  of the run, which carry messages
    """

    def __init__(
        self,
        settings: Settings,
        seen: Vocabulary,
        is_open: Callable[[], bool],
        outbox: Outbox,
        environ: Mapping[str, str],
        stored: StoredEvents,
        pages: OpenPages,
        objects: Objects,
    ) -> None:
        self._seen = seen
        self._is_open = is_open
        self._outbox = outbox
        self._stored = stored
        outcomes = self._outcomes = OutcomeLog(stored.note)
        self.devices = PushDevices(state_folder(environ))
        commands, pins = Commands(environ), Pins()
        self.messages = BrokerMessages(objects, outcomes)
        self._webhook = Webhook(settings[ActionSettings].secret)
        transports = self._webhook, Ntfy(stored.picture, settings.web)
        self._deliveries = {each.kind: Deliveries(each, outbox, outcomes) for each in transports}
        handlers: dict[str, ActionHandler] = {
            "command": WorkerQueue("command", commands, outcomes, AT_ONCE, commands.close),
            **self._deliveries,
            "notify": WorkerQueue("notify", Notifications(stored.picture), outcomes),
            "mqtt": self.messages,
            "push": WorkerQueue("push", Push(self.devices), outcomes),
            "sound": WorkerQueue("sound", Sound(pages), outcomes),
            "gpio": WorkerQueue("gpio", pins, outcomes, end=pins.close),
        }
        self.runner = ActionRunner((), seen, handlers, outcomes)
        self._pins = pins
        self._keys: tuple[object, frozenset[str]] | None = None
        self._changing = threading.Lock()
        self._configured: tuple[OnSettings, ...] = ()
        self._page: tuple[OnSettings, ...] = ()
        self._take(settings)

    @property
    def configured(self) -> tuple[OnSettings, ...]:
        """The rules of the configuration, also those that do nothing."""
        return self._configured

    @property
    def workers(self) -> tuple[Watched, ...]:
        """Every thread that acts."""
        return (*self.runner.workers, self._pins)

    def start(self) -> None:
        """Deliver what an earlier run left in the outbox, and say which rules cannot act."""
        self._warn()
        if self._outbox.is_there:
            for deliveries in self._deliveries.values():
                deliveries.start()

    def stop(self, ending: Ending) -> None:
        self.runner.close()

    def state(self) -> Actions:
        return self.runner.state()

    def notices(self) -> tuple[str, ...]:
        """A sentence for each rule of the configuration that does nothing."""
        return tuple(rule.idle for rule in self._configured if rule.idle)

    def figures(self) -> Iterator[Figure]:
        return figures_of(self.runner.state())

    def watched(self) -> tuple[Awaited, ...]:
        """What the rules in force wait for."""
        of_page = self._page
        return tuple(
            Awaited(
                UNKNOWN if rule.kind == "unknown" else rule.label,
                rule.zone,
                f"the {'alert' if rule in of_page else 'rule'} {rule.name} is for",
            )
            for rule in self.runner.rules
            if rule.kind != "problem"
        )

    def delivered(self, delivery: Delivery, status: Literal["ok", "failed"], detail: str) -> None:
        self.messages.delivered(delivery, status, detail)

    def heard(self, prediction: Prediction | None, events: tuple[Event, ...]) -> None:
        for event in events:
            self.runner.event(event)

    def apply(self, new: Settings) -> None:
        """Take over other rules of the configuration, at the next event."""
        self._take(new)
        self._warn()

    def _take(self, new: Settings) -> None:
        self._webhook.secret = new[ActionSettings].secret
        self.runner.camera_name = new.camera.name
        with self._changing:
            self._configured = new.rules_of(OnSettings)
            self._put_in_force()

    def _warn(self) -> None:
        """Say what rules of the configuration need and do not have."""
        rules = self._configured
        for sentence in missing_libraries(rules):
            log.error("%s", sentence)
        if not self.messages.is_there and (names := [rule.name for rule in rules if rule.mqtt]):
            log.error("the rule %s has mqtt = true, and there is no broker; set mqtt.host", names[0])
        for sentence in unknown_labels_of(rules, self._seen.known) if not self._is_open() else ():
            log.warning("%s", sentence)

    def change_page(self, rules: Iterable[OnSettings]) -> None:
        """Take over other rules of the page, at the next event. They stand beside those of the configuration.

        raises  UsageError where one cannot be asked: nothing is changed then
        """
        rules = tuple(rules)
        for rule in rules:
            self._try_to_ask(rule)
        with self._changing:
            gone = {rule.name for rule in self._page} - {rule.name for rule in rules}
            self._page = rules
            self._put_in_force()
        self._outcomes.forget(gone)

    def try_now(self, rule: OnSettings) -> str:
        """Do what a rule asks for, with an event that is made up; returns the id of that. Does not wait."""
        task = Task.made_up(rule, picture_of=self._stored.newest_picture(), camera_name=self.runner.camera_name)
        self.runner.do(task)
        return task.event_id

    def last(self, rule: OnSettings) -> tuple[LastOutcome, ...]:
        """What came of the last actions of a rule since the start, the newest first."""
        return self._outcomes.last(rule.name)

    def unknown_label(self, rule: OnSettings) -> str:
        """That the model does not know the label of a rule, as one sentence; empty if it does, or nobody can say."""
        return self._unknown(rule, rule.label)

    def unknown_left_out(self, rule: OnSettings) -> str:
        """The same of the labels that a rule leaves out: without them it acts all the same."""
        return next(filter(None, (self._unknown(rule, label) for label in rule.not_labels)), "")

    def _unknown(self, rule: OnSettings, label: str) -> str:
        if rule.kind != "seen" or self._is_open() or key_of(label) in self._known_keys():
            return ""
        return Sentence(
            f"the model knows no {label!r}{_hint(label, self._seen.known)}", "alerts.no_label", label=shortened(label)
        )

    def _known_keys(self) -> frozenset[str]:
        """Of every text that a rule may name. Made again where names or model have changed: it takes some ms."""
        state = self._seen.state
        if self._keys is None or self._keys[0] != state:
            self._keys = state, _keys_of(self._seen.known)
        return self._keys[1]

    def _put_in_force(self) -> None:
        rules = (*(rule for rule in self._configured if rule.kinds), *self._page)
        for deliveries in self._deliveries.values():
            deliveries.serve(rules)
        self.runner.rules = rules

    def _try_to_ask(self, rule: OnSettings) -> None:
        event = made_up_event(rule, "test")
        try:
            step((rule,), self._seen, RuleState(), Instant.at(time.monotonic_ns(), datetime.now()), event)
        except Exception as error:
            log.exception("a rule of the page cannot be asked; please report it")
            raise UsageError(f"the alert {rule.name} does not work: {type(error).__name__}; change it") from error


def missing_libraries(rules: Iterable[OnSettings]) -> list[str]:
    """A sentence for each library that a rule needs and that is not there. The rest of the rules act all the same."""
    kinds = {kind for rule in rules for kind in rule.kinds}
    return [sentence for kind, (library, sentence) in _NEEDED.items() if kind in kinds and not find_spec(library)]


def unknown_labels_of(rules: Iterable[OnSettings], names: frozenset[str]) -> list[str]:
    """A sentence for each rule whose label the model does not know. names: of labels and groups."""
    keys = _keys_of(names)
    return [
        f"the rule {rule.name} {does} {label!r}, which the model does not know{_hint(label, names)}"
        for rule in rules
        if rule.kind == "seen"
        for does, label in (("waits for", rule.label), *(("leaves out", label) for label in rule.not_labels))
        if key_of(label) not in keys
    ]


def _keys_of(names: frozenset[str]) -> frozenset[str]:
    return frozenset({UNKNOWN, "", *map(key_of, names)})


def _hint(label: str, names: frozenset[str]) -> str:
    near = nearest(label, names)
    return f"; did you mean {near!r}?" if near else ""
