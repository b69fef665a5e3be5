"""`vitcam classify --resume`: a run that was ended goes on, and every photo has exactly one answer."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.command import vitcam
from tests.eventually import eventually
from tests.videos import write_video
from vitcam.errors import UsageError
from vitcam.many_photos import classify_all
from vitcam.model.classifier import Classifier
from vitcam.parts.batch.answer_file import AnswerFile, NumberSet

pytestmark = pytest.mark.long
GOLDEN = Path(__file__).parents[3] / "models" / "golden" / "digits"


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier("mnist", threads=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Photos 0.png to 7.png, of which 3.png and 6.png are no pictures."""
    photos = tmp_path / "photos"
    photos.mkdir()
    for number, digit in enumerate("23582358"):
        shutil.copy(GOLDEN / f"{digit}.png", photos / f"{number}.png")
    for number in (3, 6):
        (photos / f"{number}.png").write_bytes(b"no picture")
    return photos


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def classify(classifier: Classifier, folder: Path, out: Path) -> int:
    """As the command does it; gives how many photos were left out."""
    with AnswerFile(out, classifier.identity) as answers:
        for photo in classify_all(classifier, [str(folder)], answers.unreadable, workers=2, wants=answers.wants):
            answers.prediction(photo.prediction)
        return answers.skipped


def records(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.read_bytes().splitlines()]


def answered(out: Path) -> Counter[str]:
    """How many lines there are about each photo."""
    return Counter(Path(record["path"]).name for record in records(out) if "path" in record)


def once(folder: Path) -> Counter[str]:
    return Counter(path.name for path in folder.iterdir())


def test_the_answers_go_to_the_file_and_a_second_run_adds_none(folder: Path, out: Path) -> None:
    first = vitcam("classify", str(folder), "--model", "mnist", "--resume", str(out))
    written = out.read_bytes()
    second = vitcam("classify", str(folder), "--model", "mnist", "--resume", str(out))

    assert (first.code, second.code) == (0, 0)
    assert (first.out, second.out) == ("", "")
    assert answered(out) == once(folder)
    assert Counter(record["type"] for record in records(out)) == {"model": 1, "prediction": 6, "error": 2}
    assert out.read_bytes() == written
    assert "8 were answered before" in second.err


def test_wherever_a_file_was_torn_every_photo_has_one_whole_line_afterwards(
    classifier: Classifier, folder: Path, out: Path
) -> None:
    classify(classifier, folder, out)
    whole = out.read_bytes()
    ends = [number + 1 for number, byte in enumerate(whole) if byte == ord("\n")]
    for cut in sorted({*range(0, len(whole), 997), *ends, *(end - 1 for end in ends)}):
        out.write_bytes(whole[:cut] + b"\0" * (cut % 2))
        classify(classifier, folder, out)

        assert answered(out) == once(folder), cut
        assert [record["type"] for record in records(out)].count("model") == 1


