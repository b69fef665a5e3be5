"""Photos of what a household sees, all under free licences; the demo clip and the golden images are made of them.

    python examples/showcase_photos.py SOURCES

This writes dog, bird, person and night into models/golden. SOURCES is a folder with four packages, and nothing of them
is installed:

    pip download --no-deps --dest SOURCES scipy==1.9.3 alibi==0.9.4 imageio==2.4.1
    cd SOURCES && apt-get download blender-data

It needs the `dev` and `train` extras, and dpkg-deb for the last package. models/golden/CREDITS.md names the
photographers and licences.
"""

import io
import os
import pickle
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"  # before OpenCV is imported

import cv2
import numpy as np
import skimage
from numpy.typing import NDArray

from vitcam.pictures.encode import encode_jpeg
from vitcam_training.data.published.ordinary import by_infrared

Picture = NDArray[np.uint8]  # (H, W, 3), RGB

GOLDEN = Path(__file__).resolve().parents[1] / "models/golden"
SIDE = 320  # px
SIAMESE = "n02123597_284_Siamese_cat.jpg"
COCKATOO = 213  # of the film's 280 frames
DOG, DOG_DEGREES = (-151.0, -31.0), 42.0
WHITE = 0.7
"""What the panorama's values are white from, so that the dog in the shade is not too dark."""


class Photos:
    """Each photo as it is in its package, (H, W, 3), RGB; only the dog is a view of a panorama."""

    def __init__(self, sources: Path) -> None:
        self._sources = sources

    def cup(self) -> Picture:
        """An espresso in a cup, by Rachel Michetti."""
        return _of_scikit_image("coffee.png")

    def cat(self) -> Picture:
        """Chelsea, by Stéfan van der Walt."""
        return _of_scikit_image("chelsea.png")

    def person(self) -> Picture:
        """Somebody with a rucksack walks up a staircase; grey."""
        file = self._in_wheel("scipy", "scipy/misc/ascent.dat")
        grey = np.array(pickle.loads(file), np.uint8)  # noqa: S301 - SciPy reads it so, too
        return np.repeat(grey[..., None], 3, axis=2)

    def siamese(self) -> Picture:
        """A Siamese cat on a terrace, by day."""
        with tarfile.open(fileobj=io.BytesIO(self._in_wheel("alibi", "alibi/data/cats.tar.gz"))) as cats:
            return _decoded(_member(cats, SIAMESE))

    def night(self) -> Picture:
        """The same cat as a camera would see it at night by its own infrared lamp: computed, not taken at night."""
        return np.asarray(by_infrared(self.siamese(), 1), np.uint8)

    def bird(self) -> Picture:
        """A cockatoo in a room: one frame of a film."""
        with tarfile.open(self._package("imageio")) as package:
            film = self._sources / "cockatoo.mp4"
            film.write_bytes(_member(package, "imageio-2.4.1/imageio/resources/images/cockatoo.mp4"))
        capture = cv2.VideoCapture(str(film))
        for _ in range(COCKATOO):
            capture.grab()
        found, frame = capture.read()
        film.unlink()
        if not found:
            sys.exit(f"{film} has fewer than {COCKATOO} frames")
        return _rgb(frame)

    def dog(self, width: int = SIDE, height: int = SIDE, degrees: float = DOG_DEGREES) -> Picture:
        """A dog lies in a yard: a view into a panorama by Greg Zaal.

        degrees  angle of view across the width
        """
        program = shutil.which("dpkg-deb")
        if program is None:
            sys.exit("dpkg-deb is not installed: apt-get install dpkg")
        unpacked = subprocess.run(
            [program, "--fsys-tarfile", self._package("blender-data")], check=True, capture_output=True
        )
        with tarfile.open(fileobj=io.BytesIO(unpacked.stdout)) as package:
            file = _member(package, "./usr/share/blender/datafiles/studiolights/world/courtyard.exr")
        light = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_UNCHANGED)
        view = look_into(np.clip(np.asarray(light, np.float32) / WHITE, 0, 1), DOG, degrees, width, height)
        return _rgb(255 * np.minimum(view, 1) ** (1 / 2.2))

    def _package(self, name: str) -> Path:
        found = sorted(self._sources.glob(f"{name}[-_]*"))
        if not found:
            sys.exit(f"{self._sources} holds no package {name}; the head of {__file__} says how to get it")
        return found[0]

    def _in_wheel(self, package: str, name: str) -> bytes:
        with zipfile.ZipFile(self._package(package)) as wheel:
            return wheel.read(name)


def look_into(
    panorama: NDArray[np.float32], towards: tuple[float, float], degrees: float, width: int, height: int
) -> NDArray[np.float32]:
    """What a camera without distortion sees that stands in the middle of a panorama; (height, width, C).

    panorama  (H, W, C), equirectangular
    towards   longitude and latitude of what is in the middle, in degrees
    degrees   angle of view across the width
    """
    focal = width / 2 / np.tan(np.radians(degrees) / 2)
    x, y = np.meshgrid((np.arange(width) - width / 2 + 0.5) / focal, (np.arange(height) - height / 2 + 0.5) / focal)
    turn, tilt = np.radians(towards[0]), np.radians(-towards[1])
    down, ahead = y * np.cos(tilt) + np.sin(tilt), np.cos(tilt) - y * np.sin(tilt)
    longitude = np.arctan2(x, ahead) + turn
    latitude = np.arctan2(down, np.hypot(x, ahead))
    rows, columns = panorama.shape[:2]
    across = (longitude / (2 * np.pi) + 0.5) % 1 * columns - 0.5
    along = (latitude / np.pi + 0.5) * rows - 0.5
    found = cv2.remap(
        panorama, across.astype(np.float32), along.astype(np.float32), cv2.INTER_CUBIC, borderMode=cv2.BORDER_WRAP
    )
    return np.asarray(np.maximum(found, 0), np.float32)


def square(picture: Picture, x: int, y: int, side: int) -> Picture:
    """A square part, at most 320 px a side; (h, w, 3).

    x, y, side  px
    """
    part = np.ascontiguousarray(picture[y : y + side, x : x + side])
    return part if side <= SIDE else np.asarray(cv2.resize(part, (SIDE, SIDE), interpolation=cv2.INTER_AREA))


def _of_scikit_image(name: str) -> Picture:
    return _decoded((Path(skimage.__file__).parent / "data" / name).read_bytes())


def _decoded(content: bytes) -> Picture:
    return _rgb(cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR))


def _rgb(bgr: NDArray[np.generic]) -> Picture:
    return np.asarray(cv2.cvtColor(np.asarray(bgr, np.uint8), cv2.COLOR_BGR2RGB))


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    if file is None:
        sys.exit(f"{name} is no file of its package")
    return file.read()


def main(sources: Path) -> None:
    """Write the golden images that are made here. The cat and the cup were cut out by hand."""
    photos = Photos(sources)
    made = {
        "dog": photos.dog(),
        "bird": square(photos.bird(), 280, 0, 720),
        "person": square(photos.person(), 326, 224, 180),
        "night": square(photos.night(), 59, 0, 260),
    }
    for name, picture in made.items():
        (GOLDEN / f"{name}.jpg").write_bytes(encode_jpeg(picture, quality=92))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
