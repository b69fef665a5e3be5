"""The plot: how the answer goes and comes with the patches that a map ranks first."""

from __future__ import annotations

from pathlib import Path

from vitcam_training.plots import ACCENT, FAINT, PLAIN, figure
from vitcam_training.report.faithfulness import BASELINES, CURVES, FaithfulnessResult

OTHERS = ("evidence", "attention", "rollout")
TITLES = {"deletion": "Deletion: the lower, the better", "insertion": "Insertion: the higher, the better"}


def draw_curves(path: Path, verdict: FaithfulnessResult) -> None:
    """Mean curves of what vitcam draws, of what it can draw, and of the baselines."""
    drawn = [finding.name for finding in verdict.findings[verdict.neutral] if finding.name in OTHERS]
    others = [name for name in drawn if name != verdict.shown]
    shares = [100 * count / verdict.steps[-1] for count in verdict.steps]
    with figure(path, 9, 3.8, columns=2) as columns:
        for axes, curve in zip(columns, CURVES, strict=True):
            for name in (*BASELINES, *others, verdict.shown):
                values = verdict.finding(name).curves[curve]
                axes.plot(shares, values, label=name, **_style(name, verdict.shown))
            axes.set_title(TITLES[curve], fontsize=10)
            axes.set_xlabel("patches deleted, %" if curve == "deletion" else "patches inserted, %")
            axes.set_ylim(0, 1)
        columns[0].set_ylabel("probability of the first guess")
        columns[0].legend(frameon=False, fontsize=8)


def _style(name: str, shown: str) -> dict[str, object]:
    if name == shown:
        return {"color": ACCENT, "linewidth": 2.2}
    if name in BASELINES:
        return {"color": FAINT, "linestyle": (":", "--", "-.")[BASELINES.index(name)]}
    return {"color": PLAIN, "linewidth": 1.4, "linestyle": "-" if name == "attention" else (0, (6, 2))}
