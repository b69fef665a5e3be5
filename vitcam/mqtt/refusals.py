"""What a broker does not take, topic by topic, from one connection to the next: one costs only itself."""

import logging
import time
from collections import Counter
from dataclasses import dataclass, replace

log = logging.getLogger(__name__)

_AGAIN_S, _LATEST_S = 30.0, 86_400.0
_NO_CHANCE = 2  # a connection may break by chance, once, while something is sent


@dataclass(frozen=True, slots=True)
class _Refusal:
    sentence: str
    until_s: float
    pause_s: float
    size: int
    """So many bytes are too many; 0: anything is refused."""


class Refusals:
    """A topic that is refused is tried again after a pause, which is doubled each time."""

    def __init__(self) -> None:
        self._by_topic: dict[str, _Refusal] = {}
        self._breaks: Counter[str] = Counter()

    @property
    def sentence(self) -> str:
        """The first one that holds; empty: the broker takes everything."""
        return next((each.sentence for each in [*self._by_topic.values()] if each.sentence), "")

    def of(self, topic: str) -> str:
        """Why a topic is refused; empty: it is not."""
        found = self._by_topic.get(topic)
        return found.sentence if found else ""

    def note(self, topic: str, sentence: str, size: int = 0) -> None:
        """It is refused; with a size, messages as large as this one are."""
        before = self._by_topic.get(topic)
        smaller = before is not None and 0 < size < before.size  # one sentence is enough for the way down
        if not smaller and sentence not in [each.sentence for each in self._by_topic.values()]:
            log.warning("%s", sentence)
        pause_s = min(2 * before.pause_s, _LATEST_S) if before else _AGAIN_S
        self._by_topic[topic] = _Refusal(sentence, time.monotonic() + pause_s, pause_s, size)

    def took(self, topic: str) -> None:
        """The broker has taken something there."""
        if (found := self._by_topic.pop(topic, None)) is not None and found.size:
            self._by_topic[topic] = replace(found, sentence="")

    def hold(self, topic: str, size: int = 0) -> bool:
        """Whether so many bytes need not be tried now."""
        found = self._by_topic.get(topic)
        return found is not None and time.monotonic() < found.until_s and size >= found.size

    def most_bytes(self, topic: str, room: int) -> int:
        """What may do there, where the broker has said that `room` is the most."""
        found = self._by_topic.get(topic)
        return min(room, found.size // 2) if found and found.size else room

    def passed(self, topic: str) -> None:
        """What was asked there did not break the connection."""
        self._breaks.pop(topic, None)

    def broke(self, topic: str) -> bool:
        """The connection broke while only this was asked; whether that is no chance any more."""
        self._breaks[topic] += 1
        return self._breaks[topic] >= _NO_CHANCE
