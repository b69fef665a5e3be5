"""`vitcam explain`: its words, the folder's truth, and a sheet for every kind of model and photo."""

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vitcam.explain.explained import ExplainedPhoto, true_label
from vitcam.explain.figure import MARGIN, ON_PAGE, WIDTH, draw_figure
from vitcam.explain.first_row import patch_words
from vitcam.frames import Group, Guess, Image, Prediction, Timings
from vitcam.model.card import ModelCard
from vitcam.pictures.canvas import GREEN, RED
from vitcam.pictures.resize import InputSpec, frame_of_picture, to_model_size
from vitcam.rects import Rect

CARD = ModelCard("made-up", "for a test", InputSpec(64, 64), {}, 16, (4, 4), 3, 2, 48, 1000)
LABELS = ("cup", "pagoda", "wild cat", "daisy", "tick", "face", "rose")


def noise(height: int, width: int) -> Image:
    return np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)


def weights(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(2).random(shape, np.float32)


def explained(photo: Image, card: ModelCard = CARD, truth: str | None = None, top_k: int = 5) -> ExplainedPhoto:
    """A sheet's content, as a model with that card would give it."""
    shares = np.geomspace(0.5, 0.01, len(LABELS))
    prediction = Prediction(
        source="test", path=None, seq=0, captured_ns=0, known=True, familiarity=None, certainty=0.9,
        ms=Timings(0, 0, 0, 0), embedding=None, size=photo.shape[1::-1], crop=Rect(0, 0, *photo.shape[1::-1]),
        top=tuple(Guess(label, float(p)) for label, p in zip(LABELS, shares, strict=True)),
        attention=weights(card.heads, *card.grid) if card.heads else None,
        rollout=weights(*card.grid) if card.layers else None,
        rows=weights(card.layers, card.heads, *card.grid) if card.layers else None,
    )  # fmt: skip
    seen = to_model_size(photo, card.input)
    frame = frame_of_picture(photo, card.input, "test")
    return ExplainedPhoto("a.jpg", frame, prediction.size, seen, card, prediction, top_k, truth, 0.85)


def has(image: Image, colour: tuple[int, int, int]) -> bool:
    """Whether a bar of the colour is in the picture."""
    return int((image == colour).all(axis=-1).sum()) > 40


@pytest.mark.parametrize(
    ("pooling", "words"),
    [
        ("cls_token", ("14 × 14 = 196 patches + class token", "197 tokens; a patch is 16 × 16 px")),
        ("first", ("14 × 14 = 196 patches", "of 16 × 16 px; no class token, the head reads the first one's")),
        ("mean", ("14 × 14 = 196 patches", "of 16 × 16 px; no class token, the head reads the mean of all")),
    ],
)
def test_the_patches_are_counted_in_the_words_of_the_network(pooling: str, words: tuple[str, str]) -> None:
    assert patch_words(replace(CARD, grid=(14, 14), pooling=pooling)) == words


def test_other_tokens_than_those_of_patches_are_counted_too() -> None:
    distilled = patch_words(replace(CARD, grid=(14, 14), pooling="distilled"))
    registers = patch_words(replace(CARD, grid=(16, 16), patch_size=14, registers=4))

    assert distilled == (
        "14 × 14 = 196 patches + class token + distillation token",
        "198 tokens; a patch is 16 × 16 px",
    )
    assert registers == ("16 × 16 = 256 patches + class token + 4 registers", "261 tokens; a patch is 14 × 14 px")


@pytest.mark.parametrize(
    ("path", "truth"),
    [
        ("data/cup/1.jpg", "cup"),
        ("data/Wild_Cat/1.jpg", "wild cat"),
        ("data/wild-cat/1.jpg", "wild cat"),
        ("data/cups/1.jpg", None),
        ("cup.jpg", None),
    ],
)
def test_the_folder_says_the_truth_where_it_is_called_like_a_label(path: str, truth: str | None) -> None:
    assert true_label(Path("/photos") / path, LABELS) == truth


def test_the_truth_is_that_of_the_link_and_not_of_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "cup").mkdir()
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "1.jpg").touch()
    (tmp_path / "cup" / "1.jpg").symlink_to(tmp_path / "store" / "1.jpg")

    assert true_label(tmp_path / "cup" / "1.jpg", LABELS) == "cup"


@pytest.mark.parametrize(("height", "width"), [(64, 64), (400, 100), (90, 1600), (1, 1), (2, 900), (2000, 3000)])
def test_photos_of_every_shape_make_a_sheet_of_one_width_with_its_margins(height: int, width: int) -> None:
    sheet = draw_figure(explained(noise(height, width)))

    assert sheet.shape[1] == WIDTH
    assert 1000 < sheet.shape[0] < 2000
    assert sheet[:MARGIN].min() == sheet[:, :MARGIN].min() == sheet[:, -MARGIN:].min() == 255


