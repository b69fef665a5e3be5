from dataclasses import replace
from pathlib import Path

import pytest

from vitcam.model.card import ModelCard
from vitcam.pictures.resize import InputSpec
from vitcam_training.cli.tables import export_table
from vitcam_training.evaluation.answers import OTHER_DATASETS
from vitcam_training.evaluation.calibration import RANGE
from vitcam_training.model_card.page import write_card
from vitcam_training.weights.metadata import PLANNED

FIGURES = {
    "data": "everyday", "split": "heldout", "n": 1040, "top1": 0.9375, "top5": 0.99, "ece": 0.02,
    "float_top1": 0.94, "agreement": 0.995, "attention_cosine_mean": 0.9876, "attention_cosine_min": 0.81,
}  # fmt: skip
CARD = ModelCard(
    "mine", "three colours", InputSpec(32, 32), {"probabilities": 0}, 8, (4, 4), 2, 3, 128, 12345,
    temperature=1.25, threshold=0.4, licence="CC0", accuracy=FIGURES,
    trained_on=({"data": "my photos", "licence": "CC0", "source": "https://example.org"},),
    provenance={"recipe": "mine", "versions": {"keras": "3.15.1"}, "hours": 1.5},
)  # fmt: skip


def card_text(folder: Path, card: ModelCard) -> str:
    model = folder / "mine.tflite"
    model.write_bytes(b"12345678")
    write_card(model, card)
    return (folder / "mine.md").read_text()


def test_every_figure_of_a_card_has_its_command_beside_it(tmp_path: Path) -> None:
    lines = card_text(tmp_path, CARD).splitlines()
    figures = lines[lines.index("| figure | value | command |") + 2 :][:7]

    again = f"`vitcam-train evaluate {tmp_path / 'mine.tflite'} --data everyday --split heldout --json"
    assert all(again in line for line in figures)
    assert "93.75%" in figures[0]
    assert "0.9876" in figures[5]


@pytest.mark.parametrize(("labels", "is_there"), [(3, False), (5, False), (6, True), (None, True)])
def test_the_first_five_guesses_are_left_out_where_they_name_every_label(
    tmp_path: Path, labels: int | None, is_there: bool
) -> None:
    figures = FIGURES | ({"labels": labels} if labels else {})

    assert ("top-5" in card_text(tmp_path, replace(CARD, accuracy=figures))) == is_there
    assert ("top-5" in export_table(replace(CARD, accuracy=figures), ())) == is_there


def test_a_card_says_what_the_model_was_made_of(tmp_path: Path) -> None:
    text = card_text(tmp_path, CARD)

    for fact in (
        "# mine: three colours",
        "12,345 parameters",
        "my photos | CC0 | https://example.org",
        "keras 3.15.1",
        "hours: 1.5",
    ):
        assert fact in text


def test_a_card_gives_the_commands_that_made_its_model(tmp_path: Path) -> None:
    made = {"trained_by": "vitcam-train fit 'a b.toml'", "exported_by": "vitcam-train export 'a b' -o c.tflite"}
    text = card_text(tmp_path, replace(CARD, provenance=made))

    assert "```console\n$ vitcam-train fit 'a b.toml'\n$ vitcam-train export 'a b' -o c.tflite\n```" in text
    assert "- trained by" not in text
    assert "$ " not in card_text(tmp_path, replace(CARD, provenance={"began_with": "deit.npz"}))


def test_a_model_from_before_it_kept_its_commands_gets_them_by_its_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = {"recipe": "folder", "data": "my cups", "began_with": "deit.npz", "teacher": "large.safetensors"}
    made |= {"golden": "photos/golden", "export_options": "--keep '*/up'"}
    text = card_text(tmp_path, replace(CARD, provenance=made))
    train = f"finetune folder --weights {tmp_path}/deit.npz --out {tmp_path}/runs/mine --data '{tmp_path}/my cups'"
    export = f"export {tmp_path}/runs/mine/weights.safetensors -o {tmp_path}/mine.tflite --data '{tmp_path}/my cups'"

    assert f"$ vitcam-train {train} --teacher {tmp_path}/large.safetensors\n" in text
    assert f"$ vitcam-train {export} --golden {tmp_path}/photos/golden --keep '*/up'\n" in text


