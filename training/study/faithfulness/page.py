"""The page that people read: every sentence on what was found is made from the figures."""

from __future__ import annotations

from pathlib import Path

from vitcam_training.evaluation.intervals import Interval
from vitcam_training.report.faithfulness import BASELINES, CURVES, FaithfulnessFinding, FaithfulnessResult, GivenBy
from vitcam_training.study.program import write_markdown

GIVEN: dict[GivenBy, str] = {
    "classify": "every inference",
    "explain": "`explain`",
    "network": "the float network only",
    "asking": "an inference for each window",
    "nothing": "nobody",
}
NEUTRAL_WORDS = {"blur": "blurred with a sigma of a patch's side", "mean": "of the photo's mean colour"}


def write_page(path: Path, verdict: FaithfulnessResult) -> None:
    """Write the page; the plot `.svg` and the sheet `.jpg` stand beside it under the same name."""
    parts = [
        _intro(verdict),
        _answer(verdict),
        _plot(path),
        *_tables(verdict),
        _reading(verdict),
        _sheet(path),
        _again(verdict),
    ]
    write_markdown(path, parts)


def _intro(v: FaithfulnessResult) -> str:
    first, *others = v.findings
    also = "".join(f"; below, the same with patches {NEUTRAL_WORDS[other]}" for other in others)
    return f"""# Does the overlay show what mattered?

An overlay claims that the answer depends on the marked places. This can be measured. Remove the patches that a map
ranks first (deletion): the probability of the answer should fall early. Show only them (insertion): it should rise
early ([RISE](https://arxiv.org/abs/1806.07421)). The area under the curve of the first guess's probability is
one figure a photo for each. Attention tends to the middle, where photographers put things, so a map must beat a random
order, a fixed spot in the middle and the mean attention of the model over training photos.

Measured on the model file `{v.model}` itself, in int8: {v.photos:,} photos of the part `{v.split}` of `{v.data}`, as
many of each label; {len(v.steps) - 1} steps. Missing patches are {NEUTRAL_WORDS[first]}{_why(first)}. Where all are
missing, the first guess keeps a probability of {v.nothing[first]:.1%}, of {v.whole:.1%} on the whole photo{also}.
Intervals are the 95 % of a bootstrap over photos, of differences on the same photo."""


def _why(neutral: str) -> str:
    return ", which makes no new edges as patches of one colour do" if neutral == "blur" else ""


def _answer(v: FaithfulnessResult) -> str:
    shown, beats_baselines = v.finding(v.shown), v.beats_baselines()
    good = [curve for curve, holds in beats_baselines.items() if holds]
    claim = (
        f"**{v.shown}**, vitcam's default, beats a random order and the centre prior on "
        f"{' and '.join(good)}, with 95 % confidence"
        if good
        else f"**{v.shown}**, vitcam's default, does not beat a random order and the centre prior "
        "with 95 % confidence, neither on deletion nor on insertion"
    )
    rows = [
        f"| {_called(name)} | {_signed(against['deletion'])} | {_signed(against['insertion'])} |"
        for name, against in shown.against.items()
    ]
    head = ["| difference of the areas, against | deletion | insertion |", "|---|---|---|"]
    return "\n".join([f"{claim}.", "", *head, *rows])


def _tables(v: FaithfulnessResult) -> list[str]:
    return [_table(v, neutral, group) for neutral, group in v.findings.items()]


def _table(v: FaithfulnessResult, neutral: str, group: list[FaithfulnessFinding]) -> str:
    lines = [
        f"Missing patches {NEUTRAL_WORDS[neutral]}; best first. Differences from the centre prior, good ones bold.",
        "",
        "| map | what | given by | photos | deletion | insertion | deletion − centre | insertion − centre |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in group:
        name = f"**{one.name}**" if one.name == v.shown else one.name
        against = [_cell(one, curve) for curve in CURVES]
        cells = [
            name,
            one.about,
            _given(one.given_by, v),
            str(one.photos),
            *(f"{one.areas[c].value:.3f}" for c in CURVES),
        ]
        lines.append(f"| {' | '.join([*cells, *against])} |")
    return "\n".join(lines)


def _cell(one: FaithfulnessFinding, curve: str) -> str:
    if "centre" not in one.against:
        return "–"
    text = _signed(one.against["centre"][curve])
    return f"**{text}**" if one.beats("centre", curve) else text


def _given(by: GivenBy, v: FaithfulnessResult) -> str:
    if by != "explain":
        return GIVEN[by]
    return f"{GIVEN[by]}, {v.ms['explain'] / v.ms['classify'] - 1:+.0%} time"


def _reading(v: FaithfulnessResult) -> str:
    """What the figures of the patches' own tokens say, where they were measured."""
    worse = [one.name for one in v.findings[v.neutral] if one.name not in BASELINES and _worse(one)]
    if not worse:
        return "No map is worse than a random order."
    return (
        f"Worse than a random order on both curves: {', '.join(worse)}. "
        "The answer does not need what such a map ranks first: the last blocks keep what concerns the whole picture in "
        "patches that show little themselves "
        "([Darcet et al. 2023](https://arxiv.org/abs/2309.16588)), which is also why plain attention glows there."
    )


def _worse(one: FaithfulnessFinding) -> bool:
    return one.against["random"]["deletion"].above_zero and one.against["random"]["insertion"].below_zero


def _plot(page: Path) -> str:
    return f"![Mean probability of the first guess as patches go and come]({page.with_suffix('.svg').name})"


def _sheet(page: Path) -> str:
    return (
        f"![What each map shows of four photos]({page.with_suffix('.jpg').name})\n\n"
        "The photos are [the golden images](../../../models/golden/CREDITS.md) that travel in the model file."
    )


def _again(v: FaithfulnessResult) -> str:
    return (
        f"```console\n$ {v.command}\n```\n\n"
        f"{v.date}, {v.machine}; seed {v.seed}, {v.draws:,} draws of the bootstrap, {v.random_orders} random orders "
        f"for each photo; model file {v.digest}, trained at revision {v.revision or 'unknown'}. Medians while this was "
        f"measured: {v.ms['classify']:.1f} ms for an inference, {v.ms['explain']:.1f} ms with `explain`."
    )


def _called(baseline: str) -> str:
    return {"random": "a random order", "centre": "the centre prior", "mean map": "the mean map"}[baseline]


def _signed(interval: Interval) -> str:
    return f"{interval.value:+.3f} ({interval.low:+.3f} to {interval.high:+.3f})"
