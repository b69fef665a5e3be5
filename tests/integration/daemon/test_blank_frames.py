"""What `vitcam run` says of frames in which there is nothing to see."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.command import vitcam
from tests.videos import write_video

COFFEE = Path(__file__).parents[3] / "models" / "golden" / "coffee.jpg"
ONCE = ("--no-realtime", "--once", "--no-web", "--log", "json", "--emit", "all")


def blank_photos(folder: Path) -> Path:
    """Black, black with noise, white, a grey wall with light from the left; and a photo of a cat."""
    noise = np.random.default_rng(0).normal(0, 5, (240, 320, 3))
    wall = np.linspace(200, 130, 320)[None, :, None] + noise
    pictures = {"black": noise * 0, "grainy": noise + 4, "white": noise * 0 + 255, "wall": wall}
    for name, picture in pictures.items():
        cv2.imwrite(str(folder / f"{name}.png"), np.clip(picture, 0, 255).astype(np.uint8))
    (folder / "cat.jpg").write_bytes((COFFEE.parent / "cat.jpg").read_bytes())
    return folder


def covered_slowly(seconds: int = 4, fps: int = 10) -> list[np.ndarray]:
    """A photo of a cup for a third of the time; then a hand moves over the lens and stays there."""
    photo = cv2.resize(np.asarray(cv2.imread(str(COFFEE))), (320, 240), interpolation=cv2.INTER_AREA)
    hand = np.empty_like(photo)
    hand[:] = (12, 16, 60)
    frames = []
    for i in range(seconds * fps):
        frame, width = photo.copy(), int(320 * np.clip(3 * i / fps / seconds - 1, 0, 1))
        frame[:, :width] = hand[:, :width]
        frames.append(frame)
    return frames


@pytest.mark.parametrize("command", ["run", "classify"])
def test_pictures_of_nothing_are_unknown_and_blank(tmp_path: Path, command: str) -> None:
    folder = str(blank_photos(tmp_path))
    result = vitcam("run", "--source", folder, *ONCE) if command == "run" else vitcam("classify", folder, "--json")
    said = {Path(line["path"]).stem: line for line in result.lines if line["type"] == "prediction"}

    assert result.code == 0, result.err
    assert {name: (line["known"], line["blank"]) for name, line in said.items()} == {
        "black": (False, True), "grainy": (False, True), "white": (False, True), "wall": (False, True),
        "cat": (True, False),
    }  # fmt: skip


def test_a_picture_of_nothing_is_said_to_be_one(tmp_path: Path) -> None:
    folder = blank_photos(tmp_path)
    single = vitcam("classify", str(folder / "wall.png"))
    many = vitcam("classify", str(folder))

    assert single.out.split()[0] == "unknown"
    assert single.out.rstrip().endswith(f"{folder}/wall.png  nothing to see: too dark, too bright or too plain")
    assert single.out in many.out
    assert many.out.count("nothing to see") == 4


def test_what_was_there_ends_when_a_hand_covers_the_lens(tmp_path: Path) -> None:
    clip = str(write_video(tmp_path / "clip.mp4", covered_slowly(), fps=10))
    every = [line for line in vitcam("run", "--source", clip, *ONCE).lines if line["type"] == "prediction"]
    changes = vitcam("run", "--source", clip, "--realtime", "--once", "--no-web", "--log", "json", "--emit", "changes")
    events = [(line["phase"], line["label"]) for line in changes.lines if line["type"] == "event"]

    assert all(line["known"] and not line["blank"] for line in every[:14])
    assert all(line["blank"] and not line["known"] for line in every[-13:])
    assert [event for event in events if event[0] != "update"] == [("new", "espresso"), ("end", "espresso")]
