"""What every connection of a run uses."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from vitcam.parts.mqtt.commands import MqttCommands
from vitcam.parts.mqtt.retained import Retained
from vitcam.parts.mqtt.threads import COMMANDS, DISK
from vitcam.parts.mqtt.topics import Topics
from vitcam.run.kinds import Sender
from vitcam.run.objects import Objects
from vitcam.run.report import Report
from vitcam.run.underway import Underway
from vitcam.storage.outbox import Delivery, Outbox
from vitcam.threads.worker import WatchedExecutor


@dataclass(frozen=True, slots=True)
class Listener:
    """Somebody who wants messages of a topic that is not this camera's."""

    topic: str
    heard: Callable[[str], None]
    """Gets the text. Called in the thread of the connection: it may not wait."""


@dataclass(slots=True)
class MqttParts:
    """Made once for a run."""

    topics: Topics
    outbox: Outbox
    """Where events and alerts wait."""
    report: Callable[[], Report]
    """The state message."""
    picture: Callable[[int], bytes | None]
    """The JPEG of now, of at most so many bytes if that can be; None: there is none. It may block."""
    commands: MqttCommands | None
    """What the broker may ask for; None: nothing."""
    objects: Objects = field(default_factory=Objects)
    """Of the run, some of which have messages carried."""
    disk: WatchedExecutor = field(default_factory=lambda: WatchedExecutor("mqtt disk", DISK))
    """The thread that asks the outbox."""
    doing: WatchedExecutor = field(default_factory=lambda: WatchedExecutor("mqtt commands", COMMANDS))
    """The thread that does commands and makes pictures."""
    listeners: tuple[Listener, ...] = ()
    retained: Retained = field(default_factory=Retained)
    picture_wanted: bool = False
    picture_sent: bool = False
    """The broker may keep one of this run."""
    underway: Underway = field(default_factory=lambda: Underway("a picture is still on its way to the MQTT broker"))
    announce: bool = False
    """All retained messages are to be sent again."""

    def tell_senders(self, delivery: Delivery, status: Literal["ok", "failed"], detail: str) -> None:
        """What came of a message that somebody has had carried. In any thread."""
        for sender in self.objects.each(Sender):
            sender.delivered(delivery, status, detail)
