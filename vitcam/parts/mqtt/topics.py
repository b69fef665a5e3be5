"""The topics of a camera."""

from dataclasses import dataclass

from vitcam.config.identity import host_name
from vitcam.config.settings import Settings
from vitcam.parts.mqtt.settings import MqttSettings

COMMANDS = ("pause", "model", "threshold", "overlay", "snapshot")
ONLINE, OFFLINE = "online", "offline"


@dataclass(frozen=True, slots=True)
class Topics:
    """All begin with `PREFIX/NAME`."""

    prefix: str
    name: str

    @classmethod
    def of(cls, settings: MqttSettings) -> "Topics":
        """Where the settings name no camera, it is called as the machine."""
        return cls(settings.prefix, settings.name or host_name())

    @property
    def base(self) -> str:
        return f"{self.prefix}/{self.name}"

    @property
    def status(self) -> str:
        """`online` or `offline`, retained; the last will."""
        return f"{self.base}/status"

    @property
    def state(self) -> str:
        """JSON, retained."""
        return f"{self.base}/state"

    @property
    def event(self) -> str:
        """JSON, QoS 1."""
        return f"{self.base}/event"

    @property
    def alert(self) -> str:
        """JSON, QoS 1: an event that a rule with `mqtt = true` acted at."""
        return f"{self.base}/alert"

    @property
    def snapshot(self) -> str:
        """JPEG, retained."""
        return f"{self.base}/snapshot"

    def set(self, command: str) -> str:
        """Where a command is sent to. command: one of `COMMANDS`"""
        return f"{self.base}/set/{command}"

    def command_of(self, topic: str) -> str | None:
        """The command that a topic is for; None: for none."""
        command = topic.removeprefix(f"{self.base}/set/")
        return command if command in COMMANDS and topic == self.set(command) else None


def name_of(settings: Settings) -> str:
    """What the settings call the camera; empty: as the machine."""
    return settings[MqttSettings].name
