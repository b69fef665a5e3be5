"""`vitcam doctor` on the installed models."""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from vitcam.doctor import model
from vitcam.doctor.check import CheckContext
from vitcam.model import bundle
from vitcam.model.files import find_model


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


def test_a_golden_image_that_is_named_wrongly_is_a_warning_with_what_it_shows(
    context: CheckContext, tmp_path: Path
) -> None:
    digits = bundle.read(find_model("mnist"))
    assert digits is not None
    path = tmp_path / "digits.tflite"
    path.write_bytes(digits.path.read_bytes())
    bundle.replace_golden(path, [replace(each, true="7") for each in digits.golden])
    settings = replace(context.settings, model=replace(context.settings.model, name=str(path)))
    found = model.model(replace(context, settings=settings))

    assert (found.status, found.found) == ("warn", f"{path} calls 2 2, and the picture shows 7")


@pytest.mark.parametrize(("name", "remedy"), [("ai-edge-litert", "export"), ("tflite-runtime", "ai-edge-litert")])
def test_the_remedy_for_operators_outside_of_the_delegate_depends_on_what_runs_the_model(
    context: CheckContext, monkeypatch: pytest.MonkeyPatch, name: str, remedy: str
) -> None:
    info = SimpleNamespace(name=name, version="2", threads=1, partitions=3, outside=12)
    monkeypatch.setattr(model, "_load", lambda _: SimpleNamespace(runtime=info))
    found = model.runtime(context)

    assert found.status == "warn"
    assert remedy in found.fix
