"""What a runner gives to the measurement."""

from typing import Any, Protocol

from tests.bench.peers.material import Answers, Photos


class Unavailable(Exception):
    """A peer that cannot run on this machine; the message is the reason that its row gives."""


class Session(Protocol):
    """A loaded model."""

    def prepare(self, photo: Photos) -> Any:
        """(H, W, 3) uint8 RGB -> what the runtime takes. Not timed."""

    def run(self, prepared: Any) -> Answers:
        """One inference, its input handed over and its answer (C,) fetched. This is what is timed."""