def test_a_run_that_is_killed_goes_on(folder: Path, out: Path) -> None:
    for number in range(8, 400):
        (folder / f"{number}.png").symlink_to(GOLDEN / "2.png")
    command = [sys.executable, "-m", "vitcam", "classify", str(folder), "--model", "mnist", "--resume", str(out)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        eventually(lambda: process.poll() is not None or (out.exists() and out.stat().st_size > 10_000))
        process.send_signal(signal.SIGKILL)
    before = out.read_bytes().count(b"\n")

    done = vitcam(*command[3:])

    assert 1 < before < 400
    assert done.code == 0
    assert f"{before - 1} were answered before" in done.err
    assert answered(out) == once(folder)


def test_a_photo_that_has_changed_is_answered_again_and_its_last_line_counts(
    classifier: Classifier, folder: Path, out: Path
) -> None:
    classify(classifier, folder, out)
    shutil.copy(GOLDEN / "8.png", folder / "0.png")
    shutil.copy(GOLDEN / "5.png", folder / "3.png")  # was no picture before

    assert classify(classifier, folder, out) == 6
    newest = {Path(record["path"]).name: record for record in records(out) if "path" in record}
    assert newest["0.png"]["top"][0]["label"] == "8"
    assert newest["3.png"]["top"][0]["label"] == "5"
    assert answered(out) == once(folder) + Counter(["0.png", "3.png"])
    assert classify(classifier, folder, out) == 8


def test_what_could_not_be_read_is_tried_again(classifier: Classifier, folder: Path, out: Path) -> None:
    (folder / "away.png").symlink_to(folder / "later")
    classify(classifier, folder, out)
    shutil.copy(GOLDEN / "2.png", folder / "later")
    classify(classifier, folder, out)

    assert [record["type"] for record in records(out) if str(record.get("path")).endswith("away.png")] == [
        "error",
        "prediction",
    ]


def test_a_photo_that_is_named_twice_is_answered_once(classifier: Classifier, folder: Path, out: Path) -> None:
    targets = [str(folder / "0.png"), str(folder), str(folder / "0.png")]
    with AnswerFile(out, classifier.identity) as answers:
        for photo in classify_all(classifier, targets, answers.unreadable, wants=answers.wants):
            answers.prediction(photo.prediction)

    assert answered(out) == once(folder)


def test_names_that_are_not_text_are_known_again(classifier: Classifier, folder: Path, out: Path) -> None:
    shutil.copy(os.fsencode(GOLDEN / "2.png"), os.fsencode(folder) + b"/caf\xe9.png")

    assert classify(classifier, folder, out) == 0
    assert classify(classifier, folder, out) == 9


def test_lines_that_json_has_written_before_count_too(classifier: Classifier, folder: Path, out: Path) -> None:
    printed = vitcam("classify", str(folder), "--model", "mnist", "--json")
    out.write_text(printed.out)

    assert classify(classifier, folder, out) == 6, "what cannot be read says nothing of its file there"


@pytest.mark.parametrize(
    "line",
    [
        b"some notes\n",
        b"[]\n",
        b'{"type": "model", "name": "everyday", "fingerprint": "0"}\n',
        b'{"type": "config"}\n',
        b'"' + b"x" * 2**20 + b'"\n',
        b"[" * 100_000 + b"\n",
    ],
    ids=["text", "list", "another model", "another record", "a long line", "deep"],
)
def test_a_file_of_something_else_is_refused_and_stays_as_it_is(line: bytes, folder: Path, out: Path) -> None:
    out.write_bytes(line + b'{"type": "summary"}\n')

    with pytest.raises(UsageError, match=r"out\.jsonl"):
        classify(Classifier("mnist"), folder, out)
    assert out.read_bytes() == line + b'{"type": "summary"}\n'


def test_a_file_that_another_process_writes_is_refused(classifier: Classifier, folder: Path, out: Path) -> None:
    with AnswerFile(out, classifier.identity), pytest.raises(UsageError, match="another vitcam"):
        classify(classifier, folder, out)


def test_other_outputs_beside_it_are_refused(folder: Path, out: Path, tmp_path: Path) -> None:
    for also in (["--json"], ["--overlay", str(tmp_path)]):
        refused = vitcam("classify", "--model", "mnist", str(folder), "--resume", str(out), *also)

        assert refused.code == 2
        assert also[0] in refused.sentence
    assert not out.exists()


def test_what_cannot_be_written_or_read_again_is_refused(classifier: Classifier, folder: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path, tmp_path / "nowhere" / "out.jsonl", Path("/dev/full")):
        with pytest.raises(UsageError, match=place.name):
            classify(classifier, folder, place)


def test_a_film_has_no_photos_to_resume(classifier: Classifier, out: Path, tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.avi", [np.zeros((64, 64, 3), np.uint8)] * 3, "MJPG")

    with pytest.raises(UsageError, match="film"):
        classify(classifier, film, out)


def test_photos_that_were_answered_take_little_memory() -> None:
    numbers = np.random.default_rng(0).integers(0, 2**63, 70_000).tolist()
    tracemalloc.start()
    try:
        known = NumberSet()
        for number in numbers:
            known.add(number)
        took = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()

    assert took < 1_500_000, "a set takes 6 MB"
    assert len(known) == len(set(numbers))
    assert all(number in known for number in numbers)
    assert not any(number + 1 in known for number in set(numbers) - {other - 1 for other in numbers})
