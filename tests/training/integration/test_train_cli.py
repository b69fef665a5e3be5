"""`vitcam-train` from photos to a model file that the daemon's classifier runs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from tests.refusals import naming
from tests.training.integration.command import call
from tests.training.unit.pictures import COLOURS, RECIPE, write_pictures
from vitcam.errors import UsageError, VitcamError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam_training.cli import app, main
from vitcam_training.model_card.attempts import listed
from vitcam_training.weights.checkpoints import read_weights, save_weights
from vitcam_training.weights.metadata import read_metadata

ABOUT = """
[[about.trained_on]]
data = "drawn for this test"
licence = "CC0"
source = "here"
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with photos, a recipe, a trained run and an exported model, all made by the commands."""
    root = tmp_path_factory.mktemp("workshop")
    write_pictures(root / "photos", each=20, side=32)
    (root / "colours.toml").write_text(RECIPE.format(photos=root / "photos", epochs=8) + ABOUT)
    call("fit", root / "colours.toml", "--out", root / "run")
    (root / "golden").mkdir()
    for name in COLOURS:
        picture = cv2.imread(str(root / "photos" / name / "00.png"))
        cv2.imwrite(str(root / "golden" / f"{name}.png"), picture)
    export = ("export", root / "run" / "weights.safetensors", "-o", root / "colours.tflite")
    call(*export, "--data", root / "photos", "--golden", root / "golden")
    return root


def test_a_model_trained_and_exported_is_run_by_the_daemons_classifier(workshop: Path) -> None:
    classifier = Classifier(workshop / "colours.tflite")
    found = [classifier.classify_image(golden.image).top[0].label for golden in classifier.golden]

    assert found == ["blue", "green", "red"]
    assert all(result.ok for result in classifier.verify())
    assert (classifier.runtime.partitions, classifier.runtime.outside) == (1, 0)


def test_the_file_carries_all_that_its_use_needs(workshop: Path) -> None:
    carried = bundle.read(workshop / "colours.tflite")

    assert carried is not None
    assert carried.labels == ("blue", "green", "red")
    assert (carried.card.grid, carried.card.heads, carried.card.layers) == ((2, 2), 1, 2)
    assert carried.card.trained_on == ({"data": "drawn for this test", "licence": "CC0", "source": "here"},)
    assert carried.card.accuracy["top1"] >= 0.9


@pytest.mark.slow("training")
def test_a_weaker_network_takes_no_better_models_place(
    workshop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model, worse = tmp_path / "colours.tflite", tmp_path / "worse.safetensors"
    for path in workshop.glob("colours.*"):
        shutil.copy(path, tmp_path)
    weights = read_weights(workshop / "colours.safetensors")
    head = {name: -array for name, array in weights.items() if name.startswith("head.")}
    save_weights(worse, weights | head, read_metadata(workshop / "colours.safetensors"))
    before = {path.name: path.read_bytes() for path in tmp_path.glob("colours.*")}
    command = [
        "vitcam-train",
        "export",
        worse,
        "-o",
        model,
        "--data",
        workshop / "photos",
        "--note",
        "upside down",
        "--json",
    ]
    monkeypatch.setattr("sys.argv", [str(word) for word in command])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    carried = bundle.read(model)

    assert ended.value.code == 1
    assert f"vitcam-train: {model} stays" in said.err
    assert json.loads(said.out)["top1"] < 0.5
    assert carried is not None
    assert [each.what for each in listed(carried.card)] == ["", "upside down"]
    assert all(result.ok for result in Classifier(model).verify())
    assert model.read_bytes().startswith(bundle.flatbuffer(workshop / "colours.tflite"))
    assert (tmp_path / "colours.safetensors").read_bytes() == before["colours.safetensors"]
    assert "upside down" in (tmp_path / "colours.md").read_text()

    call(*command[1:], "--replace")
    assert json.loads(call("evaluate", model, "--data", workshop / "photos", "--json"))["top1"] < 0.5


@pytest.mark.slow("training")
def test_export_gives_people_a_table_programs_json_and_nobody_the_librarys_greetings(
    workshop: Path, tmp_path: Path
) -> None:
    model, program = tmp_path / "colours.tflite", Path(sys.executable).with_name("vitcam-train")
    words = [program, "export", workshop / "colours.safetensors", "-o", model, "--data", workshop / "photos"]
    people = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=250, check=True)
    programs = json.loads(call(*words[1:], "--json"))

    assert f"top-1               {programs['top1']:.2%}" in people.stdout
    assert (
        f"wrote {model}, {programs['size_mb']:.2f} MB, and beside it colours.md and colours.safetensors"
        in people.stdout
    )
    assert "{" not in people.stdout
    assert not [
        word
        for word in ("INFO", "XNNPACK", "absl", "oneDNN", "retracing", "XLA", "\n\n")
        if word in people.stderr.strip()
    ]
    assert (programs["file"], programs["n"], programs["cautions"]) == (str(model), 12, [])


@pytest.mark.slow("training")
def test_a_smaller_input_is_exported_with_interpolated_positions(workshop: Path, tmp_path: Path) -> None:
    small = tmp_path / "small.tflite"
    export = ("export", workshop / "colours.safetensors", "-o", small, "--image-size", "16", "--without", "last_row")
    also = ("--also", workshop / "photos", "--also", "blank", "--headline", workshop / "photos")
    call(*export, "--data", workshop / "photos", *also)
    found = json.loads(call("evaluate", small, "--data", workshop / "photos", "--json"))
    classifier = Classifier(small)

    elsewhere = classifier.card.accuracy["elsewhere"]

    assert (classifier.input.height, classifier.input.width) == (16, 16)
    assert found["top1"] == 1.0
    assert [(each["data"], "top1" in each) for each in elsewhere] == [
        (str(workshop / "photos"), True),
        ("blank", False),
    ]
    assert classifier.card.headline == {
        "data": str(workshop / "photos"), "split": "heldout",
        **{name: found[name] for name in ("n", "top1", "top1_low", "top1_high", "top5", "ece")},
    }  # fmt: skip
    card = small.with_suffix(".md").read_text()
    assert f"--also {workshop / 'photos'} --also blank --headline {workshop / 'photos'}" in card
    assert re.search(rf"\| right \| 100\.0% \(.*\) of \d+ photos of `{re.escape(str(workshop / 'photos'))}`", card)


ERRORS = ("ece_if_calibrated", "ece_debiased", "ece_low", "ece_high")
DISPLAYED = ("displayed", "displayed_right", "wrong_displayed")


def test_evaluate_prints_the_fields_that_others_rely_on(workshop: Path) -> None:
    found = json.loads(call("evaluate", workshop / "colours.tflite", "--data", workshop / "photos", "--json"))

    assert list(found)[:11] == [
        "model", "data", "split", "n", "top1", "top5", "ece",
        "float_top1", "agreement", "attention_cosine_mean", "attention_cosine_min",
    ]  # fmt: skip
    assert list(found)[11:] == [
        "skipped",
        "top1_low",
        "top1_high",
        "known",
        "mean_over_classes",
        "classes",
        *ERRORS,
        *(f"{name}{end}" for name in DISPLAYED for end in ("", "_low", "_high")),
        "risk_coverage",
        *("displayed_p", "displayed_ece", "displayed_ece_if_calibrated"),
        *("sure_from", *(f"{name}{end}" for name in ("sure", "sure_right") for end in ("", "_low", "_high"))),
        "labels",
    ]
    assert found["n"] == 12
    assert found["model"] == "colours"
    assert found["split"] == "heldout"
    assert found["top1"] >= 0.9
    assert found["attention_cosine_mean"] > 0.9


def test_float_figures_measured_anew_agree_with_those_in_the_file(workshop: Path) -> None:
    common = ("evaluate", workshop / "colours.tflite", "--data", workshop / "photos", "--json")
    stored = json.loads(call(*common))
    anew = json.loads(call(*common, "--float", workshop / "colours.safetensors"))

    difference = [anew.pop(f"difference{end}") for end in ("", "_low", "_high")]

    assert difference[1] <= difference[0] <= difference[2]
    assert anew.pop("classes") == stored.pop("classes")
    assert anew.pop("risk_coverage") == stored.pop("risk_coverage")
    assert anew == pytest.approx(stored, abs=1e-6)


def test_other_photos_get_no_float_figures_that_were_not_measured(workshop: Path) -> None:
    found = json.loads(
        call("evaluate", workshop / "colours.tflite", "--data", workshop / "photos", "--split", "train", "--json")
    )

    assert found["float_top1"] is None
    assert found["agreement"] is None


@pytest.mark.slow("training")
def test_frames_without_labels_and_a_teacher_become_a_model_file_in_one_command(workshop: Path, tmp_path: Path) -> None:
    (tmp_path / "frames").mkdir()
    for path in sorted((workshop / "photos").rglob("*.png")):
        shutil.copy(path, tmp_path / "frames" / f"{len(list((tmp_path / 'frames').iterdir())):03}.png")
    asked = ("fit", workshop / "colours.toml", "--out", tmp_path / "run", "--data", tmp_path / "frames")
    printed = call(*asked, "--teacher", workshop / "run" / "weights.safetensors", "--export", tmp_path / "pupil.tflite")
    pupil = Classifier(tmp_path / "pupil.tflite")

    assert "top-1" in printed
    assert "next:" not in printed
    assert (pupil.card.name, pupil.labels) == ("frames", ("blue", "green", "red"))
    assert pupil.card.accuracy["top1"] >= 0.9, "of the teacher's answers on photos that were held out"
    assert pupil.card.provenance["taught_by"].endswith("weight 1, temperature 2")


def test_frames_without_labels_and_without_a_teacher_are_refused_with_both_ways_out(tmp_path: Path) -> None:
    write_pictures(tmp_path, each=2)

    with pytest.raises(UsageError, match=naming("folder", "teacher")):
        call("fit", "--data", tmp_path / "red", "--out", tmp_path / "run")


@pytest.fixture(scope="module")
def others(workshop: Path) -> Path:
    """Photos of two of the three labels, without a split, and one file that is no photo."""
    root = write_pictures(workshop / "others", each=6, side=40, seed=5)
    shutil.rmtree(root / "green")
    (root / "red" / "broken.jpg").write_bytes(b"no photo")
    return root


def test_a_folder_of_some_of_the_labels_is_measured_whole(
    workshop: Path, others: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = json.loads(call("evaluate", workshop / "colours.tflite", "--data", others, "--json"))

    assert (found["split"], found["n"], found["skipped"]) == ("all", 12, 1)
    assert [(each["label"], each["n"]) for each in found["classes"]] == [("blue", 6), ("red", 6)]
    assert found["top1_low"] < found["top1"] <= found["top1_high"]
    assert "broken.jpg: not an image" in caplog.text


def test_the_float_network_is_compared_on_some_of_the_labels_too(workshop: Path, others: Path) -> None:
    command = ("evaluate", workshop / "colours.tflite", "--data", others, "--float", workshop / "colours.safetensors")
    found = json.loads(call(*command, "--json"))

    assert found["agreement"] >= 0.9
    assert abs(found["float_top1"] - found["top1"]) <= 0.1


def test_people_get_a_table_with_a_line_for_each_label(workshop: Path, others: Path) -> None:
    said = call("evaluate", workshop / "colours.tflite", "--data", others)

    assert "12 of others, part all, 1 more cannot be read" in said
    assert sum(line.split()[:2] in (["blue", "6"], ["red", "6"]) for line in said.splitlines()) == 2


def test_a_list_of_photos_is_measured_as_a_folder_is(workshop: Path, others: Path, tmp_path: Path) -> None:
    rows = [f"{path},{path.parent.name}" for path in sorted(others.glob("*/*.png"))]
    (tmp_path / "list.csv").write_text("\n".join(["path,label", *rows]))
    listed, whole = (
        json.loads(call("evaluate", workshop / "colours.tflite", "--data", data, "--json"))
        for data in (tmp_path / "list.csv", others)
    )

    assert (listed["data"], listed["n"]) == ("list", 12)
    assert listed["classes"] == whole["classes"]


def test_photos_of_none_of_the_labels_are_told_apart_by_thresholds_of_other_labels(
    workshop: Path, tmp_path: Path
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (12, 32, 32, 3), np.uint8)
    (tmp_path / "strange" / "noise").mkdir(parents=True)
    for i, picture in enumerate(noise):
        cv2.imwrite(str(tmp_path / "strange" / "noise" / f"{i:02}.png"), picture)
    command = ("evaluate", workshop / "colours.tflite", "--data", workshop / "photos", "--json")
    found = json.loads(call(*command, "--unknown", tmp_path / "strange"))["unknown"]

    assert (found["data"], found["n"], found["seeds"]) == ("strange", 12, 3)
    assert 0 <= found["false_rejection"] <= 1
    assert 0 <= found["rejected"] <= 1
    assert found["auroc"] > 0.5


@pytest.mark.slow("training")
def test_our_float16_weights_can_be_fine_tuned_further(workshop: Path, tmp_path: Path) -> None:
    before = (workshop / "colours.safetensors").read_bytes()
    call(
        "finetune", workshop / "colours.toml", "--weights", workshop / "colours.safetensors", "--out", tmp_path / "run"
    )

    assert (tmp_path / "run" / "weights.safetensors").is_file()
    assert (workshop / "colours.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "everyday"], "the recipe everyday adds labels to a trained network; use finetune"),
        (
            ["finetune", "everyday", "--weights", "WEIGHTS", "--blocks", "2"],
            "trains nothing else; leave out --blocks",
        ),
        (["finetune", "everyday", "--weights", "absent.npz"], "no weights at absent.npz"),
        (["export", "absent.safetensors", "-o", "x.tflite"], "no checkpoint at absent.safetensors"),
        (["export", "WEIGHTS", "-o", "x.tflite", "--also", "blank"], "besides those of --data; give --data, too"),
        (["export", "WEIGHTS", "-o", "x.tflite", "--headline", "blank"], "give --data, too, which measures the others"),
        (["export", "WEIGHTS", "-o", "x.tflite", "--image-size", "40"], "40 px cannot be cut into patches of 16 px"),
        (["fit", "scratch", "--data", "blank"], "blank has no labels, so nothing can be learned from it alone"),
        (["evaluate", "MODEL", "--data", "blank", "--float", "WEIGHTS"], "blank has no labels, so a checkpoint"),
        (["evaluate", "absent.tflite", "--data", "PHOTOS"], "no model file absent.tflite"),
        (["evaluate", "MODEL", "--data", "STRANGE"], "photos of 'Gren', which is none of the 3 labels"),
        (["evaluate", "MODEL", "--data", "STRANGE"], "the nearest being 'green', 'red', 'blue'; rename it"),
        (["import", "absent.npz", "--labels", "absent.txt", "-o", "x.safetensors"], "no weights at absent.npz"),
        (["split", "absent", "tree"], "no data set and no folder is called 'absent'"),
    ],
)
def test_bad_input_is_answered_with_one_sentence_and_exit_code_two(
    workshop: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "strange" / "Gren").mkdir(parents=True)
    (tmp_path / "strange" / "Gren" / "1.png").write_bytes(b"")
    places = {
        "MODEL": str(workshop / "colours.tflite"),
        "PHOTOS": str(workshop / "photos"),
        "WEIGHTS": str(workshop / "colours.safetensors"),
        "STRANGE": str(tmp_path / "strange"),
    }
    monkeypatch.setattr("sys.argv", ["vitcam-train", *(places.get(word, word) for word in arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()

    assert ended.value.code == 2
    *warnings, refusal = said.err.strip().splitlines()
    assert refusal.startswith("vitcam-train: ")
    assert message in refusal
    assert "Traceback" not in "".join(warnings)
    assert said.out == ""


def test_an_unknown_keras_backend_is_refused_before_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "theano")

    with pytest.raises(VitcamError, match="allowed: tensorflow, jax, torch"):
        CliRunner().invoke(app, ["fit", "everyday"], catch_exceptions=False)


def test_help_names_every_verb_and_imports_no_framework() -> None:
    said = call("--help")

    verbs = ("finetune", "fit", "import", "export", "evaluate", "report", "words", "split", "draw")
    assert [verb for verb in verbs if verb not in said] == []
