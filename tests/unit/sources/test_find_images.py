"""Finding images: sorted as whole paths, each folder once, and a million names in little memory."""

import random
import tracemalloc
from pathlib import Path

import pytest

from vitcam.frames import Unreadable
from vitcam.sources import images
from vitcam.sources.images import find_images


def unexpected(bad: Unreadable) -> None:
    raise AssertionError(bad)


@pytest.mark.parametrize("run", [2, 50_000])
def test_images_come_in_the_order_of_their_whole_paths(
    run: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "_RUN", run)
    draw = random.Random(0)
    names = ["a", "a.png", "a-b", "a.b", "ab", "B", "ä", "0"]
    for _ in range(60):
        path = tmp_path.joinpath(*draw.choices(names, k=draw.randint(1, 3)))
        if not any(each.is_file() for each in (path, *path.parents)):
            path.mkdir(parents=True, exist_ok=True)
            (path / f"{draw.choice(names)}!.png").touch()
            (path / "notes.txt").touch()

    found = [*find_images(str(tmp_path), unexpected)]

    assert found == sorted(str(path) for path in tmp_path.rglob("*.png") if path.is_file())
    assert len(found) > 20


def test_a_folder_that_two_links_lead_to_and_a_link_in_a_circle_are_entered_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "photo.png").touch()
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "up").symlink_to(tmp_path)

    assert [*find_images(str(tmp_path), unexpected)] == [str(tmp_path / "a" / "photo.png")]


def test_many_names_in_one_folder_take_the_memory_of_their_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "_RUN", 2_000)
    count, first = 40_000, "IMG_0000000.png"
    tracemalloc.start()
    try:
        names = images._sorted(f"IMG_{(7919 * number) % count:07d}.png" for number in range(count))
        given = sum(1 for _ in names)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert given == count
    assert peak < 2 * count * len(first), "a list of them takes 3 MB"
