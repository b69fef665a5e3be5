"""What a person sees on a terminal of 80 × 24: commands on a pseudo-terminal, read through a terminal emulator."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.daemon import free_port
from tests.grouped import grouped_model, unsure_photo
from tests.terminal import Terminal, terminal

CUP = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty photos of noise, which is like nothing that the model knows, under names of many lengths."""
    place = tmp_path_factory.mktemp("photos")
    rng = np.random.default_rng(0)
    small = rng.integers(0, 256, (64, 64, 3), np.uint8)
    for i in range(40):
        cv2.imwrite(str(place / f"photo-{'x' * (i % 30)}-{i:02}.png"), cv2.add(small, i))
    return place


def shows(text: str) -> Callable[[Terminal], bool]:
    return lambda screen: any(text in row for row in screen.rows)


def test_the_address_stays_in_sight_below_the_bars() -> None:
    port = str(free_port())
    with terminal("run", "--source", "demo", "--port", port) as screen:
        screen.until(lambda screen: shows("inference")(screen) and shows(f"http://127.0.0.1:{port}")(screen))
        for _ in range(10):
            screen.watch(0.3)  # may end in the middle of a drawing
            screen.until(lambda screen: sum(f"watch at http://127.0.0.1:{port}" in row for row in screen.rows) == 1)
        screen.type("\x03")
        code = screen.until_end()

    assert code == 0
    assert screen.cursor_shown


def test_the_bars_of_a_run_leave_no_traces_behind() -> None:
    with terminal("run", "--source", "demo", "--no-web") as screen:
        screen.until(shows("sees"))
        screen.watch(2)
        screen.type("\x03")
        assert screen.until_end() == 0

    drawn = [row for row in screen.everything if "█" in row or "inference" in row]
    assert drawn == [], "the bars go when the run ends"
    assert re.search(r"\d+ frames in ", screen.everything[-1])


@pytest.mark.parametrize("columns", [80, 50])
def test_rows_of_a_folder_are_whole_while_the_progress_bar_moves(folder: Path, columns: int) -> None:
    with terminal("classify", str(folder), columns=columns) as screen:
        assert screen.until_end() == 0
    said = "".join(row.ljust(columns) for row in screen.everything)

    for photo in sorted(folder.iterdir()):
        assert str(photo) in said
    assert len(re.findall("photo-x*-[0-9]+.png", said)) == 40
    assert "classifying" not in said, "the bar is gone at the end"
    assert "━" not in said


def test_lines_for_machines_go_into_the_file_while_the_bar_is_on_the_terminal(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with terminal("classify", str(folder), "--json", stdout=out) as screen:
        assert screen.until_end() == 0

    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["type"] for record in records] == ["prediction"] * 40 + ["summary"]
    assert not any('"type"' in row for row in screen.everything)


def test_a_run_names_the_group_of_an_unsure_label_above_the_bars_and_in_its_events(tmp_path: Path) -> None:
    options = ("--source", str(unsure_photo(tmp_path)), "--model", str(grouped_model(tmp_path)), "--loop", "--no-web")
    unsure = ("--emit", "changes", "--set", "events.enter=0.25", "--set", "events.leave=0.1")
    words = r"even digit +\d\d%, perhaps 2 \d\d%"
    with terminal("run", *options, *unsure) as screen:
        screen.until(lambda screen: any(re.match(words, row) for row in screen.rows))
        screen.until(lambda screen: any(re.search(f"sees +{words}$", row) for row in screen.rows))
        screen.type("\x03")
        assert screen.until_end() == 0
