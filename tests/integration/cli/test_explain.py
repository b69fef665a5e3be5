"""`vitcam explain` as its user has it: the bundled model, a photo, a picture, and everything that can be wrong."""

import os
import shutil
from pathlib import Path

import cv2
import pytest

from tests.command import Result, vitcam
from tests.needs import need_model

COFFEE = Path(__file__).parents[3] / "models" / "golden" / "coffee.jpg"


@pytest.fixture
def espresso(tmp_path: Path) -> Path:
    """The photo of an espresso, in a folder that says so."""
    (tmp_path / "espresso").mkdir()
    return Path(shutil.copy(COFFEE, tmp_path / "espresso"))


def explain(*arguments: object) -> Result:
    return vitcam("explain", *map(str, arguments))


def test_a_photo_in_a_folder_of_its_label_is_explained_and_judged(espresso: Path, tmp_path: Path) -> None:
    need_model("everyday")
    result = explain(espresso, "-o", tmp_path / "out.png")
    sheet = cv2.imread(str(tmp_path / "out.png"))

    assert result.code == 0, result.err
    assert result.err == ""
    assert result.out.startswith("wrote ")
    assert "espresso, 9" in result.out
    assert result.out.endswith("right, the folder says so\n")
    assert sheet is not None
    assert sheet.shape[1] == 1920


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.jpg", "-o", "out.png"], "there is no photo absent.jpg"),
        (["FOLDER", "-o", "out.png"], "is a folder; explain takes one photo"),
        (["TEXT", "-o", "out.png"], "not an image"),
        (["CUT", "-o", "out.png"], "truncated after"),
        (["PIPE", "-o", "out.png"], "is not a file"),
        (["PHOTO", "-o", "out.gif"], "must end in .png, .jpg"),
        (["PHOTO", "-o", "absent/out.png"], "there is no folder absent"),
        (["PHOTO", "-o", "PHOTO"], "is the photo itself"),
        (["PHOTO", "-o", "FOLDER.png"], "is a folder; name the picture"),
        (["PHOTO", "-o", "out.png", "--opacity", "1.5"], "--opacity is 1.5"),
        (["PHOTO", "-o", "out.png", "--top-k", "41"], "--top-k is 41; at most 40"),
        (["PHOTO", "-o", "out.png", "-m", "absent"], "there is no model called 'absent'"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(
    espresso: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "text.jpg").write_text("this is no picture")
    (tmp_path / "cut.jpg").write_bytes(COFFEE.read_bytes()[:3000])
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.jpg")
    places = {"PHOTO": espresso, "FOLDER": espresso.parent, "TEXT": tmp_path / "text.jpg", "CUT": tmp_path / "cut.jpg",
              "PIPE": tmp_path / "pipe.jpg", "FOLDER.png": tmp_path / "folder.png"}  # fmt: skip
    result = vitcam("explain", *(str(places.get(word, word)) for word in arguments), cwd=tmp_path)

    assert result.code == 2, result.err
    assert "Traceback" not in result.err
    assert result.sentence.startswith("vitcam: ")
    assert message in result.sentence
    assert not (tmp_path / "out.png").exists()


def test_a_picture_that_cannot_be_written_ends_with_one(espresso: Path) -> None:
    if not Path("/proc/self").exists():
        pytest.skip("needs /proc, where nobody can write")
    result = explain(espresso, "-o", "/proc/out.png")

    assert result.code == 1
    assert "/proc/out.png cannot be written" in result.sentence


def test_the_photo_is_still_itself_when_named_through_a_link(espresso: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jpg"
    link.symlink_to(espresso)
    before = espresso.read_bytes()
    result = explain(espresso, "-o", link)

    assert result.code == 2
    assert espresso.read_bytes() == before
