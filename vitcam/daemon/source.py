"""Opens the source at the start, and again when it was lost."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from vitcam.errors import SourceError
from vitcam.sources import default_uri, import_film_library, open_source
from vitcam.sources.source import Source, SourceOptions

log = logging.getLogger(__name__)

_IMPORT_S = 60.0  # from a slow SD card; a file that is asked for what it is may lie in a network that is gone


@contextmanager
def imported_meanwhile(uri: str) -> Iterator[None]:
    """Import what a film needs beside what is done inside: a model that is tried leaves Python to other threads.

    What fails here fails again when the source is opened, which says why. It ends before the context does: a thread
    that is still inside a library when the interpreter ends can abort the process.
    """

    def import_it() -> None:
        with suppress(Exception):
            import_film_library(uri)

    thread = threading.Thread(target=import_it, name="import", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(_IMPORT_S)


class SourceOpener:
    """Opens the source, and opens it again when it was lost; without a URI it looks for a camera each time."""

    def __init__(self, uri: str, options: SourceOptions) -> None:
        self._uri = uri
        self._options = options
        self._found: tuple[str, Source] | None = None
        self._trouble = ""

    def prepare(self, patient: bool) -> bool:
        """Refuse a wrong URI before anything is started; returns whether the source is live.

        patient  accept a camera that is not there yet
        """
        try:
            return self._find().live
        except SourceError:
            if not patient:
                raise
            return True  # what is waited for is a camera

    def __call__(self) -> Source:
        """The source to enter; while it is the same camera, the same source, which may know it by a stable name."""
        return self._find()

    def _find(self) -> Source:
        if self._uri and self._found:
            return self._found[1]
        uri = self._uri or default_uri(self._log_once)
        if self._found is None or self._found[0] != uri:
            self._found = uri, open_source(uri, self._options)
        return self._found[1]

    def _log_once(self, trouble: str) -> None:
        """A source that is opened again and again would repeat it every few seconds."""
        if trouble != self._trouble:
            self._trouble = trouble
            log.warning("%s", trouble)
