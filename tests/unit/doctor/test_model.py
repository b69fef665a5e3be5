"""`vitcam doctor` on the installed models."""

import os
from pathlib import Path

import pytest

from vitcam.doctor import model
from vitcam.doctor.check import CheckContext


def test_each_model_that_cannot_be_read_is_named(
    context: CheckContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "vitcam" / "models"
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("VITCAM_DATA", raising=False)
    well = model.installed(context)
    os.mkfifo(folder / "pipe.tflite")
    (folder / "gone.tflite").symlink_to(folder / "nowhere")
    (folder / "zeros.tflite").write_bytes(bytes(100))
    (folder / "plain.tflite").write_bytes(b"\0\0\0\0TFL3")
    ill = model.installed(context)

    assert (well.status, ill.status) == ("ok", "fail")
    assert ill.found.split("; ") == [
        f"the model {folder}/gone.tflite cannot be read: No such file or directory",
        f"the model {folder}/pipe.tflite cannot be read: it is not a regular file",
        "move it away",
        f"{folder}/zeros.tflite is not a TFLite model: it does not begin like one",
        "move it away",
    ]
