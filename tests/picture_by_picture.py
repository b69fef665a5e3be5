"""A pipeline that is given one picture after the other, in a time of their own: the same pictures do the same."""

from collections.abc import Callable

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
        self._publish = publish
        self.pipeline = Pipeline(options, classify, publish)
        self._told = 0

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
        self.pipeline._classify._take(whole())
        new = self.pipeline._predictions._slot.get(self._told, 0)
        if new is not None:
            self._told, (frame, prediction, rests) = new
            (self._options.rested if rests else self._publish)(frame, prediction)
