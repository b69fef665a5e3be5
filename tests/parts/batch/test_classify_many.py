"""`vitcam classify` of many photos: side by side, and told as if they had been looked at one after the other."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.videos import write_video
from vitcam.errors import SourceError
from vitcam.frames import Unreadable
from vitcam.many_photos import classify_all
from vitcam.model.classifier import Classifier

PATIENCE_S = 30.0
pytestmark = pytest.mark.long
GOLDEN = Path(__file__).parents[3] / "models" / "golden" / "digits"
HANGS = """
import ctypes, os
import cv2

decode = cv2.imdecode

def hang(data, *how):
    if len(data) < 50_000:  # an image that the model carries
        return decode(data, *how)
    # not even a signal interrupts it, as it does not interrupt OpenCV
    mutex, libc = ctypes.create_string_buffer(64), ctypes.CDLL(None)
    libc.pthread_mutex_lock(mutex)
    os.write(2, b"hangs\\n")  # in one piece: several threads come here
    libc.pthread_mutex_lock(mutex)

cv2.imdecode = hang
"""


@pytest.fixture(scope="module")
def classifier() -> Classifier:
    return Classifier("mnist")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """a.png to h.png; c.png and f.png are no pictures."""
    photos = tmp_path / "photos"
    photos.mkdir()
    for name, digit in zip("abcdefgh", "23582358", strict=True):
        shutil.copy(GOLDEN / f"{digit}.png", photos / f"{name}.png")
    for name in "cf":
        (photos / f"{name}.png").write_bytes(b"no picture")
    return photos


class Told:
    """Everything that was said, in one row."""

    def __init__(self) -> None:
        self.row: list[str] = []
        self.seqs: list[int] = []
        self.total = 0

    def unreadable(self, bad: Unreadable) -> None:
        self.row.append(f"not {Path(bad.path).stem}")

    def expect(self, more: int) -> None:
        self.total += more

    def listen(self, classifier: Classifier, *targets: Path, workers: int = 2) -> None:
        for done in classify_all(classifier, [str(t) for t in targets], self.unreadable, self.expect, workers):
            assert done.prediction.seq == done.frame.seq
            self.seqs.append(done.frame.seq)
            self.row.append(Path(done.frame.path or "").stem)


def beside(do: Callable[..., object], both: threading.Barrier, *asked: object, **how: object) -> object:
    """Do it, once another thread does it as well."""
    both.wait(PATIENCE_S)
    return do(*asked, **how)


def test_several_photos_are_decoded_at_once(
    classifier: Classifier, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cv2, "imdecode", partial(beside, cv2.imdecode, threading.Barrier(2)))

    (told := Told()).listen(classifier, folder)

    assert len(told.seqs) == 6


def test_a_photo_that_takes_long_and_broken_ones_between_change_no_order(
    classifier: Classifier, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode, others, lock = cv2.imdecode, threading.Event(), threading.Lock()
    calls: list[int] = []

    def first_is_slow(data: object, *how: int) -> object:
        with lock:
            calls.append(len(calls))
            first = len(calls) == 1
            if len(calls) == 4:
                others.set()
        assert not first or others.wait(PATIENCE_S), "nothing is decoded beside a slow photo"
        return decode(data, *how)

    monkeypatch.setattr(cv2, "imdecode", first_is_slow)
    (told := Told()).listen(classifier, folder)

    assert told.row == ["a", "b", "not c", "d", "e", "not f", "g", "h"]
    assert told.seqs == list(range(6)), "photos that cannot be read are not counted"
    assert told.total == 8


def test_a_target_that_is_not_there_is_refused_after_the_answers_before_it(
    classifier: Classifier, folder: Path, tmp_path: Path
) -> None:
    told = Told()

    with pytest.raises(SourceError):
        told.listen(classifier, folder / "a.png", tmp_path / "nothing.png")

    assert told.row == ["a"]


def test_each_target_counts_its_own_photos(classifier: Classifier, folder: Path) -> None:
    (told := Told()).listen(classifier, folder, folder / "a.png", folder)

    assert told.seqs == [*range(6), 0, *range(6)]


def test_the_answers_are_those_of_one_photo_alone_bit_for_bit(classifier: Classifier, folder: Path) -> None:
    many = list(classify_all(classifier, [str(folder)], Told().unreadable, Told().expect, 3))

    for done in many:
        (alone,) = classify_all(classifier, [str(done.frame.path)], Told().unreadable, Told().expect)
        assert done.prediction.top == alone.prediction.top
        assert np.array_equal(done.frame.preview, alone.frame.preview)


def test_one_photo_has_the_classifier_and_all_its_threads(
    classifier: Classifier, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Classifier, "clone")

    (told := Told()).listen(classifier, folder / "a.png")

    assert told.row == ["a"]


def test_frames_of_a_video_are_answered_by_several_threads_in_order(
    classifier: Classifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shades = (np.full((64, 64, 3), shade, np.uint8) for shade in range(0, 240, 20))
    clip = str(write_video(tmp_path / "clip.avi", shades, "MJPG"))
    monkeypatch.setattr(cv2, "resize", partial(beside, cv2.resize, threading.Barrier(2)))

    frames = [done.frame for done in classify_all(classifier, [clip], Told().unreadable, Told().expect, 2)]

    assert [frame.seq for frame in frames] == list(range(12))
    assert [round(float(frame.preview.mean()) / 20) for frame in frames] == list(range(12))


def test_ctrl_c_ends_it_at_once_also_while_photos_are_decoded_for_ever(folder: Path, tmp_path: Path) -> None:
    for name in "abde":
        noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), np.uint8)
        cv2.imwrite(str(folder / f"{name}.png"), noise)
    patched = tmp_path / "patched"
    patched.mkdir()
    (patched / "sitecustomize.py").write_text(HANGS)
    command = [sys.executable, "-m", "vitcam", "classify", str(folder), "--model", "mnist"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(patched)},
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "hangs\n"
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            code = process.wait(10)
        finally:
            process.kill()
        took_s = time.monotonic() - asked
        said = process.stderr.read()

    assert code == 130
    assert took_s < 5
    assert "Traceback" not in said
