"""A pipeline that is given one picture after the other, in a time of their own: the same pictures do the same."""

from collections.abc import Callable
from dataclasses import dataclass

from vitcam.frames import Frame, Image, Prediction
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline


class SteppedPipeline:
    """What its threads do for a live camera without viewers, done in the caller's.

    classify, publish  as of `Pipeline`
    """

    def __init__(
        self,
        options: PipelineOptions,
        classify: Callable[[Frame], Prediction],
        publish: Callable[[Frame, Prediction], None],
    ) -> None:
        self._options = options
        self.pipeline = Pipeline(options, classify, publish)
        self.pipeline._classify._predictions = _AtOnce(publish, options.rested)  # type: ignore[assignment]

    def take(self, now_ns: int, small: Callable[[], Image], whole: Callable[[], Frame]) -> None:
        """One picture comes, and is made as far as it is wanted.

        now_ns  its capture time
        small   makes it small, to be compared
        whole   makes all of it
        """
        resting = self.pipeline.resting
        if resting.since_ns is not None:
            if not resting.wants(now_ns, False):
                return
            if resting.compares and not resting.moves(small(), now_ns):
                return
        frame = whole()
        self.pipeline._following.take(frame, self._options.areas.areas)
        self.pipeline._classify._take(frame)


@dataclass(frozen=True)
class _AtOnce:
    """Publishes in the caller's thread, in place of a queue."""

    publish: Callable[[Frame, Prediction], None]
    rested: Callable[[Frame, Prediction], None]
    waiting: bool = False

    def put(self, item: tuple[Frame, Prediction, bool], live: bool) -> None:
        frame, prediction, rests = item
        (self.rested if rests else self.publish)(frame, prediction)
