"""What Home Assistant is told of a run: gathered from its parts, each time anew."""

import time
from collections.abc import Sequence

from vitcam.config.settings import Settings
from vitcam.daemon.model_choice import RunningModel
from vitcam.daemon.running_settings import RunningSettings
from vitcam.look.active import ActiveAreas
from vitcam.machine import Machine
from vitcam.model.files import list_models
from vitcam.names.vocabulary import Vocabulary
from vitcam.parts.mqtt.discovery import Announced
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import COMMANDS, Topics
from vitcam.parts.mqtt.watched import Presence, watched_of
from vitcam.pictures.overlay_kinds import available_overlays
from vitcam.run.kinds import Offers, Watches
from vitcam.run.objects import Objects
from vitcam.run_model import RunModel
from vitcam.slot import Current
from vitcam.web.address import network_address

_MODELS_EVERY_S = 10.0
_NEEDED = {"threshold": ("events.enter", "events.leave"), "overlay": ("overlay.mode",)}
"""Command -> the settings that it changes."""


class WatchedNow:
    """The presences there are, made anew where something that asks for them has changed.

    objects  of the run, some of which wait for labels and zones
    labels   of `mqtt.labels`
    """

    def __init__(
        self,
        areas: ActiveAreas,
        objects: Objects,
        labels: Sequence[str],
        vocabulary: Vocabulary,
    ) -> None:
        self._areas = areas
        self._objects = objects
        self._labels = labels
        self._vocabulary = vocabulary
        self._last: tuple[object, tuple[Presence, ...]] | None = None

    def __call__(self) -> tuple[Presence, ...]:
        """The same value while nothing changes."""
        areas = self._areas.areas
        waiting = tuple((each.label, each.zone) for one in self._objects.each(Watches) for each in one.watched())
        now = (areas, waiting, self._vocabulary.state)
        if self._last is None or self._last[0] != now:
            asked = [*((label, "") for label in self._labels), *waiting]
            self._last = now, watched_of(areas, asked, self._vocabulary.naming)
        return self._last[1]


class CameraFacts:
    """What is announced of a run beside its presences. Called by one thread."""

    def __init__(
        self,
        settings: Settings,
        running: RunningSettings,
        models: RunningModel,
        model: Current[RunModel],
        objects: Objects,
        machine: Machine,
    ) -> None:
        self._topics = Topics.of(settings[MqttSettings])
        self._settings = settings
        self._running = running
        self._models = models
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
        if not self._settings[MqttSettings].commands or (command == "model" and self._models.fixed):
            return False
        return self._running.can_be_set.issuperset(_NEEDED.get(command, ()))

    def _installed(self) -> tuple[str, ...]:
        """A model may be taught or deleted at any time; folders are not read each second."""
        now_s = time.monotonic()
        if now_s - self._listed[0] >= _MODELS_EVERY_S:
            self._listed = now_s, tuple(list_models())
        return self._listed[1]
