"""The examples of CONTRIBUTING.md do what it says they do."""

import json
import re
import shutil
import textwrap
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest

from tests.command import Result, vitcam
from tests.daemon import daemon, get_json
from tests.eventually import eventually
from tests.frames import prediction
from tests.integration.web.camera import Camera
from tests.unit.docs.pages import ROOT
from tests.walks import NEW_PART, PAGE, code_shown, section, touched
from vitcam.errors import UsageError
from vitcam.pictures.overlay_kinds import OVERLAYS, available_overlays
from vitcam.sources import OPENERS, SourceOptions, open_source
from vitcam.web import app
from vitcam.web.given import Binding
from vitcam.web.route_table import HANDLERS
from vitcam.web.server import WebServer

PART_IMPORT = "from vitcam.parts.label_counts import PART as LABEL_COUNTS\n"
TEXT = (ROOT / PAGE).read_text("utf-8")
HEADINGS = re.findall(r"^## (Add .*)$", TEXT, re.MULTILINE)
NUMBERS = ("no", "one", "two", "three", "four")
COUNTS = re.compile(r"You change (\w+) files?(?: and add (\w+))?(?:; (\w+) more (?:is|are) generated)?\.")


def shown(name: str) -> str:
    """The code that a walk shows."""
    return code_shown(TEXT, name)


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_walk_says_how_many_files_its_steps_name(heading: str) -> None:
    said = COUNTS.search(" ".join(section(TEXT, heading).split()))
    walk = touched(TEXT, heading)

    assert said is not None
    assert [NUMBERS.index(word or "no") for word in said.groups()] == [
        len(walk.changed),
        len(walk.added),
        len(walk.generated),
    ]
    assert all((ROOT / name).exists() for name in (*walk.changed, *walk.generated))


def example(name: str) -> dict[str, Any]:
    """What the file of a walk defines."""
    names: dict[str, Any] = {"__name__": name}
    exec(compile(shown(name), f"{PAGE}: {name}", "exec", dont_inherit=True), names)  # our own page
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
    csv_file = example("sink")["CsvFile"]
    sink = csv_file(tmp_path / "seen.csv")
    sink.prediction(prediction(), changed=True)
    sink.close(None)

    assert len((tmp_path / "seen.csv").read_text().splitlines()) == 1
    with pytest.raises(UsageError, match="nowhere"):
        csv_file(tmp_path / "nowhere" / "seen.csv")


def put(path: Path, place: str, code: str, indent: int) -> None:
    """Add lines to a file behind a place that it has once, as somebody who follows a walk does."""
    before, found, after = path.read_text("utf-8").partition(place)
    assert found
    assert place not in after
    path.write_text(before + found + textwrap.indent(code, indent * " ") + after, "utf-8")


def copied(folder: Path) -> Path:
    """The package in a checkout of its own."""
    shutil.copytree(ROOT / "vitcam", folder / "vitcam", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "models").symlink_to(ROOT / "models")
    return folder / "vitcam"


def written(folder: Path) -> set[str]:
    """The files of a copy that are not as the repository has them."""
    files = {path: path.relative_to(folder) for path in (folder / "vitcam").rglob("*.py")}
    return {
        str(name)
        for path, name in files.items()
        if not (ROOT / name).exists() or path.read_bytes() != (ROOT / name).read_bytes()
    }


def test_the_part_of_the_walk_is_its_folder_and_one_line(tmp_path: Path) -> None:
    package = copied(tmp_path)
    folder = package / "parts" / "label_counts"
    folder.mkdir()
    for name, code in (("__init__", "part"), ("counts", "part, object"), ("routes", "part, route")):
        (folder / f"{name}.py").write_text(shown(code), "utf-8")
    table = package / "parts" / "__init__.py"
    named = shown("part, named").partition("..., ")[2].rstrip(")\n")
    put(table, "from vitcam.parts.heat import PART as HEAT\n", PART_IMPORT, 0)
    table.write_text(re.sub(r"(PARTS.* = \()", rf"\1{named}, ", table.read_text("utf-8")))

    options = ("--source", "demo", "--model", "cifar10", "--set", "label_counts.most=3")
    with daemon(*options, PYTHONPATH=str(tmp_path), STATE_DIRECTORY=str(tmp_path / "state")) as running:
        running.wait_for("ok")
        counts = eventually(lambda: get_json(f"{running.url}/api/label-counts")["counts"])
        with urlopen(f"{running.url}/metrics", timeout=10) as answer:
            figures = answer.read().decode()
    checked = vitcam("doctor", "--json", cwd=tmp_path, PYTHONPATH=str(tmp_path)).out
    refused = vitcam("run", "--set", "label_counts.most=0", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    walk = touched(TEXT, NEW_PART)

    assert 0 < len(counts) <= 3
    assert "vitcam_labels_total{label=" in figures
    assert "labels are counted" in checked
    assert (refused.code, "label_counts.most" in refused.sentence) == (78, True)
    assert {*walk.changed, *walk.added} == {*written(tmp_path), "tests/parts/label_counts/"}


def test_the_verb_of_the_walk_is_listed_and_compares_two_photos(tmp_path: Path) -> None:
    package = copied(tmp_path)
    (package / "cli" / "similarity.py").write_text(shown("verb"), "utf-8")
    named = shown("verb, named").partition("..., ")[2].rstrip(")\n")
    put(package / "cli" / "__init__.py", '"explain",', f" {named},", 0)
    coffee, cat = (str(ROOT / "models" / "golden" / name) for name in ("coffee.jpg", "cat.jpg"))

    def run(*arguments: str) -> Result:
        return vitcam(*arguments, cwd=tmp_path, PYTHONPATH=str(tmp_path))

    listed = run("--help").out
    same, different = (run("similarity", coffee, photo, "--json").lines[0]["similarity"] for photo in (coffee, cat))
    refused = run("similarity", coffee, "nowhere.jpg")
    walk = touched(TEXT, "Add a verb")

    assert "Say how similar two photos are to the model" in listed
    assert same == pytest.approx(1)
    assert different < 0.9
    assert (refused.code, "nowhere.jpg" in refused.sentence) == (2, True)
    assert {*walk.changed, *walk.added} == {*written(tmp_path), "tests/integration/cli/"}


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
