"""What is announced of a run: gathered from its parts, each time anew."""

import time
from collections.abc import Sequence

from vitcam.config.settings import Settings
from vitcam.daemon.report import Reporter
from vitcam.look.watched import Presence
from vitcam.machine import Machine
from vitcam.model.files import list_models
from vitcam.parts.mqtt.discovery import Announced
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import COMMANDS, Topics
from vitcam.pictures.overlay_kinds import available_overlays
from vitcam.run.awaited import Awaited
from vitcam.run.kinds import Offers, Watches
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.web.address import network_address

_MODELS_EVERY_S = 10.0


class AskedLabels(Watches):
    """The labels of `mqtt.labels`."""

    def __init__(self, labels: Sequence[str]) -> None:
        self._awaited = tuple(Awaited(label, "", "mqtt.labels names") for label in labels)

    def watched(self) -> tuple[Awaited, ...]:
        return self._awaited


class CameraFacts:
    """What is announced of a run beside its presences. Called by one thread."""

    def __init__(
        self,
        settings: Settings,
        report: Reporter,
        model: Current[RunModel],
        objects: Objects,
        machine: Machine,
    ) -> None:
        self._topics = Topics.of(settings[MqttSettings])
        self._settings = settings
        self._report = report
        self._model = model
        self._objects = objects
        self._board = machine.board
        self._listed: tuple[float, tuple[str, ...]] = (float("-inf"), ())

    def __call__(self, watched: tuple[Presence, ...]) -> Announced:
        """As it is now."""
        model = self._model.value
        return Announced(
            name=self._topics.name,
            base=self._topics.base,
            watched=watched,
            commands=frozenset(filter(self._takes, COMMANDS)),
            models=tuple(dict.fromkeys((model.name_or_file, *self._installed()))),
            overlays=available_overlays(model.info.gives),
            offered=tuple(entity for each in self._objects.each(Offers) for entity in each.entities()),
            page=network_address(self._settings.web),
            board=self._board,
        )

    def _takes(self, command: str) -> bool:
        """Whether a command could be done: what the configuration fixes is not offered."""
        return self._settings[MqttSettings].commands and self._report.can_set(command)

    def _installed(self) -> tuple[str, ...]:
        """A model may be taught or deleted at any time; folders are not read each second."""
        now_s = time.monotonic()
        if now_s - self._listed[0] >= _MODELS_EVERY_S:
            self._listed = now_s, tuple(list_models())
        return self._listed[1]
