"""A network that learns from a teacher and photos without labels."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.training.unit.pictures import RECIPE, write_pictures
from vitcam.errors import UsageError
from vitcam_training.data.folder import unlabelled_photos
from vitcam_training.fit.loop import WEIGHTS
from vitcam_training.fit.prepare import train
from vitcam_training.fit.unlabelled import ANSWERS, taught_alone
from vitcam_training.recipes.recipe import Recipe, read_recipe

pytestmark = pytest.mark.slow("training/fit", "training/vit.py")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A teacher of three colours, and a folder `frames` of photos whose names say nothing."""
    root = tmp_path_factory.mktemp("room")
    write_pictures(root / "photos", each=20, side=32)
    (root / "colours.toml").write_text(RECIPE.format(photos=root / "photos", epochs=12))
    train(read_recipe(root / "colours.toml"), None, root / "teacher")
    (root / "frames").mkdir()
    write_pictures(root / "seen", each=20, side=32, seed=1)
    for i, path in enumerate(sorted((root / "seen").rglob("*.png"))):
        shutil.copy(path, root / "frames" / f"{i:03}.png")
    return root


@pytest.fixture
def pupil(room: Path) -> Recipe:
    recipe = read_recipe(room / "colours.toml")
    return replace(recipe, data="", called="frames", model=replace(recipe.model, width=32, depth=1))


@pytest.mark.slow("training/fit")
def test_a_smaller_network_learns_what_the_teacher_says_of_photos_without_labels(
    room: Path, pupil: Recipe, tmp_path: Path
) -> None:
    photos = unlabelled_photos(room / "frames")
    recipe, dataset = taught_alone(pupil, photos, room / "teacher" / WEIGHTS, tmp_path / ANSWERS)
    runs = train(recipe, None, tmp_path, dataset, teacher=room / "teacher" / WEIGHTS)

    assert recipe.distil is not None
    assert recipe.distil.weight == 1.0, "nothing but the teacher counts"
    assert dataset.labels == ("blue", "green", "red")
    assert sum(map(len, dataset.parts.values())) == len(photos) == 60
    assert runs[-1].score(dataset.parts["heldout"]).accuracy >= 0.9, "of the teacher's answers"


def test_the_answers_are_written_for_export_and_not_asked_for_again(room: Path, pupil: Recipe, tmp_path: Path) -> None:
    photos, answers = unlabelled_photos(room / "frames"), tmp_path / "run" / ANSWERS
    _, first = taught_alone(pupil, photos, room / "teacher" / WEIGHTS, answers)
    with answers.open(newline="") as file:
        rows = list(csv.DictReader(file))
    written = answers.stat().st_mtime_ns
    _, second = taught_alone(pupil, photos, room / "teacher" / WEIGHTS, answers)

    assert [Path(row["path"]).name for row in rows] == [path.name for path in photos]
    assert {row["label"] for row in rows} == {"blue", "green", "red"}
    assert answers.stat().st_mtime_ns == written
    assert second == first


def test_a_photo_that_cannot_be_read_is_reported_and_left_out(
    room: Path, pupil: Recipe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(room / "frames", tmp_path / "frames")
    (tmp_path / "frames" / "broken.png").write_bytes(b"no picture")
    _, dataset = taught_alone(
        pupil, unlabelled_photos(tmp_path / "frames"), room / "teacher" / WEIGHTS, tmp_path / ANSWERS
    )

    assert "broken.png" in caplog.text
    assert sum(map(len, dataset.parts.values())) == 60


def test_photos_that_all_get_the_same_answer_are_refused_with_it(room: Path, pupil: Recipe, tmp_path: Path) -> None:
    same = unlabelled_photos(room / "seen" / "red")

    with pytest.raises(UsageError, match="1 different answers, 'red'; two are needed"):
        taught_alone(pupil, same, room / "teacher" / WEIGHTS, tmp_path / ANSWERS)
    assert not (tmp_path / ANSWERS).exists()