def test_a_card_has_a_line_for_each_other_source_of_photos(tmp_path: Path) -> None:
    camera = {
        "data": "camera", "split": "all", "n": 200, "top1": 0.7, "top1_low": 0.63, "top1_high": 0.76,
        "top1_or_group": 0.82, "ece_debiased": 0.02, "ece_low": 0.0, "ece_high": 0.05, "known": 0.91,
        "displayed": 0.9, "displayed_low": 0.85, "displayed_high": 0.94, "displayed_ece": 0.04,
        "displayed_ece_if_calibrated": 0.03,
    }  # fmt: skip
    walls = {"data": "walls", "split": "all", "n": 50, "known": 0.02, "known_low": 0.0, "known_high": 0.1}
    text = card_text(tmp_path, replace(CARD, accuracy=FIGURES | {OTHER_DATASETS: [camera, walls]}))

    assert (
        "| camera | 200 | 70.0% (63.0% to 76.0%) | 82.0% | 2.0% (0.0% to 5.0%) | 91.0% | 90.0% (85.0% to 94.0%) | – | "
        "4.0% (3.0%) | `vitcam-train"
    ) in text
    assert "| walls | 50 | – | – | – | 2.0% | – | – | – | `vitcam-train evaluate" in text
    assert "by source" not in card_text(tmp_path, CARD)


def test_a_card_says_how_much_is_displayed_and_how_much_of_it_is_right(tmp_path: Path) -> None:
    half = {"threshold": 0.5, "n": 150, "coverage": 0.75, "right": 0.9, "right_low": 0.84, "right_high": 0.94}
    found = {
        "risk_coverage": [half], "wrong_displayed": 0.4, "wrong_displayed_low": 0.3, "wrong_displayed_high": 0.5,
        "sure_from": 0.655, "sure": 0.7, "sure_low": 0.6, "sure_high": 0.8, "sure_right": 0.95, "sure_right_low": 0.9,
        "sure_right_high": 0.98, "displayed_p": 0.88, "displayed_ece": 0.04, "displayed_ece_if_calibrated": 0.03,
    }  # fmt: skip
    text = card_text(tmp_path, replace(CARD, accuracy=FIGURES | found, score=2, least_familiarity=0.5))

    assert "| 0.5 | 75.0% | 150 | 90.0% (84.0% to 94.0%) |" in text
    assert "88.0% on average, and its calibration error 4.0% (3.0%)" in text
    assert "40.0% (30.0% to 50.0%) are displayed" in text
    assert "70.0% (60.0% to 80.0%) of the photos" in text
    assert "label or group, with a probability of 0.5 or more; below a familiarity of 0.5 nats" in text
    assert "What is displayed" not in card_text(tmp_path, CARD)


def test_a_card_says_its_limits_its_curves_its_pooling_and_that_training_was_stopped_early(tmp_path: Path) -> None:
    plain = card_text(tmp_path, CARD)
    made = {"recipe": "mine", "epochs": 1, PLANNED: 15, "limits": "It names no hands."}
    (tmp_path / "mine.svg").write_text("<svg/>")
    text = card_text(tmp_path, replace(CARD, pooling="mean", provenance=made))

    assert "8 px; the head reads the class token |" in plain
    assert "the head reads the mean of all patches' tokens" in text
    assert ("mine.svg" in plain, "(mine.svg)" in text) == (False, True)
    assert "> **Caution**: It was exported after 1 of 15 epochs: its training was stopped early." in text
    assert "- epochs: 1 of 15\n" in text
    assert text.endswith("\n\nIt names no hands.\n")
    assert not any(word in text for word in ("planned", "- limits"))


def test_a_card_without_figures_says_so_instead_of_inventing_any(tmp_path: Path) -> None:
    text = card_text(tmp_path, replace(CARD, accuracy={}, provenance={}, trained_on=()))

    assert "None were measured." in text
    assert "How it was made" not in text
    assert "Trained on" not in text


def test_a_card_warns_where_the_search_for_the_temperature_ended_at_its_edge(tmp_path: Path) -> None:
    inside = card_text(tmp_path, replace(CARD, temperature=RANGE[0] * 1.1))
    edge = card_text(tmp_path, replace(CARD, temperature=RANGE[1] * 0.9999))

    assert "Caution" not in inside
    assert "> **Caution**: The temperature is 99.99, an end of the range that was searched (0.01 to 100)" in edge


def test_a_model_that_names_hardly_anything_is_announced_with_a_caution(tmp_path: Path) -> None:
    def announced(displayed: float, right: float | None) -> tuple[str, str]:
        found = FIGURES | {"n": 80, "displayed": displayed, "displayed_right": right}
        card = replace(CARD, accuracy=found, score=2, least_familiarity=0.5)
        return export_table(card, ()), card_text(tmp_path, card)

    table, text = announced(0.0, None)
    assert "displayed" in table
    assert "This model names 0 of 80 held-out photos." in text
    table, text = announced(0.8, 0.9)
    assert "80.00%  (90.00% of it right)" in table
    assert "This model names" not in text