@pytest.mark.parametrize(
    "card",
    [
        replace(CARD, heads=16, layers=24, pooling="mean"),
        replace(CARD, input=InputSpec(32, 128), grid=(2, 8), heads=1),
        replace(CARD, input=InputSpec(128, 32, "squash"), grid=(8, 2), layers=1, pooling="first"),
    ],
)
def test_every_network_fits_on_the_sheet(card: ModelCard) -> None:
    assert draw_figure(explained(noise(200, 300), card)).shape[1] == WIDTH


@pytest.mark.parametrize("scheme", ON_PAGE)
def test_on_the_page_a_sheet_has_the_colours_of_the_style_sheet_in_each_scheme(scheme: str) -> None:
    css = (files("vitcam.web") / "page" / "style.css").read_text()
    light, dark = css.split("@media (prefers-color-scheme: dark)")[:2]
    paper, block = ON_PAGE[scheme], light if scheme == "light" else dark
    named = ("card", "text", "soft", "track", "accent")
    found = {name: bytes.fromhex(re.search(rf"--{name}: #(\w{{6}});", block)[1]) for name in named}  # type: ignore[index]
    sheet = draw_figure(replace(explained(noise(64, 300)), paper=paper))

    assert [tuple(found[name]) for name in named] == [paper.ground, paper.ink, paper.pale, paper.track, paper.accent]
    assert all(has(sheet, each) for each in (paper.ground, paper.ink, paper.pale, paper.track, paper.accent))
    assert all((edge == paper.ground).all() for edge in (sheet[:MARGIN], sheet[-MARGIN:], sheet[:, -MARGIN:]))


def test_right_is_marked_green_and_wrong_red() -> None:
    grey = np.full((64, 64, 3), 128, np.uint8)
    plain, right, wrong = (draw_figure(explained(grey, truth=truth)) for truth in (None, "cup", "pagoda"))

    assert [has(sheet, GREEN) for sheet in (plain, right, wrong)] == [False, True, True]
    assert [has(sheet, RED) for sheet in (plain, right, wrong)] == [False, False, True]


def test_what_a_model_does_not_give_is_left_out_and_the_rest_drawn() -> None:
    whole = explained(noise(64, 64))
    no_blocks = replace(whole, prediction=replace(whole.prediction, rollout=None, rows=None))
    no_attention = replace(no_blocks, prediction=replace(no_blocks.prediction, attention=None))
    heights = [draw_figure(of).shape[0] for of in (whole, no_blocks, no_attention)]

    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 3


def test_what_spoke_for_the_answer_is_drawn_beside_where_the_model_looked() -> None:
    whole = explained(noise(64, 64))
    evidence = weights(*whole.card.grid) - 0.5
    weighed = replace(whole, prediction=replace(whole.prediction, evidence=evidence))
    sheets = draw_figure(whole), draw_figure(weighed)

    assert sheets[0].shape == sheets[1].shape
    assert (sheets[0] != sheets[1]).mean() > 0.05


def test_the_share_of_the_evidence_stands_over_its_map_if_the_model_says_it() -> None:
    whole = explained(noise(64, 64))
    weighed = replace(whole.prediction, evidence=weights(*whole.card.grid) - 0.5)
    without, with_share, against, more_against = (
        draw_figure(replace(whole, prediction=replace(weighed, evidence_share=share)))
        for share in (None, 0.97, 1.04, 1.5)
    )

    assert without.shape == with_share.shape
    assert 0 < (without != with_share).mean() < 0.01
    assert (with_share != against).any()
    assert (against == more_against).all()  # no share of more than the whole


def test_the_answer_is_what_is_displayed_or_the_best_guesses_without_a_name() -> None:
    sure = explained(noise(60, 60))
    cat = replace(sure.prediction, top=(Guess("tabby", 0.4), Guess("tiger", 0.3), Guess("cup", 0.02)))
    grouped = replace(cat, groups=(Group("cat", 0.72),))
    strange = replace(cat, known=False, unfamiliar=True)

    assert [replace(sure, prediction=each).answer for each in (sure.prediction, grouped, cat, strange)] == [
        "cup, 50.0%",
        "cat, 72.0%",
        "not sure, tabby 40.0%, tiger 30.0%",
        "unknown, tabby 40.0%, tiger 30.0%",
    ]


def test_a_model_without_a_description_gets_a_sheet_without_patches() -> None:
    foreign = replace(CARD, patch_size=0, grid=(0, 0), heads=0, layers=0, width=0, parameters=0)

    assert draw_figure(explained(noise(64, 64), foreign)).shape[1] == WIDTH
