"""The pictures of events whose label a person has given, in a data set of their own."""

from contextlib import suppress
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.history.picture_files import LabelFolders
from vitcam.parts.teach.datasets.store import FOLDER, DataSets
from vitcam.parts.teach.inbox.entry import forget_event, id_of_event
from vitcam.run.kinds import KeepsCopies

CORRECTIONS = "corrections"
"""The name of the data set."""


class CorrectedPictures(KeepsCopies):
    """Writes and deletes files below a state folder; any process may do so."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._labels = LabelFolders(folder / FOLDER / CORRECTIONS)

    def correct(self, event_id: str, label: str | None, before: str | None, picture: bytes | None) -> None:
        if label and picture:
            self._labels.put(label, event_id, picture)
        if before and before != label:
            self._labels.remove(before, event_id)

    def forget(self, event_id: str, label: str) -> None:
        self._labels.remove(label, event_id)
        forget_event(self._folder, event_id)
        with suppress(VitcamError):
            DataSets(self._folder, 0).forget(f"{id_of_event(event_id)}.jpg")
