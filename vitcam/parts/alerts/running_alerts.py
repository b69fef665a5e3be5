"""The alerts of a run: in force at once, then kept for the next one."""

import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any

from vitcam.errors import UsageError, VitcamError
from vitcam.look.active_areas import ActiveAreas
from vitcam.parts.alerts.alert import WAYS, Alert, alert_record, changed_alert, new_alert, rule_record, saved_record
from vitcam.parts.alerts.broker_message import NO_BROKER
from vitcam.parts.alerts.ntfy import new_topic
from vitcam.parts.alerts.outcome_log import LastOutcome
from vitcam.parts.alerts.push import MISSING, encrypted, has_push, public_key, signature
from vitcam.parts.alerts.push_devices import PushDevice
from vitcam.parts.alerts.rule_engine import RuleEngine
from vitcam.parts.alerts.saved_alerts import MOST_ALERTS, SavedAlerts
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import is_made_up
from vitcam.sentence import Sentence, with_keys
from vitcam.web.requests.versions import remembered
from vitcam.wire import rfc3339

_DEBIANS = "/usr/lib/python3/dist-packages"


def _installed_by(debian: str, packages: str) -> str:
    """The command that installs what a way needs: Debian's packages, where this Python sees them."""
    return f"sudo apt install {debian}" if _DEBIANS in sys.path else f"{sys.executable} -m pip install {packages}"


_REMEDIES: Mapping[str, Callable[[], str]] = {
    "notify": partial(_installed_by, "apprise", "apprise"),
    "push": partial(_installed_by, "python3-http-ece python3-py-vapid", "http-ece py-vapid"),
    "mqtt": lambda: '[mqtt] host = "192.168.1.5"',
}
"""Way of an alert that may not be there -> the line that makes it work: a command, or one of the configuration."""


