"""What becomes of a model file when another is exported in its place. No network is needed to decide it."""

import json
import logging
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vitcam.errors import UsageError
from vitcam.frames import Guess
from vitcam.model import bundle
from vitcam.model.bundle import Golden
from vitcam.model.card import ModelCard
from vitcam.pictures.resize import InputSpec
from vitcam_training.export.publish import ForgetfulModel, WeakerModel, publish
from vitcam_training.model_card.attempts import Attempt, attempt_rows, listed

pytestmark = pytest.mark.slow("training/export", "training/vit.py")

FIGURES = {
    "data": "cups", "split": "heldout", "n": 200, "top1": 0.9, "top5": 0.99, "ece": 0.02,
    "float_top1": 0.91, "agreement": 0.995, "attention_cosine_mean": 0.98, "attention_cosine_min": 0.8,
}  # fmt: skip
CARD = ModelCard(
    "cups", "three cups", InputSpec(32, 32), {"probabilities": 0}, 8, (4, 4), 2, 3, 128, 12345, accuracy=FIGURES,
    provenance={"recipe": "cups", "fingerprint": "0123abcd", "revision": "abc1234", "data": "cups"},
)  # fmt: skip
LABELS = ["blue", "green", "red"]


def maker(
    top1: float = 0.9, filling: int = 1, labels: list[str] = LABELS, **figures: object
) -> Callable[[Path], ModelCard]:
    """What an export would do: a model file, its weights beside it."""

    def make(place: Path) -> ModelCard:
        card = replace(CARD, accuracy=FIGURES | {"top1": top1} | figures)
        image = np.random.default_rng(filling).integers(0, 256, (32, 32, 3), np.uint8)
        graph = b"\x1c\0\0\0TFL3" + bytes([filling]) * 20_000
        bundle.write(place, graph, card, labels, [Golden("noise", image, (Guess("blue", 0.5),))])
        place.with_suffix(".safetensors").write_bytes(bytes([filling]))
        return card

    return make


def unmeasured(place: Path) -> ModelCard:
    card = replace(CARD, accuracy={})
    bundle.write(place, b"\x1c\0\0\0TFL3", card, LABELS, [])
    return card


def attempts(model: Path) -> tuple[Attempt, ...]:
    found = bundle.read(model)
    assert found is not None
    return listed(found.card)


