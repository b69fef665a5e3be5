"""How `vitcam-train` ends when something goes wrong that no verb foresaw."""

import importlib.util
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tests.needs import missing, need_model
from tests.training.unit.pictures import RECIPE, write_pictures
from tests.training.unit.weights.published.random_networks import NETWORKS
from vitcam_training.cli import STUDIES, _interrupt_again, main
from vitcam_training.data import folder
from vitcam_training.weights.metadata import read_metadata


def ended(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    monkeypatch.setattr("sys.argv", ["vitcam-train", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    assert said.out == ""
    assert isinstance(end.value.code, int)
    return end.value.code, said.err.strip()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyboardInterrupt(), "interrupted; what was saved before is kept, so run the same command again"),
        (OSError(28, "No space left on device", "tree/red"), "No space left on device: 'tree/red'"),
        (
            ZeroDivisionError("division by zero"),
            "failed unexpectedly, please report it, with what --verbose says: Zero",
        ),
    ],
)
def test_what_nobody_foresaw_is_one_sentence_and_exit_code_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    message: str,
) -> None:
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr(folder, "lay_out", fail)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    photos = write_pictures(tmp_path / "photos", each=4, side=16)
    code, said = ended(["split", str(photos), str(tmp_path / "tree")], monkeypatch, capsys)

    assert code == 1
    assert f"vitcam-train: {message}" in said.replace("[Errno 28] ", "")
    assert "Traceback" not in said


@pytest.mark.parametrize(("verb", "study"), STUDIES.items())
def test_a_verb_that_is_a_study_now_names_its_command(
    verb: str, study: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = ended([verb, "--page", "page.md"], monkeypatch, capsys)

    assert code == 2
    assert f"python -m vitcam_training.study.{study}" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("kept", "options", "said"),
    [
        ({}, ("--labels-of", "nosuch"), "nosuch"),
        ({}, ("--labels-of", "mnist"), "10 labels of mnist"),
        ({}, ("--labels-of", __file__), "test_cli.py"),
        ({}, ("--interpolation", "nearest"), "nearest"),
        ({}, ("--crop-fraction", "1.5"), "1.5"),
        ({"head.bias": None}, ("--labels-of", "everyday"), "head.bias"),
        ({"head.weight": np.zeros(1000)}, (), "head.weight"),
        ({"head.weight": np.zeros(1000)}, ("--labels-of", "everyday"), "head.weight"),
        ({"patch_embed.proj.weight": np.zeros((3, 3))}, (), "sizes"),
        ({"pos_embed": np.zeros(3)}, (), "sizes"),
        ({"head_dist.weight": np.zeros((3, 192))}, (), "head_dist.bias"),
        ({"cls_token": np.full((1, 1, 192), np.nan)}, (), "cls_token"),
    ],
)
def test_an_import_of_what_does_not_fit_is_one_sentence_and_exit_code_two(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kept: dict[str, object],
    options: tuple[str, ...],
    said: str,
) -> None:
    weights = {name: array for name, array in (NETWORKS[0].weights() | kept).items() if array is not None}
    path = tmp_path / "vit_tiny_patch16_224_augreg_in21k_ft_in1k.npz"
    np.savez(path, **weights)  # type: ignore[arg-type]
    code, refusal = ended(["import", str(path), "-o", str(tmp_path / "net.safetensors"), *options], monkeypatch, capsys)

    assert code == 2
    assert said in refusal.splitlines()[-1]
    assert "Traceback" not in refusal
    assert not (tmp_path / "net.safetensors").exists()


def test_an_interrupt_that_a_callback_swallowed_comes_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", _interrupt_again)

    class Lost:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    Lost()
    with pytest.raises(KeyboardInterrupt):
        threading.Event().wait(10)

    assert "Traceback" not in capsys.readouterr().err


def test_a_file_that_stderr_goes_to_keeps_the_stack_of_an_unexpected_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(folder, "lay_out", fail)
    photos = write_pictures(tmp_path / "photos", each=4, side=16)
    code, said = ended(["split", str(photos), str(tmp_path / "tree")], monkeypatch, capsys)

    assert code == 1
    assert "Traceback" in said
    assert said.splitlines()[-1].startswith("vitcam-train: failed unexpectedly, please report it")


def test_each_line_of_the_log_comes_once_and_warnings_of_libraries_come() -> None:
    program = """
import logging
from vitcam_training.cli import begin
begin(verbose=False)
logging.basicConfig(level=logging.INFO)  # as TensorFlow's converter does
logging.getLogger("vitcam_training.export").warning("ours")
logging.getLogger("library").warning("theirs")
logging.getLogger("library").info("advice")
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stderr

    assert (said.count("ours"), said.count("theirs"), said.count("advice")) == (1, 1, 0)


def test_a_run_whose_folder_cannot_be_made_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    photos = write_pictures(tmp_path / "photos", each=4, side=16)
    (tmp_path / "file").write_text("")
    code, said = ended(["fit", "--data", str(photos), "--out", str(tmp_path / "file" / "run")], monkeypatch, capsys)

    assert code == 2
    assert "cannot be created (Not a directory); name another with --out" in said


@pytest.mark.slow("training/cli", "training/fit")
def test_a_training_says_within_seconds_what_it_is_at_and_then_what_it_does(tmp_path: Path) -> None:
    """Into a pipe: plain lines on stderr, the result alone on stdout."""
    photos = write_pictures(tmp_path / "photos", each=4, side=32)
    (tmp_path / "recipe.toml").write_text(RECIPE.format(photos=photos, epochs=1))
    program = Path(sys.executable).with_name("vitcam-train")
    words = [program, "fit", tmp_path / "recipe.toml", "-o", tmp_path / "run"]
    started_s = time.monotonic()
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        first = process.stderr.readline()
        took_s = time.monotonic() - started_s
        rest, out = process.stderr.read(), process.stdout.read()

    assert first == "vitcam-train: loading Keras on tensorflow\n"
    assert took_s < 30, "5 s on a machine that does nothing else"
    said = " ".join(rest.split())
    places = [
        said.find(words) for words in ("reading the photos of", "compiling the first of 1 steps", "first step took")
    ]
    assert -1 not in places
    assert places == sorted(places)
    assert "\x1b" not in rest
    assert out.splitlines()[0].startswith("wrote ")
    assert process.returncode == 0


EXTRAS = (
    "ai_edge_quantizer", "huggingface_hub", "jax", "keras", "matplotlib", "onnx", "safetensors", "scipy",
    "tensorboardX", "tensorflow", "tokenizers", "torch",
)  # fmt: skip
"""What `pip install vitcam` does not bring."""
WITHOUT = """
from importlib.machinery import PathFinder

