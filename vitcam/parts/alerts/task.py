"""What has to be done because of an event, and what came of it."""

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from vitcam.errors import VitcamError
from vitcam.frames import Event
from vitcam.parts.alerts.settings import OnSettings
from vitcam.rules import Firing
from vitcam.sentence import Sentence
from vitcam.text import readable
from vitcam.wire import event_record

_MADE_UP = "test-"  # no id of an event begins so


def is_made_up(event_id: str) -> bool:
    """Whether an event never was, but was made to try a rule."""
    return event_id.startswith(_MADE_UP)


def made_up_event(rule: OnSettings, camera: str) -> Event:
    """One that a rule would act at."""
    now = time.monotonic_ns()
    start, end = now - round(max(rule.for_s, 1.0) * 1e9), now if rule.phase == "end" else None
    id_, label, zone = f"{_MADE_UP}{secrets.token_hex(4)}", rule.label or "test", rule.zone or None
    return Event(id_, rule.phase, label, 1.0, start, end, camera, zone=zone, kind=rule.kind)


class ActionFailed(VitcamError):
    """An action could not be done. The sentence is kept with the event, so it holds no key and no whole address."""


@dataclass(frozen=True, slots=True)
class Task:
    """A rule that fired at an event, with the event as others read it."""

    rule: OnSettings
    event_id: str
    record: dict[str, Any]
    picture_of: str = ""
    """The id of the stored event whose picture goes with it; empty: there is none."""

    @classmethod
    def of(cls, firing: Firing[OnSettings], camera_name: str = "") -> "Task":
        """Times of the event become wall time, by the clock as it is now.

        camera_name  what people call the camera; empty: nobody has named it
        """
        event = firing.event
        more = {"camera": readable(event.camera), "camera_name": camera_name, "rule": firing.rule.name}
        return cls(firing.rule, event.id, {**event_record(event), **more}, event.id)

    @classmethod
    def made_up(cls, rule: OnSettings, camera: str = "test", picture_of: str = "", camera_name: str = "") -> "Task":
        """Of an event that the rule would act at. `test` marks it for those who get it."""
        event = made_up_event(rule, camera)
        return cls(rule, event.id, {**cls.of(Firing(rule, event), camera_name).record, "test": True}, picture_of)

    @property
    def text(self) -> str:
        """One line of JSON."""
        return json.dumps(self.record, ensure_ascii=False)

    def done(self, kind: str, detail: str) -> "Outcome":
        """It worked."""
        return Outcome(self.event_id, self.rule.name, kind, "ok", short_detail(detail))

    def failed(self, kind: str, detail: str) -> "Outcome":
        """It did not work."""
        return Outcome(self.event_id, self.rule.name, kind, "failed", short_detail(detail))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one action."""

    event_id: str
    rule: str
    kind: str
    """One of `vitcam.parts.alerts.settings.ACTIONS`."""
    status: Literal["ok", "failed", "waiting"]
    detail: str = ""
    """For people: why it failed, or what the receiver said. At most 200 characters."""
    picture: str = ""
    """The id of the event whose picture the receiver has; empty: none, or nobody knows."""


Note = Callable[[Outcome], None]
"""Keeps an outcome. Called in any thread; may not wait."""
Act = Callable[[Task], str]
"""Does a task, and returns the detail. Raises ActionFailed."""
_MOST_DETAIL = 200


def short_detail(detail: str) -> str:
    """Short enough for `Outcome.detail`."""
    if len(detail) <= _MOST_DETAIL:
        return detail
    short = detail[: _MOST_DETAIL - 1] + "…"
    return Sentence(short, detail.key, **detail.values) if isinstance(detail, Sentence) else short
