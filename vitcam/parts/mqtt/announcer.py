"""Keeps Home Assistant told of a camera: again when something changes, and back what is gone."""

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vitcam.look.watched import Presence
from vitcam.parts.mqtt.discovery import (
    Announced,
    discovery_payload,
    discovery_topic,
    platforms,
    with_tombstones,
)
from vitcam.parts.mqtt.retained import Retained
from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)

MEMORY = "announced.json"
_TOPIC = re.compile(r"[^+#\0]{1,400}/device/vitcam_[A-Za-z0-9_-]{1,80}/config")
_KEY = re.compile(r"[A-Za-z0-9_-]{1,160}")
_PLATFORM = re.compile(r"[a-z_]{1,20}")
_MOST_FORMER = 8
_MOST_ENTITIES = 10_000


@dataclass(frozen=True, slots=True)
class Memory:
    """What was announced last, for the day on which some of it is gone."""

    topic: str = ""
    """Empty: nothing was."""
    platforms: Mapping[str, str] = field(default_factory=dict)
    """By the key of each entity, with those that were taken back."""
    former: tuple[str, ...] = ()
    """Topics that are still to be cleared."""
    others: Mapping[str, Any] = field(default_factory=dict)
    """What else stands in the file and cannot be read, such as a newer version wrote it: it stays there."""

    @property
    def topics(self) -> tuple[str, ...]:
        """All that a broker may keep."""
        return tuple(filter(None, (self.topic, *self.former)))

    def follow(self, topic: str, payload: Mapping[str, Any]) -> "Memory":
        """What is remembered once a message is sent to `topic`; empty: none is, and what was is cleared."""
        former = dict.fromkeys(each for each in self.topics if each != topic)
        return Memory(topic, platforms(payload) if topic else {}, tuple(former)[-_MOST_FORMER:], self.others)

    def record(self) -> dict[str, Any]:
        """For the file."""
        others = dict(self.others)
        former = [*self.former, *others.pop("former", ())]
        entities = {**others.pop("entities", {}), **self.platforms}
        return {**others, "topic": self.topic, "former": former, "entities": entities}


def read_memory(folder: Path) -> Memory:
    """What the runs before have announced, by the state folder. A damaged file says nothing."""
    return StateFile(folder / MEMORY).read_if_good(_parsed) or Memory()


def _parsed(text: str) -> Memory:
    """Raises ValueError, TypeError or LookupError if it is damaged."""
    record = json.loads(text)
    topics = [record["topic"], *record["former"]]
    entities = Entries.of_table(record["entities"], _platform, _MOST_ENTITIES)
    known = [each for each in topics if each == "" or _is_topic(each)]
    others = {key: value for key, value in record.items() if key not in ("topic", "former", "entities")}
    others |= {"former": [each for each in topics if each not in known], "entities": entities.table({})}
    topic = topics[0] if topics[0] in known else ""
    former = [each for each in topics[1:] if each and each in known]
    return Memory(
        topic, entities.values, tuple(former)[-_MOST_FORMER:], {key: each for key, each in others.items() if each}
    )


def _is_topic(text: Any) -> bool:
    """Whether it is one that vitcam announces a camera on: no other one is ever cleared."""
    return isinstance(text, str) and _TOPIC.fullmatch(text) is not None


def _platform(key: str, platform: Any) -> str:
    """Raises ValueError or TypeError for what is no entity."""
    if not _KEY.fullmatch(key) or not _PLATFORM.fullmatch(platform):
        raise ValueError("it is no entity of vitcam's")
    return str(platform)


class Announcer:
    """Called again and again by the thread of the connection, while there is one.

    prefix    first part of Home Assistant's topics; empty: nothing is announced
    folder    the state folder; None: what was announced is known to this run only
    watched   the presences there are; the same value while they do not change
    camera    what is announced, with them
    retained  what the broker is to keep
    """

    def __init__(
        self,
        prefix: str,
        folder: Path | None,
        watched: Callable[[], tuple[Presence, ...]],
        camera: Callable[[tuple[Presence, ...]], Announced],
        retained: Retained,
    ) -> None:
        self._prefix = prefix
        self._file = StateFile(folder / MEMORY) if folder else None
        self._memory = read_memory(folder) if folder else Memory()
        self._watched = watched
        self._camera = camera
        self._retained = retained
        self._last: Announced | None = None
        self._message: dict[str, str] = {}

    def announce_changes(self) -> None:
        """Announce the camera again where something of it has changed."""
        camera = self._camera(self._watched())
        if camera != self._last:
            self._announce(camera)
            self._last = camera
        elif self._memory.former:  # they were cleared since the last call, and may be another camera's from now on
            self._remember(replace(self._memory, former=()))
            self._retained.keep(self._message)

    def _announce(self, camera: Announced) -> None:
        topic = discovery_topic(self._prefix, camera.device_id) if self._prefix else ""
        payload = discovery_payload(camera)
        if topic == self._memory.topic:
            payload = with_tombstones(payload, self._memory.platforms)
        memory = self._memory.follow(topic, payload)
        if memory != self._memory:  # first, so that nothing is ever announced that nobody takes back
            self._remember(memory)
        self._message = {topic: json.dumps(payload, ensure_ascii=False)} if topic else {}
        self._retained.keep({**dict.fromkeys(memory.former, ""), **self._message})

    def _remember(self, memory: Memory) -> None:
        self._memory = memory
        if self._file is None:
            return
        try:
            self._file.write(json.dumps(memory.record()))
        except OSError as error:
            log.warning(
                "%s cannot be written: %s; what Home Assistant knows may stay there after a change",
                self._file.path,
                error.strerror,
            )
