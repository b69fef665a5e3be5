"""Insertion and deletion, on a drawn picture with a network whose answer hangs on one patch that we know."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam.frames import Image, Prediction, Timings
from vitcam.model.card import ModelCard
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect
from vitcam_training.data.dataset import Sample
from vitcam_training.report.faithfulness import (
    FaithfulnessFinding,
    FaithfulnessResult,
    path_of,
    read_result,
)
from vitcam_training.study.faithfulness.curves import (
    NEUTRAL,
    Ask,
    Floats,
    areas,
    counts_of,
    curves,
    one_colour,
    ranks_of,
    with_ends,
)
from vitcam_training.study.faithfulness.figures import draw_curves
from vitcam_training.study.faithfulness.findings import findings
from vitcam_training.study.faithfulness.maps import Explanation, MapInputs, explanations
from vitcam_training.study.faithfulness.measure import Measured, Plan
from vitcam_training.study.faithfulness.model_file import stratified
from vitcam_training.study.faithfulness.overlays import check, write_result
from vitcam_training.study.faithfulness.page import write_page

GRID, SIDE = (6, 6), 8
KNOWN = (1, 4)
COUNTS = counts_of(36, 12)
CARD = ModelCard(
    "net", "", InputSpec(48, 48), {"probabilities": 0}, SIDE, GRID, heads=2, layers=5, width=8, parameters=1
)


def picture(seed: int = 0) -> Image:
    """Noise with one red patch."""
    image = np.random.default_rng(seed).integers(90, 160, (48, 48, 3)).astype(np.uint8)
    top, left = KNOWN[0] * SIDE, KNOWN[1] * SIDE
    image[top : top + SIDE, left : left + SIDE] = (250, 10, 10)
    return image


def network() -> Ask:
    """One layer of weights, zero outside the known patch, and a logistic function: how red is it there?"""
    weights = np.zeros((48, 48, 3))
    weights[8:16, 32:40] = np.array([1, -0.5, -0.5]) / SIDE**2
    return lambda image: float(1 / (1 + np.exp(-((weights * image).sum() - 100) / 20)))


def right_map() -> Floats:
    """The known patch, and less of everything the further it is away."""
    y, x = np.indices(GRID)
    return np.asarray(-np.hypot(y - KNOWN[0], x - KNOWN[1]))


def areas_of(weights: Floats, image: Image, neutral: str, seed: int = 0) -> tuple[float, float]:
    ask, blank = network(), NEUTRAL[neutral](image, SIDE)
    found = curves(ask, image, blank, ranks_of(weights, seed), COUNTS)
    deletion, insertion = areas(with_ends(found, ask(image), ask(blank)), COUNTS)
    return float(deletion), float(insertion)


@pytest.mark.parametrize("neutral", NEUTRAL)
def test_the_right_map_is_best_the_inverted_worst_and_random_between(neutral: str) -> None:
    image = picture()
    right, inverted = areas_of(right_map(), image, neutral), areas_of(-right_map(), image, neutral)
    random = np.mean([areas_of(np.zeros(GRID), image, neutral, seed) for seed in range(40)], axis=0)

    assert right[0] < 0.1 < random[0] - 0.2 < inverted[0] - 0.4, "deletion"
    assert right[1] > 0.9 > random[1] + 0.2 > inverted[1] + 0.4, "insertion"


def samples(counts: tuple[int, ...]) -> list[Sample]:
    return [Sample(Path(f"{label}/{i}.jpg"), label) for label, count in enumerate(counts) for i in range(count)]


def test_photos_are_taken_from_all_labels_alike_and_by_the_seed() -> None:
    photos = samples((10, 10, 3))
    taken = stratified(photos, 12, seed=0)
    labels = [sample.label for sample in taken]

    assert sorted(labels.count(label) for label in range(3)) == [3, 4, 5]
    assert stratified(photos, 12, seed=0) == taken
    assert stratified(photos, 12, seed=1) != taken
    assert stratified(photos, 5, seed=0) == taken[:5], "fewer are the first of more"
    assert len(set(map(str, (sample.path for sample in stratified(photos, 99, seed=0))))) == 23


def map_inputs(seed: int = 0) -> MapInputs:
    rng = np.random.default_rng(seed)
    prediction = Prediction(
        "", None, 0, 0, (SIDE, SIDE), Rect(0, 0, SIDE, SIDE), (), True, None, 0.0, Timings(0, 0, 0, 0),
        rng.random((2, *GRID)).astype(np.float32), None,
        rollout=rng.random(GRID).astype(np.float32), rows=rng.random((5, 2, *GRID)).astype(np.float32),
        evidence=right_map().astype(np.float32),
    )  # fmt: skip
    image = picture(seed)
    return MapInputs(image, one_colour(image, SIDE), prediction, network(), np.full(GRID, 0.5), None, seed)


def test_every_explanation_is_a_map_of_the_grid_and_named_once() -> None:
    compared = explanations(CARD, {"rollout", "evidence"}, {}, orders=3)
    found = {one.key: one.make(map_inputs()) for one in compared}

    assert {weights.shape for weights in found.values()} == {GRID}
    assert len(found) == len(compared)
    assert {"random, draw 3", "centre", "mean map", "attention", "head 1", "evidence", "rollout", "block 4"} <= set(
        found
    )
    assert (found["random, draw 1"] != found["random, draw 2"]).any()
    assert found["centre"].argmax() in (14, 15, 20, 21), "one of the four in the middle"
    np.testing.assert_allclose(found["attention"], (found["head 0"] + found["head 1"]) / 2)


def measured(count: int = 60) -> tuple[Measured, list[Explanation]]:
    """Photos with the red patch, judged with maps whose worth is known."""
    wanted = [
        one
        for one in explanations(CARD, {"rollout", "evidence"}, {}, orders=2)
        if one.name in ("random", "centre", "evidence")
    ]
    wanted.append(Explanation("mean map", "", "nothing", lambda inputs: inputs.prior))
    wanted.append(Explanation("inverted", "", "classify", lambda inputs: -right_map(), photos=20))
    found: dict[str, list[Floats]] = {one.key: [] for one in wanted}
    for seed in range(count):
        inputs = map_inputs(seed)
        ends = inputs.ask(inputs.image), inputs.ask(inputs.blank)
        for one in wanted:
            if one.photos is None or seed < one.photos:
                ranks = ranks_of(one.make(inputs), seed)
                found[one.key].append(with_ends(curves(inputs.ask, inputs.image, inputs.blank, ranks, COUNTS), *ends))
    return Measured(COUNTS, {"mean": {key: np.stack(rows) for key, rows in found.items()}}, np.ones((count, 2))), wanted


@pytest.fixture(scope="module")
def found() -> list[FaithfulnessFinding]:
    return findings(*measured(), seed=0)["mean"]


def test_findings_tell_the_right_map_from_chance_and_from_the_middle(found: list[FaithfulnessFinding]) -> None:
    by_name = {one.name: one for one in found}

    assert [found[0].name, found[-1].name] == ["evidence", "inverted"]
    for baseline in ("random", "centre", "mean map"):
        for curve in ("deletion", "insertion"):
            assert by_name["evidence"].beats(baseline, curve)
            assert not by_name["inverted"].beats(baseline, curve)
    assert (by_name["evidence"].photos, by_name["inverted"].photos) == (60, 20)
    assert "random" not in by_name["random"].against
    assert not by_name["random"].beats("mean map", "deletion"), "both are random"


def verdict(found: list[FaithfulnessFinding]) -> FaithfulnessResult:
    return FaithfulnessResult(
        "net", "0123456789ab", "abc", "drawn", "heldout", 60, 0, 10_000, 2, [int(count) for count in COUNTS],
        "evidence", {"classify": 6.0, "explain": 6.6}, 0.99, {"mean": 0.01}, {"mean": found},
        "the command", "a processor", "2026-01-02",
    )  # fmt: skip


def test_a_verdict_is_read_as_it_was_written_and_is_small(found: list[FaithfulnessFinding], tmp_path: Path) -> None:
    path = path_of(tmp_path / "net.tflite")
    write_result(path, verdict(found))
    again = read_result(path)

    assert path.name == "net.overlays.json"
    assert again is not None
    assert again.beats_baselines() == {"deletion": True, "insertion": True}
    assert [one.name for one in again.findings["mean"]] == [one.name for one in found]
    assert again.finding("evidence").areas["deletion"].value == pytest.approx(
        found[0].areas["deletion"].value, abs=1e-4
    )
    assert path.stat().st_size / len(found) < 1000, "twenty of them stay below 20 kB"
    assert read_result(tmp_path / "other.overlays.json") is None


@pytest.mark.parametrize("text", ["", "{}", '{"schema": 99}', '{"schema": 1, "findings": {"blur": [{}]}}'])
def test_a_file_that_holds_no_verdict_is_refused_by_name(text: str, tmp_path: Path) -> None:
    path = tmp_path / "net.overlays.json"
    path.write_text(text)

    with pytest.raises(UsageError, match=naming("net.overlays.json", "study.faithfulness")):
        read_result(path)


def test_the_page_has_every_figure_and_marks_what_is_shown(found: list[FaithfulnessFinding], tmp_path: Path) -> None:
    good = verdict(found)
    bad = replace(good, shown="inverted")
    for name, each in (("good", good), ("bad", bad)):
        write_page(tmp_path / f"{name}.md", each)
        draw_curves(tmp_path / f"{name}.svg", each)
    texts = {name: (tmp_path / f"{name}.md").read_text() for name in ("good", "bad")}
    pages = {name: " ".join(text.split()) for name, text in texts.items()}

    assert "| **evidence** |" in pages["good"]
    assert "| **inverted** |" in pages["bad"]
    for one in found:
        assert f"{one.areas['insertion'].value:.3f}" in pages["good"]
    assert "probability of the first guess" in (tmp_path / "good.svg").read_text()


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (Plan(photos=1), "1 photos, 8 steps and 2 random orders"),
        (Plan(steps=1), "at least 2, 2 and 1 are needed"),
        (Plan(orders=0), "0 random orders"),
        (Plan(neutral=("blur", "grey")), "no neutral picture 'grey'; known are blur, mean"),
        (Plan(neutral=()), "known are blur, mean"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(plan: Plan, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check(plan)
