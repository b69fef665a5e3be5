"""Which looks show the thing that a person means, where something is followed."""

from vitcam.frames import Prediction

_FOLLOWED_NS = 2_000_000_000  # for this time after a look at a box the view around it does not count


class FollowedThings:
    """Used by one thread."""

    def __init__(self) -> None:
        self._seen_ns: dict[str | None, int] = {}
        """When something new was seen in a box last, by zone."""

    def is_shown(self, prediction: Prediction) -> bool:
        """Whether it is what a person may mean: while something is followed that, and not the view around it.

        Call it with every prediction.
        """
        zone, now_ns = prediction.zone, prediction.captured_ns
        if prediction.at_rest:
            return False
        if prediction.track is not None:
            self._seen_ns[zone] = now_ns
            return True
        return now_ns - self._seen_ns.get(zone, -_FOLLOWED_NS) >= _FOLLOWED_NS
