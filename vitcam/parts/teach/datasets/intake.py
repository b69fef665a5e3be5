"""Photos that people bring, from a phone or in a zip: each becomes a picture of a label, as if it were collected."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError, VitcamError
from vitcam.frames import Image
from vitcam.parts.teach.datasets.recordings import name_for
from vitcam.parts.teach.datasets.store import LARGEST, DataSets
from vitcam.pictures.decode import Decoded, Limits, decode
from vitcam.pictures.encode import encode_jpeg
from vitcam.pictures.exif import taken_at
from vitcam.pictures.header import read_header
from vitcam.pictures.resize import shrunk
from vitcam.storage.reading import read_file

LARGEST_PX = 640
"""Of a picture's longer side, as of those that the camera takes."""
_QUALITY = 92
_SIDE = 16
_ALIKE = 0.985  # cosine of two pictures of 16 x 16 px, each without its mean
_MOST_COMPARED = 500


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of a photo."""

    picture: str
    """Its name in the data set; empty: it was left out."""
    note: str = ""
    """Why it was left out, or which picture it looks like; empty: neither."""


class PhotoIntake:
    """Keeps photos in data sets. One thread calls it.

    decode  gives the pixels of a photo that nobody has checked. Raises UsageError for other bytes
    """

    def __init__(self, data_sets: DataSets, decode: Callable[[bytes], Decoded]) -> None:
        self.data_sets = data_sets
        self._decode = decode
        self._label: tuple[str, str] | None = None
        self._looks: deque[tuple[str, NDArray[np.float32]]] = deque(maxlen=_MOST_COMPARED)
        """The newest pictures of that label, and how they look."""

    def take(self, name: str, label: str, photo: bytes, called: str = "", taken: datetime | None = None) -> Brought:
        """Keep a photo under a label. The same picture is kept once.

        name    of the data set
        called  the name of the photo's file
        taken   when it was taken, where the photo does not say so
        raises  UsageError for what is no photo, and where there is no room; VitcamError where the disk has none
        """
        self.data_sets.check_room(name, label)
        image = self._decode(photo).image
        small = shrunk(image, min(1.0, LARGEST_PX / max(image.shape[:2])))
        jpeg = encode_jpeg(small, _QUALITY)
        if same := self.data_sets.same_as(name, jpeg):
            return Brought("", f"it is in the data set already, as {same[1]} of {same[0]!r}")
        there = self._known(name, label)
        picture = name_for(there, _taken(photo) or taken, called, datetime.now().astimezone())
        look = look_of(small)
        like = next((other for other, seen in reversed(self._looks) if float(look @ seen) >= _ALIKE), "")
        self.data_sets.add(name, label, picture, jpeg)
        self._looks.append((picture, look))
        return Brought(picture, f"it looks almost like {like}" if like else "")

    def _known(self, name: str, label: str) -> list[str]:
        """The pictures of a label. How the newest of them look is known from then on."""
        try:
            there = self.data_sets.pictures(name, label)
        except UsageError:  # it is the first one
            there = []
        there_now = set(there) if self._label == (name, label) else set()
        self._label = name, label
        self._looks = deque((each for each in self._looks if each[0] in there_now), _MOST_COMPARED)
        seen = {picture for picture, _ in self._looks}
        for picture in there[-_MOST_COMPARED:]:
            if picture not in seen:
                self._looks.extend(self._look_of_kept(name, label, picture))
        return there

    def _look_of_kept(self, name: str, label: str, picture: str) -> Iterator[tuple[str, NDArray[np.float32]]]:
        try:
            data = read_file(self.data_sets.picture(name, label, picture), LARGEST)
            yield picture, look_of(decode(data, Limits(enough=(_SIDE, _SIDE))).image)
        except (OSError, VitcamError):  # whoever owns the folder may have put anything there
            pass


def look_of(image: Image) -> NDArray[np.float32]:
    """A picture as a vector of length 1, (768,), by which those that are almost the same can be told.

    image  (H, W, 3) uint8
    """
    few = cv2.resize(image, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32).ravel()
    few -= few.mean()
    length = float(np.linalg.norm(few))
    return np.asarray(few / length if length > 1 else few * 0)


def _taken(photo: bytes) -> datetime | None:
    start, end = read_header(photo).exif
    return taken_at(photo[start:end])
