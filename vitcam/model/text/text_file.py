"""The file beside a model that turns words into vectors: a text tower and its tokenizer, `NAME.words`.

It is a zip that NumPy reads: an array in float16 for each tensor, `about.json`, and `tokenizer.json` as Hugging Face's
`tokenizers` writes it.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import ModelError
from vitcam.model.bundle import DAMAGES
from vitcam.model.text.text_tower import TextSizes
from vitcam.storage.files import atomic_write

SUFFIX = ".words"
SCHEMA = 1
ABOUT, TOKENIZER = "about.json", "tokenizer.json"
TEMPLATES = (
    "a photo of {}.",
    "a picture of {}.",
    "a blurry photo of {}.",
    "a dark photo of {}.",
    "a close-up photo of {}.",
    "a photo of {} in a room.",
    "a photo of {} outdoors.",
)
"""Around each word: the vectors of all are averaged (CLIP, section 3.1.4)."""
NONE = ("a photo.", "a photo of something.", "a picture of a scene.")
"""What a picture of none of the words is called."""


@dataclass(frozen=True, slots=True)
class AboutTower:
    """What is known of a text tower besides its weights."""

    sizes: TextSizes
    logit_scale: float
    """What the cosine of a picture and a word is multiplied by."""
    templates: tuple[str, ...] = TEMPLATES
    """Each with {} where a word goes."""
    none: tuple[str, ...] = NONE
    """Texts that fit any picture: one of none of the words resembles them most."""
    licence: str = ""
    schema: int = SCHEMA


class TextFile:
    """An opened file of words; its tensors are read when they are used.

    raises  ModelError if the file is missing or damaged, or newer than this vitcam
    """

    def __init__(self, path: Path) -> None:
        try:
            if path.exists() and not path.is_file():  # a pipe would be waited for
                raise OSError("it is no plain file")
            self._archive = zipfile.ZipFile(path)
            raw = json.loads(self._archive.read(ABOUT))
            schema, lists = raw["schema"], {name: tuple(raw[name]) for name in ("templates", "none")}
            if schema == SCHEMA:
                self.about = AboutTower(**(raw | lists | {"sizes": TextSizes(**raw["sizes"])}))
            self.tokenizer = self._archive.read(TOKENIZER).decode()
        except FileNotFoundError as error:
            raise ModelError(
                f"there is no {path}, which turns words into a model's labels; copy it to that place, from where the "
                "network was imported"
            ) from error
        except DAMAGES as error:
            raise ModelError(f"{path} cannot be read ({error}); copy it again, or import it again") from error
        if schema != SCHEMA:
            raise ModelError(f"{path} has schema {schema!r}, this vitcam reads {SCHEMA}; import it again")
        self.path = path

    @property
    def weights(self) -> Mapping[str, NDArray[Any]]:
        """Of the text tower, by name, such as `projection` (S, W), float16."""
        return _Tensors(self.path, self._archive)


class _Tensors(Mapping[str, NDArray[Any]]):
    """Arrays that are read from the zip each time they are asked for: a text tower is large for a Pi's memory."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path, self._archive = path, archive

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            with self._archive.open(f"{name}.npy") as file:
                return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
        except DAMAGES as error:
            raise ModelError(
                f"{self._path} cannot be read ({name}: {error}); copy it again, or import it again"
            ) from error

    def __iter__(self) -> Iterator[str]:
        return (name.removesuffix(".npy") for name in self._archive.namelist() if name.endswith(".npy"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def write_text_file(path: Path, about: AboutTower, weights: Mapping[str, NDArray[Any]], tokenizer: str) -> None:
    """Write a file of words in one step; the weights, such as `projection` (S, W), become float16."""
    with (
        atomic_write(path) as partial,
        zipfile.ZipFile(partial, "w") as archive,
    ):  # ZipInfo dates each 1980, so the same tower makes the same file
        archive.writestr(zipfile.ZipInfo(ABOUT), json.dumps(asdict(about), indent=1, ensure_ascii=False))
        archive.writestr(zipfile.ZipInfo(TOKENIZER), tokenizer)
        for name, array in weights.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, np.ascontiguousarray(array, np.float16), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getvalue())


def fingerprint(path: Path) -> str:
    """SHA-256 of a file of words, in hexadecimal. Raises ModelError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from error
