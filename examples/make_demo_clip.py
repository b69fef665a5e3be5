"""Make vitcam/sources/demo.mp4: slow pans and zooms over photos that come with scikit-image and scikit-learn.

    python examples/make_demo_clip.py [OUT.mp4]

Needs the `dev` extra and ffmpeg with libx264. The photos and their licences are credited in vitcam/sources/demo.md.
"""

import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import skimage
from numpy.typing import NDArray
from sklearn.datasets import load_sample_image

WIDTH, HEIGHT, FPS = 1280, 720, 30
SCENE_S, FADE_S = 4.4, 0.6
CLIP = Path(__file__).resolve().parents[1] / "vitcam/sources/demo.mp4"

Picture = NDArray[np.uint8]  # (H, W, 3), RGB


@dataclass(frozen=True)
class View:
    """A 16:9 part of a photo; all in px of the photo. The model sees the square in its middle."""

    x: float
    y: float
    height: float


@dataclass(frozen=True)
class Scene:
    """A photo, and the camera's way over it."""

    photo: Picture
    start: View
    end: View


def scenes() -> list[Scene]:
    """The scenes in order: things that the model `everyday` knows, each in the middle."""
    folder = Path(skimage.__file__).parent / "data"
    return [
        Scene(read(folder / "coffee.png"), View(300, 172, 337), View(290, 160, 290)),  # espresso
        Scene(read(folder / "motorcycle_left.png"), View(371, 240, 410), View(400, 290, 360)),  # motorcycle
        Scene(load_sample_image("china.jpg"), View(272, 180, 300), View(215, 165, 240)),  # palace
        Scene(read(folder / "astronaut.png"), View(235, 125, 220), View(222, 105, 160)),  # face
        Scene(read(folder / "chelsea.png"), View(225, 130, 252), View(245, 118, 225)),  # Egyptian cat
    ]


def read(path: Path) -> Picture:
    """A photo, (H, W, 3), RGB."""
    return np.asarray(cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB), dtype=np.uint8)


def view_at(scene: Scene, seconds: float) -> Picture:
    """(HEIGHT, WIDTH, 3): the scene `seconds` after its start. It moves also while it fades in."""
    share = (seconds + FADE_S) / (SCENE_S + FADE_S)
    eased = (1 - math.cos(math.pi * share)) / 2
    x, y, height = (
        a + (b - a) * eased
        for a, b in zip(
            (scene.start.x, scene.start.y, scene.start.height),
            (scene.end.x, scene.end.y, scene.end.height),
            strict=True,
        )
    )
    scale = HEIGHT / height
    # pixel centres, so that zooming does not drift by half a pixel
    onto = np.array([[scale, 0, WIDTH / 2 - scale * x], [0, scale, HEIGHT / 2 - scale * y]], np.float32)
    view = cv2.warpAffine(scene.photo, onto, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(view, dtype=np.uint8)


def frames(clip: list[Scene]) -> Iterator[Picture]:
    """Every frame, (HEIGHT, WIDTH, 3). The last scene fades into the first, so that the clip can loop."""
    for index, scene in enumerate(clip):
        following = clip[(index + 1) % len(clip)]
        for number in range(round(SCENE_S * FPS)):
            seconds = number / FPS
            picture = view_at(scene, seconds)
            left = SCENE_S - seconds
            if left < FADE_S:
                picture = np.asarray(
                    cv2.addWeighted(picture, left / FADE_S, view_at(following, -left), 1 - left / FADE_S, 0)
                )
            yield picture


def main(out: Path) -> None:
    """Render and encode."""
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{WIDTH}x{HEIGHT}", "-r", str(FPS), "-i", "-"]
    h264 = ["-c:v", "libx264", "-preset", "veryslow", "-crf", "25", "-pix_fmt", "yuv420p", "-g", str(2 * FPS)]
    # who plays the clip has to keep each frame that another one may refer to: 16 of veryslow's own take 25 MB more
    h264 += ["-refs", "2", "-bf", "8", "-x264-params", "b-pyramid=none"]
    index_first = ["-movflags", "+faststart"]
    program = shutil.which("ffmpeg")
    if program is None:
        sys.exit("ffmpeg is not installed: apt-get install ffmpeg")
    command = [program, "-v", "error", "-y", *raw, *h264, *index_first, str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as ffmpeg:
        for picture in frames(scenes()):
            if ffmpeg.stdin is not None:
                ffmpeg.stdin.write(picture.tobytes())
    if ffmpeg.returncode:
        sys.exit(f"ffmpeg failed with {ffmpeg.returncode}")
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CLIP)
