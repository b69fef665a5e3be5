"""Every command that a card, a report or a closing hint prints is run as it is printed, from some other folder."""

import html
import re
import shlex
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from tests.training.integration.command import call
from tests.training.unit.pictures import RECIPE, write_pictures
from vitcam_training.report import material

pytestmark = pytest.mark.slow("training/cli", "training/report", "training/model_card")


@dataclass(frozen=True)
class Workshop:
    """What was printed where; every path in it has spaces."""

    root: Path
    hint: str
    card: str
    report: str


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """Made with relative paths by the commands, as a user makes a model that is not installed."""
    root = tmp_path_factory.mktemp("the work shop")
    write_pictures(root / "my photos", each=10, side=32)
    (root / "my golden").mkdir()
    (root / "my golden" / "red.png").write_bytes((root / "my photos" / "red" / "00.png").read_bytes())
    (root / "my recipe.toml").write_text(RECIPE.format(photos="my photos", epochs=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(material, "BENCH_S", 0.1)
        patch.chdir(root)
        hint = call("fit", "my recipe.toml", "--data", "my photos", "-o", "my run").partition("next: ")[2]
        export = ("export", "my run/weights.safetensors", "-o", "my model.tflite", "--data", "my photos")
        call(*export, "--golden", "my golden", "--keep", "*/up")
        call("report", "my model.tflite", "--threads", 1, "-o", "report.html")
    report = html.unescape((root / "report.html").read_text(encoding="utf-8"))
    return Workshop(root, hint, (root / "my model.md").read_text(encoding="utf-8"), report)


def printed(workshop: Workshop) -> set[str]:
    in_card = re.findall(r"^\$ (.*)$", workshop.card, re.MULTILINE) + re.findall(r"`(vitcam[^`\n]*)`", workshop.card)
    return {workshop.hint.strip(), *in_card, *re.findall(r"<code>((?:vitcam|python -m).*?)</code>", workshop.report)}


def test_card_report_and_hint_print_the_commands_that_they_should(workshop: Workshop) -> None:
    verbs = sorted({shlex.split(command)[1] for command in printed(workshop) if command.startswith("vitcam")})

    assert verbs == ["evaluate", "export", "fit"]
    assert sum("vitcam_training.study.faithfulness" in command for command in printed(workshop)) == 1
    assert sum("--keep" in command for command in printed(workshop)) == 1, "card and report name one export"


def test_every_printed_command_runs_as_it_is_printed(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in sorted(printed(workshop)):
        program, *words = shlex.split(command)
        if program == "python":
            assert call(*words[2:], program=import_module(f"{words[1]}.__main__").app), command
        else:
            assert program == "vitcam-train"
            assert call(*words), command


def test_a_report_needs_no_data_for_a_model_of_ones_own_photos(workshop: Workshop) -> None:
    assert "Made on" in workshop.report
    assert "data my photos, part heldout" in workshop.report
