"""Opens the source at the start, and again when it was lost."""

import logging

from vitcam.errors import SourceError
from vitcam.sources import default_uri, open_source
from vitcam.sources.source import Source, SourceOptions

log = logging.getLogger(__name__)


class SourceOpener:
    """Opens the source, and opens it again when it was lost; without a URI it looks for a camera each time."""

    def __init__(self, uri: str, options: SourceOptions) -> None:
        self._uri = uri
        self._options = options
        self._prepared: Source | None = None
        self._trouble = ""

    def prepare(self, patient: bool) -> bool:
        """Refuse a wrong URI before anything is started; returns whether the source is live.

        patient  accept a camera that is not there yet
        """
        try:
            self._prepared = self._find()
        except SourceError:
            if not patient:
                raise
            return True  # what is waited for is a camera
        return self._prepared.live

    def __call__(self) -> Source:
        """The source to enter; one that was named stays the same, and finds its camera again by a stable name."""
        source = self._prepared or self._find()
        self._prepared = source if self._uri else None
        return source

    def _find(self) -> Source:
        return open_source(self._uri or default_uri(self._log_once), self._options)

    def _log_once(self, trouble: str) -> None:
        """A source that is opened again and again would repeat it every few seconds."""
        if trouble != self._trouble:
            self._trouble = trouble
            log.warning("%s", trouble)
