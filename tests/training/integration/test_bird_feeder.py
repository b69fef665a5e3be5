"""The example of a bird feeder, with the film of a pigeon that was cut from a photo and put beside a drawn feeder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.wide_views.clips import FPS, Plan, shots_of
from tests.bench.wide_views.things import Thing, things_of
from tests.needs import need_data
from tests.videos import encode_film
from vitcam.model.classifier import Classifier

EXAMPLE = Path(__file__).parents[3] / "examples/bird-feeder/config.toml"


@pytest.fixture(scope="module")
def pigeon() -> Thing:
    need_data("caltech101")
    return next(thing for thing in things_of("choose", Classifier("everyday")) if thing.label == "pigeon")


@pytest.mark.slow("training/fit", "examples/bird-feeder")
def test_each_visit_of_a_bird_becomes_a_line_with_the_place_where_it_was(pigeon: Thing, tmp_path: Path) -> None:
    plan = Plan("choose", 0, 2.0, "calm", "feeder", 720)
    film = encode_film(tmp_path / "feeder.mp4", (shot.picture for shot in shots_of(plan, pigeon)), fps=round(FPS))
    command = [sys.executable, "-m", "vitcam", "run", "--config", str(EXAMPLE), "--source", str(film)]
    environ = os.environ | {"STATE_DIRECTORY": str(tmp_path), "XDG_CONFIG_HOME": "/nonexistent"}

    done = subprocess.run(
        [*command, "--no-realtime", "--no-web"], cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=300
    )

    assert done.returncode == 0, done.stderr
    (visit,) = map(json.loads, (tmp_path / "visits.jsonl").read_text().splitlines())
    assert visit["shown"]["label"] in ("bird", "pigeon")
    assert visit["zone"] == "feeder"
    assert visit["box"] is not None
    assert not (tmp_path / "thieves.jsonl").exists()
