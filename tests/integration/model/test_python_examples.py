"""Every program in examples/python runs as it stands there, on the models and pictures of the repository."""

import csv
import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.videos import write_video

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "python"

Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ran: set[str]) -> Run:
    """Run the function `main` of an example in the root of the repository; gives what it printed."""
    monkeypatch.chdir(ROOT)

    def run_example(name: str, *arguments: object, **named: object) -> str:
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module: Any = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        ran.add(name)
        module.main(*arguments, **named)
        return capsys.readouterr().out

    return run_example


@pytest.fixture(scope="module")
def ran() -> Iterator[set[str]]:
    """The examples that were run: in the end, all that there are."""
    names: set[str] = set()
    yield names
    if len(names) > 5:  # not where a single test was asked for
        assert names == {path.stem for path in EXAMPLES.glob("*.py")}


def test_classify_a_photo(run: Run) -> None:
    lines = run("classify_a_photo").splitlines()

    assert lines[0] == "espresso"
    assert lines[1].split()[-1] == "espresso"
    assert len(lines) == 4


def test_classify_a_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes((ROOT / "models" / "golden" / "coffee.jpg").read_bytes())
    (tmp_path / "b.jpg").write_bytes(b"no picture")

    assert run("classify_a_folder", str(tmp_path)).split() == ["1", "espresso"]


def test_top_k_as_json(run: Run) -> None:
    record = json.loads(run("top_k_as_json"))

    assert record["type"] == "prediction"
    assert len(record["top"]) == 10
    assert "cat" in record["top"][0]["label"]


def test_save_an_overlay(run: Run, tmp_path: Path) -> None:
    photo, out = ROOT / "models" / "golden" / "coffee.jpg", tmp_path / "where.png"
    run("save_an_overlay", str(photo), str(out))

    before, after = cv2.imread(str(photo)), cv2.imread(str(out))
    assert before is not None
    assert after is not None
    assert before.shape == after.shape
    assert np.abs(before.astype(int) - after).mean() > 2


def test_find_the_nearest_photo(run: Run, tmp_path: Path) -> None:
    for name in ("coffee", "bird"):
        (tmp_path / f"{name}.jpg").write_bytes((ROOT / "models" / "golden" / f"{name}.jpg").read_bytes())
    crop = cv2.imread(str(ROOT / "models" / "golden" / "cat.jpg"))
    assert crop is not None
    cv2.imwrite(str(tmp_path / "part of the cat.jpg"), crop[10:, 10:])

    nearest, *others = run("find_the_nearest_photo", "models/golden/cat.jpg", str(tmp_path)).splitlines()

    assert nearest.endswith("part of the cat.jpg")
    assert float(nearest.split()[0]) > 0.8
    assert len(others) == 2


def test_ask_a_live_camera(run: Run) -> None:
    lines = run("ask_a_live_camera", times=2, every_s=0.0).splitlines()

    assert len(lines) == 2
    assert all(line.endswith(" ms ago") for line in lines)


def test_list_the_events_of_a_film(run: Run, tmp_path: Path) -> None:
    coffee = cv2.imread(str(ROOT / "models" / "golden" / "coffee.jpg"))
    assert coffee is not None
    film = write_video(tmp_path / "film.avi", [np.asarray(coffee, np.uint8)] * 20, "MJPG")

    (line,) = run("list_the_events_of_a_film", str(film)).splitlines()

    assert line.split()[-1] == "espresso"
    assert line.split()[0] == "0.0"


def test_write_a_source(run: Run) -> None:
    lines = run("write_a_source", answers=3).splitlines()

    assert len(lines) == 3
    assert all(line.endswith("espresso") for line in lines)


def test_write_a_sink(run: Run) -> None:
    pictures, *seen = run("write_a_sink", for_s=1.5).splitlines()

    assert int(pictures.split()[0]) > 0
    assert all(line.split()[1] == "s" for line in seen)


def test_write_answers_as_csv(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    run("write_answers_as_csv", "models/golden/digits", str(out))

    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [Path(row["path"]).stem for row in rows] == ["2", "3", "5", "8"]
    assert all(0 <= float(row["p"]) <= 1 for row in rows)
