"""What the page shows: how the default overlay compares with the baselines, and every map beside every other."""

from __future__ import annotations

from pathlib import Path

from vitcam_training.evaluation.intervals import Interval
from vitcam_training.report.faithfulness import CURVES, FaithfulnessFinding, FaithfulnessResult, GivenBy
from vitcam_training.study.marked import fill, made_by, plot, table

GIVEN: dict[GivenBy, str] = {
    "classify": "every inference",
    "explain": "`explain`",
    "network": "the float network only",
    "asking": "an inference for each window",
    "nothing": "nobody",
}
CALLED = {"random": "a random order", "centre": "the centre prior", "mean map": "the mean map"}


def write_page(path: Path, verdict: FaithfulnessResult) -> None:
    """Fill the page; the plot `.svg` and the sheet `.jpg` stand beside it under the same name."""
    against = verdict.finding(verdict.shown).against
    differences = table(
        f"`{verdict.shown}`: difference of the areas, against | deletion | insertion",
        *(
            f"{CALLED[name]} | {_signed(one['deletion'])} | {_signed(one['insertion'])}"
            for name, one in against.items()
        ),
    )
    drawn = plot(path.with_suffix(".svg"), "Mean probability of the first guess as patches go and come")
    sheet = plot(path.with_suffix(".jpg"), "What each map shows of four photos")
    fill(
        path,
        {
            "against": f"{differences}\n\n{drawn}",
            "maps": "\n\n".join(_table(verdict, neutral, group) for neutral, group in verdict.findings.items()),
            "made": f"{sheet}\n\n{made_by(verdict.command)}\n\n{_conditions(verdict)}",
        },
    )


def _table(verdict: FaithfulnessResult, neutral: str, group: list[FaithfulnessFinding]) -> str:
    """Best first; differences from the centre prior, good ones bold."""
    lines = []
    for one in group:
        name = f"**{one.name}**" if one.name == verdict.shown else one.name
        areas = " | ".join(f"{one.areas[curve].value:.3f}" for curve in CURVES)
        beside = " | ".join(_cell(one, curve) for curve in CURVES)
        lines.append(f"{name} | {one.about} | {GIVEN[one.given_by]} | {one.photos} | {areas} | {beside}")
    head = "what | given by | photos | deletion | insertion | deletion − centre | insertion − centre"
    return table(f"map, missing patches: {neutral} | {head}", *lines)


def _cell(one: FaithfulnessFinding, curve: str) -> str:
    if "centre" not in one.against:
        return "–"
    text = _signed(one.against["centre"][curve])
    return f"**{text}**" if one.beats("centre", curve) else text


def _conditions(v: FaithfulnessResult) -> str:
    return (
        f"`{v.model}`, {v.photos:,} photos of the part `{v.split}` of `{v.data}`, {len(v.steps) - 1} steps, seed "
        f"{v.seed}, {v.draws:,} draws of the bootstrap, {v.random_orders} random orders for each photo; model file "
        f"{v.digest}, trained at revision {v.revision or 'unknown'}. Medians while this was measured: "
        f"{v.ms['classify']:.1f} ms for an inference, {v.ms['explain']:.1f} ms with `explain`."
    )


def _signed(interval: Interval) -> str:
    return f"{interval.value:+.3f} ({interval.low:+.3f} to {interval.high:+.3f})"
