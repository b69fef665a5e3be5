"""What vitcam shows of itself is true: golden images, the demo clip, pictures of the docs."""

import csv
import json
import re
import runpy
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.command import vitcam
from vitcam.frames import Prediction
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.golden import Names
from vitcam.model.record import brief_record, model_info
from vitcam.pictures.decode import decode_image
from vitcam.sources.demo import CLIP

ROOT = Path(__file__).parents[2]
SCENES = ("espresso", "person", "dog", "cat", "bird", "cat")
"""What a person sees in the demo clip, scene by scene, all of the same length."""
SCENE_S, FADE_S = 22 / 6, 0.6


@cache
def model(name: str = "everyday") -> Classifier:
    return Classifier(name, threads=1)


@cache
def names(name: str = "everyday") -> Names:
    found = bundle.read(model(name).path)
    assert found is not None
    return Names({label: label for label in found.labels}, found.groups, found.labels)


def true_names(folder: Path) -> Mapping[str, str]:
    """What somebody wrote down of each picture of a folder, by looking at it."""
    with (folder / "true.csv").open(newline="", encoding="utf-8") as lines:
        return {row["picture"]: row["true"] for row in csv.DictReader(lines)}


def asked(name: str, picture: Path) -> Prediction:
    return model(name).classify_image(decode_image(picture.read_bytes()))


def scenes_at(seconds: float) -> frozenset[str]:
    """What is seen at a time of the clip; while one scene fades into the next, both are."""
    number = int(seconds / SCENE_S)
    fades = seconds - number * SCENE_S > SCENE_S - FADE_S
    return frozenset({SCENES[number % 6], *([SCENES[(number + 1) % 6]] if fades else [])})


@pytest.mark.parametrize(
    ("name", "folder"), [("everyday", "."), ("cifar10", "cifar10"), ("cifar10-scratch", "cifar10"), ("mnist", "digits")]
)
def test_every_golden_image_carries_what_it_shows_and_the_model_says_so(name: str, folder: str) -> None:
    written = {Path(file).stem: true for file, true in true_names(ROOT / "models" / "golden" / folder).items()}

    assert {golden.name: golden.true for golden in model(name).golden} == written
    assert [result for result in model(name).verify() if not result.ok] == []


def test_verify_fails_for_a_golden_image_that_is_named_wrongly_and_a_daemon_still_takes_the_model(
    tmp_path: Path,
) -> None:
    path = tmp_path / "seven.tflite"
    found = bundle.read(model("mnist").path)
    assert found is not None
    path.write_bytes(found.path.read_bytes())
    bundle.replace_golden(path, [golden_called(each, "7" if each.name == "2" else each.true) for each in found.golden])

    said = vitcam("models", "verify", str(path))
    assert said.code == 1
    assert "FAIL 2: 2 1.000, expected 2 1.000; it shows 7, and what is displayed is 2\n" in said.out
    assert "ok   3: 3 0.999, expected 3 0.999; it shows 3\n" in said.out
    record = json.loads(vitcam("models", "verify", str(path), "--json").out.splitlines()[0])
    assert (record["ok"], record["shown"], record["true"]) == (False, "2", "7")
    still = str(ROOT / "models" / "golden" / "digits" / "3.png")
    assert vitcam("run", "--model", str(path), "--source", still, "--once", "--no-realtime", "--no-web").code == 0


def golden_called(golden: bundle.Golden, true: str) -> bundle.Golden:
    return bundle.Golden(golden.name, golden.image, golden.top, true)


def test_the_events_of_one_loop_of_the_demo_clip_are_what_it_shows_one_for_each_scene() -> None:
    lines = vitcam("replay", str(CLIP), "--json").out.splitlines()
    events = [event for event in map(json.loads, lines) if event["type"] == "event"]

    assert len(events) == len(SCENES)
    for number, (event, true) in enumerate(zip(events, SCENES, strict=True)):
        assert names().says(event["label"], true), event
        assert number * SCENE_S - FADE_S <= event["start_s"] <= number * SCENE_S + 1, event
        assert (number + 1) * SCENE_S - 1 <= event["end_s"] <= (number + 1) * SCENE_S + FADE_S, event
    listed = re.findall(r"\| ([\d.]+), ([\d.]+) \| ([\w ]+) \|", CLIP.with_suffix(".md").read_text("utf-8"))
    assert [(float(start), float(end), label) for start, end, label in listed] == [
        (round(event["start_s"], 1), round(event["end_s"], 1), event["label"]) for event in events
    ]


def test_the_picture_of_the_readme_is_the_demo_clip_and_says_what_is_there() -> None:
    """Whatever is named while a scene is seen is in it; and the file is what its script makes today."""
    script = runpy.run_path(str(ROOT / "docs" / "generate_animation.py"))
    shown = decoded_animation(ROOT / "docs" / "demo.webp")
    every = script["EVERY"]
    for number, (prediction, picture) in enumerate(script["frames"]()):
        said, there = prediction.shown.label, scenes_at(number * every / 30)
        assert said is None or any(names().says(said, true) for true in there), (number, said, there)
        assert np.abs(next(shown).astype(int) - picture).mean() < 6, number
    assert next(shown, None) is None


def decoded_animation(path: Path) -> Iterator[np.ndarray]:
    found, animation = cv2.imreadanimation(str(path))
    assert found
    return (cv2.cvtColor(frame[..., :3], cv2.COLOR_BGR2RGB) for frame in animation.frames)


def test_the_other_pictures_of_the_docs_show_golden_images() -> None:
    """The screenshot shows the cat of the demo clip, the sheet of `explain` the cup, the concepts cat, bird and cup."""
    true = true_names(ROOT / "models" / "golden")
    photos = re.search(r"^PHOTOS = (.*)$", (ROOT / "docs" / "concept_figures.py").read_text("utf-8"), re.MULTILINE)
    shot = re.search(r'^SHOWN = "(.*)"$', (ROOT / "examples" / "screenshot.py").read_text("utf-8"), re.MULTILINE)

    assert photos is not None
    assert shot is not None
    assert all(f"{photo}.jpg" in true for photo in re.findall(r'"(\w+)"', photos[1]))
    assert names().says(shot[1], "cat")
    assert "espresso/coffee.jpg" in (ROOT / "docs" / "use" / "photos.md").read_text("utf-8")
    assert true["coffee.jpg"] == "espresso"


def test_readme_its_page_and_the_list_of_models_show_one_figure_of_everyday() -> None:
    """The page of a daemon takes the same figures, of `/api/model`."""
    figures = model().card.headline
    share, count = f"{100 * figures['top1']:.1f}", figures["n"]
    command = f"`vitcam-train evaluate everyday --data {figures['data']}`"
    row = f"| {share} % ({100 * figures['top1_low']:.1f} to {100 * figures['top1_high']:.1f} %) | {command} |"
    said = next(line for line in vitcam("models", "list").out.splitlines() if line.split()[:1] == ["everyday"])

    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"| {count} photos: right | [{share} %](docs/program/benchmarks.md) | {command} |" in readme
    assert f"{count} ordinary photos of both sources below {row}" in (ROOT / "docs/program/benchmarks.md").read_text(
        "utf-8"
    )
    assert f"{share}% of {count}" in said
    assert f"{share}% of {count} held-out photos" in vitcam("models", "show", "everyday").out
    assert f"right on {share} % of {count} ordinary photos ({command})" in (ROOT / "docs/use/models.md").read_text(
        "utf-8"
    )
    assert f"| right | {share}% " in model().path.with_suffix(".md").read_text("utf-8")
    assert brief_record(model_info(model()))["accuracy"]["headline"] == figures
