"""What a broker does not take, topic by topic, from one connection to the next: one costs only itself."""

import logging
import time
from collections import Counter

log = logging.getLogger(__name__)

_AGAIN_S, _LATEST_S = 30.0, 86_400.0
_NO_CHANCE = 3  # a connection may break by chance while something is sent, such as one that another camera takes over


class Refusals:
    """A topic that is refused is tried again after a pause, which is doubled each time."""

    def __init__(self) -> None:
        self._sentences: dict[str, str] = {}
        self._pauses: dict[str, tuple[float, float]] = {}  # until when, and how long it is
        self._breaks: Counter[str] = Counter()

    @property
    def sentence(self) -> str:
        """The first one that holds; empty: the broker takes everything."""
        return next(iter([*self._sentences.values()]), "")

    def of(self, topic: str) -> str:
        """Why a topic is refused; empty: it is not."""
        return self._sentences.get(topic, "")

    def note(self, topic: str, sentence: str) -> None:
        """It is refused."""
        if sentence not in self._sentences.values():
            log.warning("%s", sentence)
        self._sentences[topic] = sentence
        pause_s = min(2 * self._pauses[topic][1], _LATEST_S) if topic in self._pauses else _AGAIN_S
        self._pauses[topic] = time.monotonic() + pause_s, pause_s

    def took(self, topic: str) -> None:
        """The broker has taken something there."""
        self._sentences.pop(topic, None)
        self._pauses.pop(topic, None)

    def hold(self, topic: str) -> bool:
        """Whether it need not be tried now."""
        return topic in self._pauses and time.monotonic() < self._pauses[topic][0]

    def passed(self, topic: str) -> None:
        """What was asked there did not break the connection."""
        self._breaks.pop(topic, None)

    def broke(self, topic: str) -> bool:
        """The connection broke while only this was asked; whether that is no chance any more."""
        self._breaks[topic] += 1
        return self._breaks[topic] >= _NO_CHANCE or topic in self._pauses
