from dataclasses import replace
from pathlib import Path

from vitcam_training.about import PLANNED
from vitcam_training.calibration import RANGE
from vitcam_training.card import write_card

from vitcam.model.bundle import Card
from vitcam.resize import InputSpec

FIGURES = {
    "data": "everyday", "split": "heldout", "n": 1040, "top1": 0.9375, "top5": 0.99, "ece": 0.02,
    "float_top1": 0.94, "agreement": 0.995, "attention_cosine_mean": 0.9876, "attention_cosine_min": 0.81,
}  # fmt: skip
CARD = Card(
    "mine", "three colours", InputSpec(32, 32), {"probabilities": 0}, 8, (4, 4), 2, 3, 128, 12345,
    temperature=1.25, threshold=0.4, licence="CC0", accuracy=FIGURES,
    trained_on=({"data": "my photos", "licence": "CC0", "source": "https://example.org"},),
    provenance={"recipe": "mine", "versions": {"keras": "3.15.1"}, "hours": 1.5},
)  # fmt: skip


def card_text(folder: Path, card: Card) -> str:
    model = folder / "mine.tflite"
    model.write_bytes(b"12345678")
    write_card(model, card)
    return (folder / "mine.md").read_text()


def test_every_figure_of_a_card_has_its_command_beside_it(tmp_path: Path) -> None:
    lines = card_text(tmp_path, CARD).splitlines()
    figures = lines[lines.index("| figure | value | command |") + 2 :][:7]

    assert all("`vitcam-train evaluate mine --data everyday --split heldout --json" in line for line in figures)
    assert "93.75%" in figures[0]
    assert "0.9876" in figures[5]


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


def test_a_card_gives_the_commands_that_make_its_model_again(tmp_path: Path) -> None:
    made = {"recipe": "mine", "data": "my photos", "began_with": "deit.npz"}
    tuned = card_text(tmp_path, replace(CARD, provenance=made))
    begun = card_text(tmp_path, replace(CARD, provenance=made | {"began_with": "random weights"}))

    assert "$ vitcam-train finetune mine --weights deit.npz\n" in tuned
    assert "$ vitcam-train fit mine\n" in begun
    assert f"export runs/mine/weights.safetensors -o {tmp_path.name}/mine.tflite --data my photos\n" in begun
    assert "$ " not in card_text(tmp_path, replace(CARD, provenance={"began_with": "deit.npz"}))


def test_the_command_of_a_model_that_carries_golden_images_names_their_folder(tmp_path: Path) -> None:
    made = {"recipe": "mine", "data": "cups", "began_with": "deit.npz", "golden": "photos/golden"}

    assert "--data cups --golden photos/golden\n" in card_text(tmp_path, replace(CARD, provenance=made))


def test_a_model_of_ones_own_photos_and_a_teacher_has_both_in_its_command(tmp_path: Path) -> None:
    made = {"recipe": "folder", "data": "cups", "began_with": "deit.npz", "teacher": "large.safetensors"}
    text = card_text(tmp_path, replace(CARD, provenance=made))

    assert "$ vitcam-train finetune folder --weights deit.npz --data cups --teacher large.safetensors\n" in text
    assert f"export runs/mine/weights.safetensors -o {tmp_path.name}/mine.tflite --data cups\n" in text


def test_a_card_shows_the_curves_of_the_run_where_there_are_any(tmp_path: Path) -> None:
    without = card_text(tmp_path, CARD)
    (tmp_path / "mine.svg").write_text("<svg/>")

    assert "mine.svg" not in without
    assert "(mine.svg)" in card_text(tmp_path, CARD)


def test_a_card_says_which_token_the_head_reads(tmp_path: Path) -> None:
    assert "8 px; the head reads the class token |" in card_text(tmp_path, CARD)
    assert "the head reads the mean of all patches' tokens" in card_text(tmp_path, replace(CARD, pooling="mean"))


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


def test_a_card_says_that_training_was_stopped_early(tmp_path: Path) -> None:
    text = card_text(tmp_path, replace(CARD, provenance={"recipe": "mine", "epochs": 1, PLANNED: 15}))

    assert "> **Caution**: It was exported after 1 of 15 epochs: its training was stopped early." in text
    assert "- epochs: 1 of 15\n" in text
    assert "planned" not in text
