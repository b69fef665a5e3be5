"""Make a clip with a known script: things come, stay, flicker, follow each other and leave, in two zones at once.

    python examples/scripted_clip.py OUT.mp4 [--minutes 20] [--seed 1] [--part heldout] [--any]

Writes OUT.mp4 and OUT.json, which lists what is shown: label, zone, start and end in s, and how. The same options make
the same script. The clip shows photos below VITCAM_DATA that `everyday` was not trained on, over drawn walls and rooms
under changing light, with the noise of a sensor. It asks whether the events are right, not whether the model is: so
photos are shown that the model answers rightly with at least `SURE` when it is given the file itself. With --any, all
photos of the part are.

Needs the `dev` and `train` extras.
"""

import argparse
import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import decode_image
from vitcam.pictures.opencv import prepare_capture
from vitcam_training.data.blank import carpet, curtain, plaster, room, wall
from vitcam_training.data.dataset import data_root
from vitcam_training.data.published.everyday_photos import label_of, listed_parts
from vitcam_training.data.published.things import read_things

WIDTH, HEIGHT, FPS = 640, 360, 10
ZONES = {"left": 0, "right": WIDTH // 2}
"""Name of each half of the picture, and its left side in px."""
SIDE = 312  # px of a photo in its zone
SLIDE_S = 0.4  # a thing moves in and out within this time; it is there from the middle of it
SCENE_S = 150.0  # the background changes that often
SURE = 0.7
GRAIN = 3.0  # standard deviation of the noise, in levels of 255

Picture = NDArray[np.uint8]  # (H, W, 3), RGB
Random = np.random.Generator


@dataclass(frozen=True)
class Photo:
    """One thing to show."""

    file: str
    """Below the data root."""
    labels: tuple[str, ...]
    """Its label, and others that are right for it, too."""


@dataclass(frozen=True)
class Showing:
    """One thing in one zone, from its coming to its going."""

    photo: Photo
    zone: str
    start: float
    end: float
    how: str
    hidden: tuple[tuple[float, float], ...] = ()
    """Within this time, in s of the clip, something is in front of it."""


def photos(part: str, every: bool) -> list[Photo]:
    """The photos of a part of the split; those that the model is sure of unless `every`."""
    things, root = read_things(), data_root()
    classifier = None if every else Classifier("everyday")
    found = []
    for file in listed_parts()[part]:
        label = label_of(file)
        right = [label, *sorted(things.right_for_label(label) - {label})]
        photo = Photo(file, tuple(things.labels[each] for each in right))
        if classifier is not None:
            best = classifier.classify_image(decode_image((root / file).read_bytes())).top[0]
            if best.label not in photo.labels or best.p < SURE:
                continue
        found.append(photo)
    return found


def script(shown: list[Photo], seconds: float, rng: Random) -> list[Showing]:
    """What happens in both zones, sorted by its start."""
    order = itertools.cycle([shown[i] for i in rng.permutation(len(shown))])
    found: list[Showing] = []
    for zone in ZONES:
        now = float(rng.uniform(2, 5))
        while now < seconds - 40:
            new = scene(order, zone, now, rng)
            found += new
            now = new[-1].end + float(rng.uniform(3, 7))
    return sorted(found, key=lambda each: (each.start, each.zone))


def scene(order: Iterator[Photo], zone: str, start: float, rng: Random) -> list[Showing]:
    """One thing, or two that follow each other."""
    how = str(rng.choice(["stays", "passes", "flickers", "is followed", "comes again"], p=[0.3, 0.2, 0.25, 0.15, 0.1]))
    photo = next(order)
    long = float(rng.uniform(6, 16))
    if how == "passes":
        return [Showing(photo, zone, start, start + float(rng.uniform(2.5, 4)), how)]
    if how == "flickers":
        return [Showing(photo, zone, start, start + long, how, tuple(gaps(start, start + long, rng)))]
    if how == "stays":
        return [Showing(photo, zone, start, start + long, how)]
    pause = 0.0 if how == "is followed" else float(rng.uniform(4, 6))
    other = photo if pause else next(each for each in order if not set(each.labels) & set(photo.labels))
    again = start + long / 2 + pause
    return [
        Showing(photo, zone, start, start + long / 2, how),
        Showing(other, zone, again, again + long / 2, "follows" if pause == 0 else "came before"),
    ]


def gaps(start: float, end: float, rng: Random) -> Iterator[tuple[float, float]]:
    """When a flickering thing is hidden: for up to 0.8 s, every 2 s or so."""
    now = start + float(rng.uniform(1.5, 2.5))
    while now < end - 2.5:
        gap = float(rng.uniform(0.2, 0.8))
        yield now, now + gap
        now += gap + float(rng.uniform(1.2, 2.5))


def pictures(showings: list[Showing], seconds: float, seed: int) -> Iterator[Picture]:
    """Every frame, (HEIGHT, WIDTH, 3), RGB."""
    rng = np.random.default_rng((seed, 1))
    grains = [rng.normal(0, GRAIN, (HEIGHT, WIDTH, 3)).astype(np.int16) for _ in range(7)]
    empty, tiles = backgrounds(seconds, rng), {each.photo.file: tile(each.photo) for each in showings}
    for number in range(round(seconds * FPS)):
        now = number / FPS
        canvas = empty[int(now // SCENE_S)].copy()
        for each in showings:
            if each.start - SLIDE_S <= now <= each.end + SLIDE_S and not any(a <= now < b for a, b in each.hidden):
                put(canvas, tiles[each.photo.file], each, now)
        light = 1 + 0.15 * math.sin(2 * math.pi * now / 60) + 0.02 * math.sin(2 * math.pi * now * 3)
        noisy = canvas.astype(np.float32) * np.float32(light) + grains[number % len(grains)]
        yield np.clip(noisy, 0, 255).astype(np.uint8)


def backgrounds(seconds: float, rng: Random) -> list[Picture]:
    """Walls, rooms and floors without a thing, each (HEIGHT, WIDTH, 3)."""
    drawn = (wall, room, plaster, curtain, carpet)
    count = int(seconds // SCENE_S) + 1
    scenes = [drawn[number % len(drawn)](rng, HEIGHT, WIDTH) for number in range(count)]
    return [np.clip(each * 0.85, 0, 255).astype(np.uint8) for each in scenes]


def tile(photo: Photo) -> Picture:
    """The middle of a photo, (SIDE, SIDE, 3)."""
    picture = decode_image((data_root() / photo.file).read_bytes())
    side = min(picture.shape[:2])
    y, x = ((length - side) // 2 for length in picture.shape[:2])
    return np.asarray(cv2.resize(picture[y : y + side, x : x + side], (SIDE, SIDE), interpolation=cv2.INTER_CUBIC))


def put(canvas: Picture, shown: Picture, each: Showing, now: float) -> None:
    """Draw a thing where it is; it moves in from above, sways a little, and leaves upwards."""
    inside = min((now - each.start) / SLIDE_S, (each.end - now) / SLIDE_S) + 0.5
    top = round((HEIGHT - SIDE) / 2 - (1 - min(1.0, max(0.0, inside))) * HEIGHT)
    left = ZONES[each.zone] + 4 + round(3 * math.sin(now))
    if top + SIDE > 0:
        canvas[max(0, top) : top + SIDE, left : left + SIDE] = shown[max(0, -top) :]


def write(out: Path, showings: list[Showing], seconds: float, seed: int) -> None:
    """Encode the clip and its script. Both appear whole."""
    prepare_capture()
    half = out.with_name(f"half-{out.name}")
    writer = cv2.VideoWriter(str(half), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (WIDTH, HEIGHT))
    for picture in pictures(showings, seconds, seed):
        writer.write(cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    writer.release()
    shown = [{"label": each.photo.labels[0], **asdict(each)} for each in showings]
    zones = {name: [left / WIDTH, 0, 0.5, 1] for name, left in ZONES.items()}
    out.with_suffix(".json").write_text(json.dumps({"seconds": seconds, "zones": zones, "shown": shown}, indent=1))
    half.rename(out)


def main() -> None:
    """Make one clip."""
    options = argparse.ArgumentParser(prog="python examples/scripted_clip.py")
    options.add_argument("out", type=Path)
    options.add_argument("--minutes", type=float, default=20.0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--part", default="heldout", choices=("heldout", "choose", "calibration"))
    options.add_argument("--any", action="store_true", help="show photos that the model may not know, too")
    o = options.parse_args()
    seconds = 60 * o.minutes
    shown = script(photos(o.part, o.any), seconds, np.random.default_rng(o.seed))
    write(o.out, shown, seconds, o.seed)
    overlapping = sum(a.start < b.end and b.start < a.end and a.zone < b.zone for a in shown for b in shown)
    print(
        f"{o.out}: {o.out.stat().st_size / 1e6:.1f} MB, {len(shown)} things, {overlapping} pairs in both zones at once"
    )


if __name__ == "__main__":
    main()