def parts(model: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(model) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_first_export_begins_the_list_with_itself(tmp_path: Path) -> None:
    publish(maker(), tmp_path / "models/cups.tflite", note="as ever")
    (first,) = attempts(tmp_path / "models/cups.tflite")
    text = (tmp_path / "models/cups.md").read_text()

    assert (first.recipe, first.fingerprint, first.revision, first.what) == ("cups", "0123abcd", "abc1234", "as ever")
    assert (first.top1, first.float_top1, first.photos, first.mb, first.taken) == (0.9, 0.91, 200, 0.02, True)
    assert len(first.date) == len("2026-01-02")
    assert "| cups 0123abcd | as ever | abc1234 | 200 of cups | 91.00% | 90.00% | 0.02 | this file |" in text
    assert "- attempts" not in text
    assert {path.name for path in (tmp_path / "models").iterdir()} == {"cups.tflite", "cups.safetensors", "cups.md"}


def test_a_better_model_takes_the_place_and_the_list_of_the_one_before(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    publish(maker(0.9), model)
    publish(maker(0.93, filling=2), model, note="longer")

    assert [(each.top1, each.what) for each in attempts(model)] == [(0.9, ""), (0.93, "longer")]
    assert [line[-1] for line in attempt_rows(attempts(model))] == ["", "this file"]
    assert model.with_suffix(".safetensors").read_bytes() == b"\x02"


def test_a_weaker_model_leaves_every_file_as_it_is_but_for_a_line_in_the_card(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    publish(maker(0.9), model)
    before, graph = parts(model), bundle.flatbuffer(model)
    with pytest.raises(WeakerModel, match=r"cups\.tflite stays.* 90\.00% of the 200 photos .* 89\.50%") as refused:
        publish(maker(0.895, filling=2), model, note="without crops")
    after = parts(model)
    cards = [json.loads(each.pop("vitcam.json")) for each in (before, after)]
    lists = [card["provenance"].pop("attempts") for card in cards]

    assert refused.value.exit_code == 1
    assert refused.value.card.accuracy["top1"] == 0.895
    assert bundle.flatbuffer(model) == graph
    assert list(after) == list(before)
    assert after == before
    assert cards[1] == cards[0]
    assert lists[1][:1] == lists[0]
    assert (lists[1][1]["what"], lists[1][1]["top1"], lists[1][1]["taken"]) == ("without crops", 0.895, False)
    assert model.with_suffix(".safetensors").read_bytes() == b"\x01"
    assert (
        "| without crops | abc1234 | 200 of cups | 91.00% | 89.50% | 0.02 |  |" in model.with_suffix(".md").read_text()
    )
    assert len(list(tmp_path.iterdir())) == 3, "nothing of the refused model is left"


def test_a_weaker_model_takes_the_place_where_that_is_asked_for(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    publish(maker(0.9), model)
    publish(maker(0.85, filling=2), model, anyway=True)

    assert [(each.top1, each.taken) for each in attempts(model)] == [(0.9, True), (0.85, True)]
    assert [line[-1] for line in attempt_rows(attempts(model))] == ["", "this file"]
    assert bundle.flatbuffer(model)[8:] == b"\x02" * 20_000


def test_a_model_as_good_takes_the_place_and_the_same_attempt_once_more_is_no_second_line(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    for filling in (1, 2):
        publish(maker(filling=filling), model)
    for _ in range(2):
        with pytest.raises(WeakerModel):
            publish(maker(0.8), model)

    assert model.with_suffix(".safetensors").read_bytes() == b"\x02"
    assert [each.top1 for each in attempts(model)] == [0.9, 0.8]


def test_a_model_from_before_there_was_a_list_is_its_first_line(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    maker(0.88)(model)
    publish(maker(0.9, filling=2), model)
    first, second = attempts(model)

    assert (first.date, first.recipe, first.revision, first.top1, first.mb) == ("", "cups", "abc1234", 0.88, 0.02)
    assert second.top1 == 0.9


@pytest.mark.parametrize("figures", [{"n": 300}, {"data": "mugs"}])
def test_figures_on_other_photos_are_not_compared_and_that_is_said(
    tmp_path: Path, figures: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    model = tmp_path / "cups.tflite"
    publish(maker(0.9), model)
    with caplog.at_level(logging.WARNING):
        publish(maker(0.7, filling=2, **figures), model)

    assert "200 photos of cups" in caplog.text
    assert "not compared" in caplog.text
    assert model.with_suffix(".safetensors").read_bytes() == b"\x02"


def test_a_model_of_other_labels_neither_stays_nor_hands_its_list_on(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    publish(maker(0.9), model)
    publish(maker(0.5, filling=2, labels=["blue", "green"]), model)

    assert [each.top1 for each in attempts(model)] == [0.5]


def test_a_model_that_was_not_measured_takes_no_measured_models_place_unasked(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    publish(maker(), model)
    before = model.read_bytes()
    with pytest.raises(UsageError, match="give --data cups, or --replace"):
        publish(unmeasured, model)

    assert model.read_bytes() == before
    publish(unmeasured, model, anyway=True)
    assert [each.photos for each in attempts(model)] == [200, 0]
    assert "| – | – | – |" in model.with_suffix(".md").read_text()


@pytest.mark.parametrize("name", ["cups.tflite", "cups.md", "cups.safetensors"])
@pytest.mark.parametrize("content", [b"no model", b"\x1c\0\0\0TFL3 a foreign one"])
def test_a_file_of_somebody_is_refused_before_anything_is_made_and_replaced_where_that_is_asked_for(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=r"exists, and no export made it: .* or give --replace"):
        publish(lambda place: pytest.fail(f"{place} was made"), tmp_path / "cups.tflite")

    assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]
    publish(maker(), tmp_path / "cups.tflite", anyway=True)
    assert [each.top1 for each in attempts(tmp_path / "cups.tflite")] == [0.9]


def test_weights_that_a_model_is_made_from_stay_as_they_are_beside_it(tmp_path: Path) -> None:
    weights = tmp_path / "cups.safetensors"
    weights.write_bytes(b"in float32")
    for filling in (1, 2):
        publish(maker(filling=filling), tmp_path / "cups.tflite", source=weights)

    assert weights.read_bytes() == b"in float32"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cups.md", "cups.safetensors", "cups.tflite"]


@pytest.mark.parametrize("name", ["cups.safetensors", "cups", "folder.tflite", "file.txt/cups.tflite"])
def test_a_place_where_no_model_can_lie_is_refused_before_anything_is_made(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.tflite").mkdir()
    (tmp_path / "file.txt").write_text("")

    with pytest.raises(UsageError, match=r"is not a (\.tflite file|folder)"):
        publish(lambda place: pytest.fail(f"{place} was made"), tmp_path / name)


def test_a_newer_programs_list_is_read_without_what_is_unknown_here() -> None:
    card = replace(CARD, provenance={"attempts": [{"top1": 0.9, "photos": 9, "data": "cups", "mood": "good"}]})

    assert listed(card) == (Attempt(top1=0.9, photos=9, data="cups"),)


def chosen(top1: float) -> dict[str, object]:
    return {"data": "cups", "split": "calibration", "n": 100, "top1": top1}


def test_photos_that_give_no_published_figures_decide_where_there_are_some(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    publish(maker(0.9, chosen=chosen(0.8)), model)
    with pytest.raises(WeakerModel, match=r"80\.00% of the 100 photos of cups, part calibration.* 79\.00%"):
        publish(maker(0.95, filling=2, chosen=chosen(0.79)), model)
    publish(maker(0.85, filling=3, chosen=chosen(0.81)), model)

    assert [(each.top1, each.taken) for each in attempts(model)] == [(0.9, True), (0.95, False), (0.85, True)]


def kept(difference: float) -> dict[str, object]:
    return {
        "data": "cups", "split": "choose", "n": 300, "began_with": 0.8, "top1": 0.8 + difference,
        "difference": difference, "difference_low": difference - 0.02, "difference_high": difference + 0.02,
    }  # fmt: skip


def test_a_model_that_forgot_what_it_knew_is_not_published_unasked(tmp_path: Path) -> None:
    model = tmp_path / "cups.tflite"
    with pytest.raises(ForgetfulModel, match=r"300 photos of cups, part choose.* 78\.9%.* 80\.0%.*--replace"):
        publish(maker(0.99, kept=kept(-0.011)), model)

    assert not model.exists()
    publish(maker(0.99, kept=kept(-0.011)), model, anyway=True)
    publish(maker(0.995, filling=2, kept=kept(-0.009)), model)
    assert [each.top1 for each in attempts(model)] == [0.99, 0.995]
