"""Models that others have published, by their addresses. None of them comes with vitcam."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

from vitcam.errors import UsageError, VitcamError
from vitcam.model.foreign_card import Given
from vitcam.model.labels import read_labels
from vitcam.sources.network.address import reason_of
from vitcam.sources.network.client import fetch

_WITHIN_S = 120.0
_CORAL = "https://raw.githubusercontent.com/google-coral/test_data/104342d2d3480b3e66203073dac24f4e2dbb4c41/"
_INATURALIST = "photos of iNaturalist, as its publisher says; their licences are not stated"


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A file that never changes."""

    address: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model and its labels."""

    graph: PublishedFile
    labels: PublishedFile
    given: Given


PUBLISHED = {
    "birds": PublishedModel(
        PublishedFile(
            f"{_CORAL}mobilenet_v2_1.0_224_inat_bird_quant.tflite",
            "350fcd8cf1df1560060d464595dfed8b174b05792788052896004848d9ad04f9",
            3_579_500,
        ),
        PublishedFile(
            f"{_CORAL}inat_bird_labels.txt",
            "a16108dfe3f8daff015b87a97ab6a17e717b9b1bccd719f6d8f747746d7b9277",
            37_146,
        ),
        Given(
            "birds",
            description="964 species of birds, most of them of the Americas; MobileNetV2, 224 px",
            threshold=0.6,
            licence="Apache-2.0 (google-coral/test_data)",
            trained_on=_INATURALIST,
        ),
    ),
}
"""By name."""


@contextmanager
def files_of(model: PublishedModel, folder: Path | None) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """The graph as a file, and its labels.

    folder  has both files, under any name; None: they are fetched
    raises  VitcamError where they cannot be had, or are not those that were published
    """
    with TemporaryDirectory(prefix="vitcam-get-") as home:
        graph, labels = (Path(home, name) for name in ("graph.tflite", "labels.txt"))
        for file, path in ((model.graph, graph), (model.labels, labels)):
            path.write_bytes(_fetched(file) if folder is None else _found(file, folder))
        yield graph, read_labels(labels)


def _fetched(file: PublishedFile) -> bytes:
    try:
        data = fetch(file.address, file.bytes + 1, _WITHIN_S)
    except (UsageError, OSError, HTTPException, ValueError) as error:
        reason = reason_of(error)
        if isinstance(error, UsageError | TimeoutError):
            reason = str(error) or f"it took more than {_WITHIN_S:g} s"
        raise VitcamError(
            f"{file.address} cannot be fetched: {reason}; connect this machine to the internet, or fetch it on another "
            "one and give its folder by --from"
        ) from error
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise VitcamError(f"{file.address} is not the file that was published: it has another SHA-256")
    return data


def _found(file: PublishedFile, folder: Path) -> bytes:
    paths = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
    for path in paths:
        if path.stat().st_size == file.bytes and hashlib.sha256(data := path.read_bytes()).hexdigest() == file.sha256:
            return data
    raise UsageError(f"{folder} does not hold {file.address.rpartition('/')[2]} as it was published at {file.address}")