class RunningAlerts:
    """Any thread may call it. What changes them may wait for the disk.

    engine  asks their rules beside those of the configuration
    saved   keeps them
    areas   the zones that there are
    """

    def __init__(self, engine: RuleEngine, saved: SavedAlerts, areas: ActiveAreas) -> None:
        self._engine = engine
        self._saved = saved
        self._areas = areas
        self._changing = threading.Lock()
        self._alerts = saved.load()
        self._put_in_force(self._alerts)

    def record(self) -> dict[str, Any]:
        """For `/api/alerts`."""
        return {
            "alerts": [self._described(alert) for alert in self._alerts],
            "rules": [rule_record(rule) | self._told(rule) for rule in self._engine.configured],
            "ways": [way for way in WAYS if self._is_there(way)],
            "missing": {way: _REMEDIES[way]() for way in WAYS if not self._is_there(way)},
            "devices": [
                {"id": each.id, "name": each.name, "added": rfc3339(each.added_s)} for each in self._engine.devices.all
            ],
        }

    def values(self) -> dict[str, Any]:
        """The alerts by id, with their secrets."""
        return {alert.id: saved_record(alert) for alert in self._alerts}

    def make(self, body: Any) -> dict[str, Any]:
        """Make an alert; returns it, and why it is not kept. Raises UsageError."""
        with self._changing:
            if len(self._alerts) >= MOST_ALERTS:
                raise UsageError(
                    Sentence(
                        f"there are {MOST_ALERTS} alerts already; delete one first", "alerts.many", most=MOST_ALERTS
                    )
                )
            alert = self._checked(new_alert(body, self._names()))
            return self._replace((*self._alerts, alert), alert)

    def change(self, id_: str, body: Any) -> dict[str, Any] | None:
        """Change an alert; returns it, and why it is not kept; None: there is none. Raises UsageError."""
        with self._changing:
            before = self._find(id_)
            if before is None:
                return None
            alert = changed_alert(before, body, self._names(but=before))
            if isinstance(body, dict) and body.keys() - {"enabled"}:  # it can be switched off, whatever it waits for
                alert = self._checked(alert)
            return self._replace(tuple(alert if each is before else each for each in self._alerts), alert)

    def delete(self, id_: str) -> str | None:
        """Delete an alert; returns why it may be there again after a restart, "" if not; None: there is none."""
        with self._changing:
            alert = self._find(id_)
            if alert is None:
                return None
            return self._keep(tuple(each for each in self._alerts if each is not alert))

    def try_now(self, id_: str) -> str | None:
        """Do what an alert asks for, with an event that is made up; returns the id of that; None: there is no alert."""
        alert = self._find(id_)
        return None if alert is None else self._engine.try_now(alert.rule)

    def topic(self, body: Any) -> str:
        """The whole address of a topic of ntfy: of an alert, else of the newest one that has any, else a new one.

        body    `{"alert": ID}`, `{"address": "https://…"}` for this address, or `{}`
        raises  UsageError
        """
        if not isinstance(body, dict) or not all(isinstance(each, str) for each in body.values()):
            raise UsageError('send {}, {"alert": ID} or {"address": "https://ntfy.sh/…"}')
        if address := body.get("address", ""):
            return new_alert({"ntfy": address}, ()).rule.ntfy
        wanted = [alert.rule.ntfy for alert in self._alerts if alert.id == body.get("alert", alert.id)]
        return next(filter(None, reversed(wanted)), "") or new_topic()

    def push_key(self) -> str:
        """What a browser needs to allow messages. Raises UsageError where they cannot be sent, VitcamError."""
        if not has_push():
            raise UsageError(MISSING)
        try:
            return public_key(self._engine.devices.key())
        except OSError as error:
            raise VitcamError(f"the key for messages cannot be kept: {error.strerror}") from None
        except ValueError:
            raise UsageError(
                "push.json of the state folder holds no key; delete it, and allow messages again"
            ) from None

    def add_device(self, body: Any) -> None:
        """A browser may get messages. Raises UsageError; VitcamError where the disk does not take it."""
        self.push_key()
        device = PushDevice.of(body)
        encrypted(device, b"it can be encrypted")
        signature(self._engine.devices.key(), device.endpoint)
        try:
            self._engine.devices.add(device)
        except OSError as error:
            raise VitcamError(f"the browser cannot be kept: {error.strerror}") from None

    def remove_device(self, id_: str) -> bool:
        """False: there is none. Raises VitcamError."""
        try:
            return self._engine.devices.remove(id_)
        except OSError as error:
            raise VitcamError(f"the browser cannot be removed: {error.strerror}") from None

    def _find(self, id_: str) -> Alert | None:
        return next((alert for alert in self._alerts if alert.id == id_), None)

    def _names(self, but: Alert | None = None) -> list[str]:
        rules = (*self._engine.configured, *(alert.rule for alert in self._alerts if alert is not but))
        return [rule.name for rule in rules]

    def _checked(self, alert: Alert) -> Alert:
        """Raises UsageError for what can never be."""
        rule = alert.rule
        unknown = self._engine.unknown_label(rule), self._engine.unknown_left_out(rule), self._unknown_zone(rule)
        for reason in filter(None, unknown):
            raise UsageError(reason)
        for way in alert.rule.kinds:
            if way == "mqtt" and not self._is_there(way):
                raise UsageError(NO_BROKER)
            if not self._is_there(way):
                raise UsageError(f"this vitcam cannot send a {way}: a part is not installed; install vitcam[{way}]")
        return alert

    def _is_there(self, way: str) -> bool:
        if way == "mqtt":
            return self._engine.messages.is_there
        return {"notify": lambda: find_spec("apprise") is not None, "push": has_push}.get(way, lambda: True)()

    def _unknown_zone(self, rule: OnSettings) -> str:
        names = self._areas.areas.names
        if not rule.zone or rule.zone in names:
            return ""
        there = f"there are {', '.join(names)}" if names else "there are no zones"
        return Sentence(f"no zone is called {rule.zone!r}; {there}", "alerts.no_zone", zone=rule.zone)

    def _replace(self, alerts: tuple[Alert, ...], alert: Alert) -> dict[str, Any]:
        reason = self._keep(alerts)
        return with_keys({"alert": self._described(alert), **remembered(reason)})

    def _keep(self, alerts: tuple[Alert, ...]) -> str:
        """In force first: what cannot be asked is refused there, and never meets the disk."""
        self._put_in_force(alerts)
        self._alerts = alerts
        return self._saved.save(alerts)

    def _put_in_force(self, alerts: tuple[Alert, ...]) -> None:
        self._engine.change_page([alert.rule for alert in alerts if alert.enabled])

    def _described(self, alert: Alert) -> dict[str, Any]:
        return alert_record(alert) | self._told(alert.rule)

    def _told(self, rule: OnSettings) -> dict[str, Any]:
        """Why it can never act, and what came of it last."""
        trouble = [rule.idle, self._engine.unknown_label(rule), self._unknown_zone(rule)]
        return {
            "trouble": [sentence for sentence in trouble if sentence],
            "last": [_last_record(last) for last in self._engine.last(rule)],
        }


def _last_record(last: LastOutcome) -> dict[str, Any]:
    outcome = last.outcome
    return {
        "time": rfc3339(last.at_s),
        "event": None if is_made_up(outcome.event_id) else outcome.event_id,
        "trial": outcome.event_id if is_made_up(outcome.event_id) else None,
        "kind": outcome.kind,
        "status": outcome.status,
        "detail": outcome.detail,
        "picture": outcome.picture or None,
    }