found = PathFinder.find_spec
PathFinder.find_spec = lambda name, *where: None if name.partition(".")[0] in {packages!r} else found(name, *where)
from vitcam_training.cli import main
main()
"""


def run_without(packages: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    """`vitcam-train` where these packages are not installed."""
    environment = {name: value for name, value in os.environ.items() if name != "KERAS_BACKEND"}
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(packages=packages), *arguments],
        env=environment, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "mnist"],
        ["finetune", "--weights", "models/mnist.safetensors", "--data", "mnist"],
        ["import", "models/mnist.safetensors", "-o", "net.safetensors"],
        ["export", "models/mnist.safetensors", "-o", "net.tflite"],
        ["export", "models/mnist.safetensors", "-o", "net.onnx", "--onnx"],
        ["draw", "models/mnist.safetensors", "-o", "net.svg"],
        ["report", "models/mnist.tflite", "-o", "report.html"],
        ["words", "models/mnist.safetensors", "a cat", "-o", "words.tflite"],
    ],
)
def test_with_the_daemon_alone_a_verb_says_what_to_install(arguments: list[str]) -> None:
    done = run_without(EXTRAS, *arguments)

    assert done.returncode == 1
    assert "pip install 'vitcam[train]'" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert "report it" not in done.stderr


def test_a_package_of_another_extra_is_named_with_that_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    code, said = ended(
        ["export", "models/mnist.safetensors", "-o", str(tmp_path / "n.onnx"), "--onnx"], monkeypatch, capsys
    )

    assert code == 1
    assert "pip install 'vitcam[onnx]'" in said


def test_a_missing_module_of_our_own_is_a_bug_and_not_a_package_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "vitcam_training.evaluation.evaluate", None)
    code, said = ended(["evaluate", "mnist", "--data", "mnist"], monkeypatch, capsys)

    assert code == 1
    assert "please report it" in said
    assert "pip install" not in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "--data", "nowhere"],
        ["finetune", "--data", "photos", "--weights", "nowhere"],
        ["finetune", "--data", "photos", "--weights", "weights.npz", "--teacher", "nowhere"],
    ],
)
def test_what_is_not_there_is_refused_before_keras_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    (tmp_path / "weights.npz").touch()
    done = run_without(("keras",), *arguments)

    assert done.returncode == 2
    assert "nowhere" in done.stderr
    assert "loading Keras" not in done.stderr


@pytest.mark.parametrize(
    ("measuring", "arguments"),
    [
        ("evaluation.evaluate.evaluate_model", ["evaluate", "MODEL", "--data", "mnist", "--unknown", "nowhere"]),
        ("evaluation.evaluate.evaluate_model", ["evaluate", "MODEL", "--data", "mnist", "--float", "nowhere"]),
        ("export.export.export_model", ["export", "WEIGHTS", "--data", "blank", "--also", "nowhere"]),
        ("export.export.export_model", ["export", "WEIGHTS", "--data", "blank", "--headline", "nowhere"]),
        ("export.export.export_model", ["export", "WEIGHTS", "--data", "blank", "--began-with", "nowhere"]),
        ("export.export.export_model", ["export", "WEIGHTS", "--data", "blank", "--golden", "nowhere"]),
    ],
)
def test_what_is_not_there_is_refused_before_anything_is_measured(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    measuring: str,
    arguments: list[str],
) -> None:
    def minutes(*_: object, **__: object) -> None:
        raise AssertionError("it takes minutes")

    monkeypatch.setattr(f"vitcam_training.{measuring}", minutes)
    places = {"MODEL": str(need_model("mnist")), "WEIGHTS": "models/mnist.safetensors"}
    words = [places.get(word, word) for word in arguments]
    code, said = ended([*words, *(["-o", str(tmp_path / "n.tflite")] * (words[0] == "export"))], monkeypatch, capsys)

    assert code == 2
    assert "nowhere" in said


def test_where_only_jax_is_installed_a_training_runs_on_it(tmp_path: Path) -> None:
    if importlib.util.find_spec("jax") is None:
        missing("JAX is not installed: pip install 'vitcam[accelerators]'")
    photos = write_pictures(tmp_path / "photos", each=4, side=32)
    (tmp_path / "recipe.toml").write_text(RECIPE.format(photos=photos, epochs=1))
    done = run_without(("tensorflow", "torch"), "fit", str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "run"))

    assert done.returncode == 0, done.stderr
    assert "Keras runs on jax: TensorFlow is not installed" in " ".join(done.stderr.split())
    assert "jax" in read_metadata(tmp_path / "run" / "weights.safetensors").provenance["versions"]
