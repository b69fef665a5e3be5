"""`vitcam teach`: from a folder of photos to a model that runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.daemon import daemon
from tests.eventually import eventually
from tests.integration.faults.small_disk import fill, small_disk
from tests.parts.teach.taught import drawn, write
from tests.parts.teach.test_teach import pictures


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "vitcam" / "models"


def test_a_folder_of_photos_becomes_a_model_that_classifies_and_verifies(tmp_path: Path, home: Path) -> None:
    taught = vitcam("teach", str(drawn(tmp_path / "shapes", photos=6)), "-o", "my shapes")
    write(tmp_path / "new.png", pictures("red cross")[0])
    answer = vitcam("classify", str(tmp_path / "new.png"), "--model", "my shapes", "--json")

    assert taught.code == 0, taught.err
    assert taught.out.splitlines()[0] == "my shapes knows 3 labels from 18 pictures"
    assert "95 % interval" in taught.out
    assert answer.lines[0]["top"][0]["label"] == "red cross"
    assert vitcam("models", "verify", "my shapes").code == 0
    assert "cross-validated photos (shapes)" in " ".join(vitcam("models", "show", "my shapes").out.split())


def test_a_program_gets_progress_and_report_as_json(tmp_path: Path, home: Path) -> None:
    lines = vitcam("teach", str(drawn(tmp_path / "shapes", photos=3)), "-o", "shapes", "--json").lines

    assert lines[0] == {"type": "progress", "step": "reading photos", "done": 1, "total": 9}
    assert [line["type"] for line in lines[:-1]] == ["progress"] * (len(lines) - 1)
    assert lines[-1]["type"] == "report"
    assert lines[-1]["accuracy"]["n"] == 9
    assert lines[-1]["labels"][0] == {"label": "blue circle", "photos": 3}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("{empty}", "-o", "x"), "holds no photos"),
        (("{data}", "-o", "x", "--base", "nothing"), "there is no model called 'nothing'"),
    ],
)
def test_what_cannot_be_taught_gets_one_sentence(
    tmp_path: Path, home: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    (tmp_path / "empty").mkdir()
    places = {"empty": tmp_path / "empty", "data": drawn(tmp_path / "data", photos=1)}
    result = vitcam("teach", *(each.format(**places) for each in arguments))

    assert result.code == 2
    assert complaint in " ".join(result.err.split())
    assert "Traceback" not in result.err
    assert not list(home.glob("*"))


def test_a_full_disk_gets_one_sentence_and_leaves_the_model_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = drawn(tmp_path / "shapes", photos=2)
    with small_disk(tmp_path / "disk", "24m") as disk:
        monkeypatch.setenv("XDG_DATA_HOME", str(disk))
        assert vitcam("teach", str(data), "-o", "shapes").code == 0
        before = (disk / "vitcam" / "models" / "shapes.tflite").read_bytes()
        fill(disk)
        result = vitcam("teach", str(data), "-o", "shapes")

        assert result.code == 1
        assert "No space left" in result.err
        assert "Traceback" not in result.err
        assert [path.name for path in (disk / "vitcam" / "models").iterdir()] == ["shapes.tflite"]
        assert (disk / "vitcam" / "models" / "shapes.tflite").read_bytes() == before


def test_a_data_set_that_was_collected_is_found_by_its_name(tmp_path: Path, home: Path) -> None:
    drawn(tmp_path / "state" / "vitcam" / "datasets" / "mine", photos=3)

    taught = vitcam("teach", "mine", "-o", "shapes", XDG_STATE_HOME=str(tmp_path / "state"))

    assert taught.code == 0, taught.err
    assert (home / "shapes.tflite").is_file()


def kill_while_it_writes(data: Path, home: Path) -> list[Path]:
    """Teach, and kill it once a part of the model is in the folder. Returns what it left."""
    with subprocess.Popen([sys.executable, "-m", "vitcam", "teach", data, "-o", "shapes", "--json"]) as child:
        assert eventually(lambda: any(path.stat().st_size > 2**20 for path in home.glob(".*")), every_s=0.005)
        child.kill()
    return list(home.iterdir())


def test_what_a_killed_teaching_left_goes_with_the_next_one_and_with_the_next_start(tmp_path: Path, home: Path) -> None:
    data = drawn(tmp_path / "shapes", photos=2)
    left = [kill_while_it_writes(data, home)]
    with daemon("--source", "v4l2:/dev/video97", "--wait", XDG_DATA_HOME=str(home.parents[1])) as running:
        running.wait_for("no_signal")
        after_a_start = list(home.iterdir())
    left.append(kill_while_it_writes(data, home))
    taught = vitcam("teach", str(data), "-o", "shapes")

    assert all(left)
    assert after_a_start == []
    assert taught.code == 0
    assert list(home.iterdir()) == [home / "shapes.tflite"]
