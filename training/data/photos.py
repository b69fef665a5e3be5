"""Photos from files, decoded by the daemon's own reader, so that training sees what the camera program would."""

from __future__ import annotations

from pathlib import Path

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.pictures.decode import decode_image
from vitcam_training.data.dataset import Sample


class BrokenPhotoError(UsageError):
    """A file that cannot be read as a photo. A loop over many photos reports it and continues."""


def photo_of(sample: Sample) -> Image:
    """A sample's photo, (H, W, 3) uint8 RGB. Raises BrokenPhotoError if its file cannot be read or is not a picture."""
    if sample.render is not None:
        return sample.render()
    return read_photo(sample.path) if sample.pixels is None else sample.pixels


def read_photo(path: Path) -> Image:
    """Decode a photo, turned upright as its EXIF says.

    returns  (H, W, 3) uint8, RGB
    raises   BrokenPhotoError, naming the file, if it cannot be read or is not a picture
    """
    try:
        return decode_image(path.read_bytes())
    except OSError as error:
        raise BrokenPhotoError(f"{path}: cannot be read: {error.strerror}") from error
    except UsageError as error:
        raise BrokenPhotoError(f"{path}: {error}") from error
