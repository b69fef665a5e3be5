"""The table of overlays, and that everything else reads it."""

import json
import subprocess
import sys

import pytest

from vitcam.frames import Prediction
from vitcam.pictures.overlay import STYLES
from vitcam.pictures.overlay_kinds import OVERLAYS, OverlayKind, available_overlays, default_overlay

_WITH_A_NEW_KIND = """
import json
from dataclasses import replace

from vitcam.pictures import overlay_kinds

new = overlay_kinds.OverlayKind("Mosaic", "The evidence, patch by patch.", overlay_kinds.EVIDENCE, "grid")
overlay_kinds.OVERLAYS["mosaic"] = new

import numpy as np
from typer.testing import CliRunner

from tests.frames import picture, prediction
from vitcam.cli import app
from vitcam.config.describe import schema
from vitcam.rects import Rect
from vitcam.pictures.overlay import draw_overlay
from vitcam.web.stream.variant import Variant, read_variant, stream_record

weights = np.eye(4, dtype=np.float32)
image = picture()
drawn = draw_overlay(image, Rect(28, 0, 72, 72), replace(prediction(), evidence=weights), "mosaic")
print(json.dumps({
    "drawn": bool((drawn != image).any()),
    "schema": schema()["properties"]["overlay"]["properties"]["mode"]["enum"],
    "command line": "mosaic" in CliRunner().invoke(app, ["run", "--overlay", "wrong"]).output,
    "query": read_variant({"overlay": "mosaic"}, 3, Variant()).overlay,
    "page": stream_record(Variant(), overlay_kinds.OVERLAYS)["overlays_explained"][-1],
}))
"""


def test_a_new_kind_is_one_entry_and_is_then_drawn_allowed_and_listed() -> None:
    child = subprocess.run([sys.executable, "-c", _WITH_A_NEW_KIND], capture_output=True, text=True, check=True)
    found = json.loads(child.stdout)

    assert found["drawn"]
    assert found["schema"] == ["auto", *OVERLAYS, "mosaic"]
    assert found["command line"]
    assert found["query"] == "mosaic"
    assert found["page"]["mode"] == "mosaic"
    assert found["page"]["sentence"] == "The evidence, patch by patch."


@pytest.mark.parametrize("kind", OVERLAYS.values(), ids=OVERLAYS)
def test_each_kind_names_a_style_and_a_field_of_a_prediction(kind: OverlayKind) -> None:
    assert (kind.needs is None) == (not kind.style)
    assert kind.needs is None or kind.needs.name in Prediction.__slots__
    assert not kind.style or kind.style in STYLES


def test_rollout_and_evidence_are_offered_only_of_a_model_that_gives_them() -> None:
    of_any_model = set(available_overlays(()))

    assert {"none", "attention", "heat", "grid"} <= of_any_model
    assert {"rollout", "evidence"}.isdisjoint(of_any_model)
    assert "rollout" in available_overlays({"rollout"})
    assert "evidence" in available_overlays({"evidence"})
    assert available_overlays({"rollout", "evidence"}) == tuple(OVERLAYS)


@pytest.mark.parametrize(("gives", "kind"), [({"evidence", "rollout"}, "evidence"), ({"rollout"}, "attention")])
def test_evidence_is_drawn_unasked_only_of_a_model_that_gives_it(gives: set[str], kind: str) -> None:
    assert default_overlay(gives) == kind
