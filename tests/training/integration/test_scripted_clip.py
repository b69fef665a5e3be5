"""The scripted clip and the figure that is taken on it; here in short, with photos for choosing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.events import Found, Shown, compare, ended, read_script
from vitcam.events import Rules
from vitcam.film_events import predictions_of, steps_of
from vitcam.look.active_areas import ActiveAreas
from vitcam.model.classifier import Classifier
from vitcam.pipeline.place_events import PlaceEvents

ROOT = Path(__file__).parents[3]


def shown(start_s: float, end_s: float) -> Shown:
    return Shown(frozenset({"cup", "coffee mug"}), "cup", "left", start_s, end_s, "stays")


def test_an_event_fits_by_zone_any_right_label_and_both_times_and_counts_once() -> None:
    script = [shown(10, 20), shown(30, 40)]
    right = Found("coffee mug", "left", 10.4, 20.9)
    wrong = [
        Found("cup", "left", 28.9, 40),
        Found("cup", "right", 30, 40),
        Found("teapot", "left", 30, 40),
        Found("cup", "left", 10.0, 20.0),
    ]
    result = compare(script, [right, *wrong])

    assert (result.pairs, result.missed, result.invented) == ([(script[0], right)], [script[1]], wrong)
    assert (result.precision, result.recall) == (0.2, 0.5)


@pytest.mark.slow(
    "vitcam/events.py",
    "vitcam/film_events.py",
    "vitcam/model",
    "vitcam/look",
    "models/everyday.tflite",
    "examples/scripted_clip.py",
    "tests/bench/events.py",
)
def test_a_clip_of_three_minutes_gives_the_events_of_its_script(tmp_path: Path) -> None:
    clip = tmp_path / "clip.mp4"
    command = [sys.executable, "examples/scripted_clip.py", str(clip), "--minutes", "3", "--seed", "7"]
    subprocess.run([*command, "--part", "choose"], cwd=ROOT, check=True)
    script, areas = read_script(clip)
    steps = steps_of(predictions_of(clip, Classifier("everyday"), areas), PlaceEvents(Rules(), ActiveAreas(areas)))
    events = ended([each for _, told in steps for each in told])
    result = compare(script, events)

    assert json.loads(clip.with_suffix(".json").read_text())["seconds"] == 180
    assert min(result.precision, result.recall) >= 0.9, (result.missed, result.invented)
