"""The examples of CONTRIBUTING.md do what it says they do."""

import json
import re
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

from tests.frames import prediction
from tests.integration.web.camera import Camera
from tests.unit.docs.pages import ROOT
from vitcam.pictures.overlay_kinds import OVERLAYS, available_overlays
from vitcam.sources import OPENERS, SourceOptions, open_source
from vitcam.web import app
from vitcam.web.parts import Binding
from vitcam.web.route_table import HANDLERS
from vitcam.web.server import WebServer

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def example(name: str) -> dict[str, Any]:
    """What the file of a walk defines."""
    found = re.search(rf"<!-- walk: {name} -->\n```python\n(.*?)```", TEXT, re.DOTALL)
    assert found is not None
    names: dict[str, Any] = {"__name__": name}
    exec(compile(found[1], f"CONTRIBUTING.md: {name}", "exec", dont_inherit=True), names)  # our own page
    return names


def test_the_source_of_the_walk_is_opened_by_its_name_and_gives_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPENERS, "pattern", example("source")["Pattern"])

    with open_source("pattern", SourceOptions(width=320, height=240, fps=1000)) as frames:
        first, second = islice(frames, 2)

    assert first.preview.shape == (240, 320, 3)
    assert (first.seq, second.seq) == (0, 1)
    assert (first.preview != second.preview).any()


def test_the_overlay_of_the_walk_is_offered_of_models_that_give_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    before = dict(OVERLAYS)
    example("overlay")
    try:
        offered = available_overlays({"evidence"})
    finally:
        OVERLAYS.clear()
        OVERLAYS.update(before)

    assert "tiles" in offered


def test_the_sink_of_the_walk_writes_a_line_for_a_prediction(tmp_path: Path) -> None:
    sink = example("sink")["CsvFile"](tmp_path / "seen.csv")
    sink.prediction(prediction(), changed=True)
    sink.close(None)

    assert len((tmp_path / "seen.csv").read_text().splitlines()) == 1


def test_the_route_of_the_walk_answers_as_it_is_described(monkeypatch: pytest.MonkeyPatch) -> None:
    added = example("route")["UptimeRoute"]
    monkeypatch.setattr(app, "HANDLERS", (*HANDLERS, added))
    with Camera() as camera:
        server = WebServer(camera.parts(), Binding())
        server.start()
        server.wait_until_serving()
        try:
            with urlopen(f"{server.url}/api/uptime", timeout=10) as answer:
                found = json.load(answer)
            with urlopen(f"{server.url}/openapi.json", timeout=10) as answer:
                described = json.load(answer)["paths"]["/api/uptime"]["get"]
        finally:
            server.stop(2)

    assert found == {"uptime_s": camera.state().uptime_s}
    assert described["summary"] == "How long the daemon has run, in seconds."


def test_the_data_set_of_the_walk_has_its_parts() -> None:
    found = example("data set")["stripes"]()

    assert {part: len(samples) for part, samples in found.parts.items()} == {
        "train": 300,
        "calibration": 50,
        "heldout": 50,
    }
    lying, standing = (np.asarray(sample.pixels) for sample in found.part("train")[:2])
    assert lying.shape == standing.shape == (32, 32, 3)
    assert lying.astype(float).mean(axis=1).std() > standing.astype(float).mean(axis=1).std()
