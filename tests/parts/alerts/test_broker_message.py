"""An alert by MQTT: what is handed to the connection, and what is said of it."""

import json
from dataclasses import dataclass, field

from tests.parts.alerts.doing import Kept, task
from vitcam.parts.alerts.broker_message import NO_BROKER, BrokerMessages
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import Task
from vitcam.run.kinds import Courier
from vitcam.run.objects import Objects
from vitcam.storage.outbox import Delivery

RULE = OnSettings("page-tabby", label="tabby", mqtt=True)


@dataclass
class Line(Courier):
    """A connection that is there or away, and takes a number of messages."""

    away: str = ""
    room: int = 9
    taken: list[Delivery] = field(default_factory=list)

    def carry(self, delivery: Delivery) -> bool:
        if len(self.taken) >= self.room:
            return False
        self.taken.append(delivery)
        return True


def following(line: Line) -> tuple[BrokerMessages, Kept]:
    kept, objects = Kept(), Objects()
    objects.add(line)
    return BrokerMessages(objects, kept), kept


def test_a_message_holds_the_event_and_the_rule_and_is_told_once_the_broker_has_it() -> None:
    messages, kept = following(line := Line())

    messages.put(task(RULE))
    assert kept.all == []
    messages.delivered(line.taken[0], "ok", "x:1883 has it")

    record = json.loads(line.taken[0].body)
    assert (record["rule"], record["shown"]["label"], record["id"]) == ("page-tabby", "tabby", "01A")
    assert [(each.kind, each.rule, each.status) for each in kept.all] == [("mqtt", "page-tabby", "ok")]


def test_with_a_broker_that_is_away_an_event_waits_and_a_trial_fails_with_the_reason() -> None:
    messages, kept = following(line := Line(away="the MQTT broker x:1883 cannot be reached"))

    messages.put(task(RULE))
    messages.put(Task.made_up(RULE))

    assert [each.event_id for each in line.taken] == ["01A"]
    assert [(each.status, "x:1883" in each.detail) for each in kept.all] == [("waiting", True), ("failed", True)]


def test_without_a_broker_or_room_it_has_failed() -> None:
    kept = Kept()
    BrokerMessages(Objects(), kept).put(task(RULE))
    crowded, also = following(Line(room=0))
    crowded.put(task(RULE))

    assert [each.detail for each in kept.all] == [NO_BROKER]
    assert [(each.status, each.kind) for each in also.all] == [("failed", "mqtt")]
