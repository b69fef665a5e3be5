"""Make vitcam/sources/demo.mp4: slow pans and zooms over photos of what a household sees.

    python -m examples.make_demo_clip SOURCES [OUT.mp4]

showcase_photos.py says what SOURCES holds. Needs the `dev` and `train` extras, and ffmpeg with libx264. The photos and
their licences are credited in vitcam/sources/demo.md.
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

from examples.showcase_photos import Photos, Picture

WIDTH, HEIGHT, FPS = 1280, 720, 30
SCENE_S, FADE_S = 22 / 6, 0.6
CLIP = Path(__file__).resolve().parents[1] / "vitcam/sources/demo.mp4"


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


def scenes(photos: Photos) -> list[Scene]:
    """The scenes in order: what the model `everyday` names rightly, each in the middle."""
    return [
        Scene(photos.cup(), View(300, 172, 337), View(290, 160, 290)),  # espresso
        Scene(photos.person(), View(374, 314, 152), View(376, 313, 140)),  # person
        Scene(photos.dog(1600, 900, 86.0), View(788, 505, 534), View(787, 551, 477)),  # Labrador
        Scene(photos.cat(), View(225, 130, 252), View(245, 118, 225)),  # Egyptian cat
        Scene(photos.bird(), View(640, 360, 716), View(650, 360, 640)),  # cockatoo
        Scene(photos.night(), View(158, 92, 174), View(146, 90, 150)),  # Siamese cat
    ]


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


def main(sources: Path, out: Path) -> None:
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
        for picture in frames(scenes(Photos(sources))):
            if ffmpeg.stdin is not None:
                ffmpeg.stdin.write(picture.tobytes())
    if ffmpeg.returncode:
        sys.exit(f"ffmpeg failed with {ffmpeg.returncode}")
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else CLIP)
