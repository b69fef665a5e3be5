"""Golden images with what they show, from a folder into a model file."""

import shutil
from pathlib import Path

import pytest

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.files import find_model
from vitcam_training.export.golden import golden_images, put_golden

DIGITS = Path(__file__).parents[4] / "models" / "golden" / "digits"
MODEL = find_model("mnist")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DIGITS, tmp_path / "digits"))


def said(folder: Path, *lines: str) -> Path:
    (folder / "true.csv").write_text("\n".join(lines), "utf-8")
    return folder


def test_each_photo_goes_into_the_file_with_its_answer_and_what_it_shows(folder: Path) -> None:
    found = golden_images(MODEL, folder)

    assert [(golden.name, golden.true, golden.top[0].label) for golden in found] == [(n, n, n) for n in "2358"]


def test_without_a_list_nobody_has_said_what_they_show(folder: Path) -> None:
    (folder / "true.csv").unlink()

    assert [golden.true for golden in golden_images(MODEL, folder)] == [""] * 4


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["picture,true", "2.png,2"], "does not say what 3.png shows; add a line for it"),
        (["picture,true", "2.png,two"], "says that 2.png shows 'two', which is no label and no group of the model"),
        (["2.png,2"], "its first line is picture,true"),
        (["picture,true", "2.png"], "each line has these two"),
        ([], "its first line is picture,true"),
    ],
)
def test_a_list_that_leaves_something_open_is_refused(folder: Path, lines: list[str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        golden_images(MODEL, said(folder, *lines))


def test_other_golden_images_leave_the_rest_of_the_file_as_it_was_and_a_wrong_name_is_warned_of(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    copy = tmp_path / "mnist.tflite"
    shutil.copy(MODEL, copy)
    (folder / "2.png").rename(folder / "7.png")
    (folder / "3.png").unlink()
    put_golden(copy, said(folder, "picture,true", "5.png,5", "7.png,7", "8.png,8"))
    before, after = bundle.read(MODEL), bundle.read(copy)

    assert before is not None
    assert after is not None
    assert bundle.flatbuffer(copy) == bundle.flatbuffer(MODEL)
    assert (after.card, after.labels, len(after.blank)) == (before.card, before.labels, len(before.blank))
    assert [golden.name for golden in after.golden] == ["5", "7", "8"]
    assert [record.getMessage() for record in caplog.records] == [
        "the golden image 7 shows 7, and the model says 2; take another photo, or another model"
    ]
