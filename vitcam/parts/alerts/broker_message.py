"""Messages to the MQTT broker, on a topic of their own. They wait with the events of the same broker, and in order."""

from typing import Literal

from vitcam.parts.alerts.task import Note, Outcome, Task, is_made_up, short_detail
from vitcam.run.kinds import Courier
from vitcam.run.objects import Objects
from vitcam.sentence import Sentence
from vitcam.storage.outbox import Delivery
from vitcam.threads.worker import Watched

KIND = "mqtt"
NO_BROKER = Sentence(
    "no MQTT broker is connected to this run; set mqtt.host in the configuration, and start vitcam again",
    "alerts.no_broker",
)


class BrokerMessages:
    """The handler of messages by MQTT. It has no thread: the connection has one.

    objects  of the run, of which one may be a `Courier`
    note     gets what came of each
    """

    def __init__(self, objects: Objects, note: Note) -> None:
        self._objects = objects
        self._note = note

    @property
    def is_there(self) -> bool:
        """Whether this run has a broker."""
        return self._objects.one(Courier) is not None

    def put(self, task: Task) -> None:
        """Hand it over. A trial does not wait for a broker that is away: a person waits for the trial."""
        courier = self._objects.one(Courier)
        if courier is None:
            self._note(task.failed(KIND, NO_BROKER))
            return
        away, trial = courier.away, is_made_up(task.event_id)
        if away and trial:
            self._note(task.failed(KIND, away))
            return
        if away:
            detail = short_detail(f"{away}; it is sent later")
            self._note(Outcome(task.event_id, task.rule.name, KIND, "waiting", detail))
        if not courier.carry(Delivery(KIND, "", task.event_id, task.rule.name, task.text, urgent=trial)):
            self._note(task.failed(KIND, "too many messages wait already"))

    def delivered(self, delivery: Delivery, status: Literal["ok", "failed"], detail: str) -> None:
        """What came of a message. In any thread."""
        self._note(Outcome(delivery.event_id, delivery.rule, KIND, status, short_detail(detail)))

    @property
    def waiting(self) -> int:
        """Counted by the state of the connection, with the events."""
        return 0

    @property
    def workers(self) -> tuple[Watched, ...]:
        return ()

    def drain(self, deadline_s: float) -> None: ...

    def close(self) -> None: ...

    def leave(self, deadline_s: float) -> None: ...
