"""The classifier of the camera, with fewer threads while the processor is hot."""

from vitcam.model.classifier import Classifier


class FewerThreads:
    """Used in one thread. Another number of threads takes an interpreter of its own: 18 MB while it is in use.

    With one thread, a frame of `everyday` takes a quarter less processor time than with two (docs/benchmarks.md).

    classifier  with all of its threads
    """

    def __init__(self, classifier: Classifier) -> None:
        self._all = self._current = classifier
        self._threads = 0

    def classifier(self, threads: int) -> Classifier:
        """The model with this number of threads; 0: all."""
        if threads != self._threads:
            self._current = self._all.clone(threads) if threads else self._all
            self._threads = threads
        self._current.top_k = self._all.top_k  # a reload may have changed it
        return self._current
