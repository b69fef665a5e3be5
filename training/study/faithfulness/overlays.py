"""Ask the model file about photos with patches missing, and write down what was found."""

from __future__ import annotations

import datetime
import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vitcam.errors import UsageError
from vitcam.model.classifier import Classifier
from vitcam.pictures.overlay_kinds import default_overlay
from vitcam_training.data.dataset import Dataset
from vitcam_training.evaluation.intervals import DRAWS
from vitcam_training.provenance import processor
from vitcam_training.report.faithfulness import BASELINES, FaithfulnessResult, digest, path_of
from vitcam_training.study.faithfulness.curves import NEUTRAL, Floats
from vitcam_training.study.faithfulness.figures import draw_curves, draw_sheet, write_sheet
from vitcam_training.study.faithfulness.findings import findings
from vitcam_training.study.faithfulness.maps import CENTRE, MapSource, explanations
from vitcam_training.study.faithfulness.measure import Bench, Plan, mean_attention, measure
from vitcam_training.study.faithfulness.model_file import open_explained, stratified
from vitcam_training.study.faithfulness.page import write_page

PRIOR_PHOTOS = 200
ALWAYS_DRAWN = ("evidence", "attention", "rollout")
COLUMNS = 8
"""Of the contact sheet, at most, beside the photo."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FaithfulnessCase:
    """What is judged, and where what was measured is kept."""

    model: str
    data: Dataset
    split: str
    plan: Plan
    folder: Path
    """Below it, each model file has a folder of its own."""
    checkpoint: Path | None = None
    """The float network; None: the file beside the model, where there is one."""
    threads: int | None = None


def measure_and_write(
    case: FaithfulnessCase, out: Path | None, page: Path | None, command: str
) -> tuple[FaithfulnessResult, tuple[Path, Path]]:
    """Measure what is not kept yet and write all that people and programs read of it.

    out      the JSON file; None: beside the model
    page     its plot and sheet lie beside it; None: beside `out`
    returns  the verdict, and where it and the page were written
    """
    bench = prepare(case)
    verdict = summarise(case, bench, command, processor())
    target = out or path_of(bench.classifier.path)
    shown = page or target.with_suffix(".md")
    write_result(target, verdict)
    write_page_and_figures(shown, bench, verdict)
    return verdict, (target, shown)


def prepare(case: FaithfulnessCase) -> Bench:
    """Open everything that will be asked.

    raises  UsageError for an invalid plan, or a model, data or checkpoint that do not fit
    """
    check(case.plan)
    classifier = open_explained(case.model, case.threads)
    network, maps = _float_network(case, classifier)
    compared = explanations(classifier.card, classifier.gives, maps, case.plan.orders)
    kept = f"{classifier.card.name}-{digest(classifier.path)}-{case.plan.steps}-{case.plan.seed}"
    folder = case.folder / kept
    return Bench(classifier, compared, case.plan, folder, _prior(classifier, case, folder), network)


def summarise(case: FaithfulnessCase, bench: Bench, command: str, machine: str) -> FaithfulnessResult:
    """Measure what is not kept yet, and sum it up.

    command  that makes it again; it is written down with the processor, `machine`
    """
    measured = measure(bench, stratified(case.data.part(case.split), case.plan.photos, case.plan.seed))
    found = findings(measured, bench.explanations, case.plan.seed)
    card = bench.classifier.card
    deleted = {neutral: group[CENTRE][:, 0] for neutral, group in measured.curves.items()}  # (n, S + 1) each
    first = next(iter(deleted.values()))
    return FaithfulnessResult(
        model=card.name,
        digest=digest(bench.classifier.path),
        revision=str(card.provenance.get("revision", "")),
        data=case.data.name,
        split=case.split,
        photos=len(first),
        seed=case.plan.seed,
        draws=DRAWS,
        random_orders=case.plan.orders,
        steps=[int(count) for count in measured.counts],
        shown=default_overlay(bench.classifier.gives),
        ms=dict(zip(("classify", "explain"), map(float, np.median(measured.ms, axis=0)), strict=True)),
        whole=float(first[:, 0].mean()),
        nothing={neutral: float(curves[:, -1].mean()) for neutral, curves in deleted.items()},
        findings=found,
        command=command,
        machine=machine,
        date=datetime.date.today().isoformat(),
    )


def write_result(path: Path, verdict: FaithfulnessResult) -> None:
    """Write it, a line for each finding; areas and differences to four digits, all else to three."""
    plain = _plain(asdict(verdict))
    findings = plain.pop("findings")
    head = json.dumps(plain, indent=1)[:-2]
    groups = (
        json.dumps(neutral) + ": [\n  " + ",\n  ".join(json.dumps(one, separators=(",", ":")) for one in group) + "\n ]"
        for neutral, group in findings.items()
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + ',\n "findings": {\n ' + ",\n ".join(groups) + "\n }\n}\n", encoding="utf-8")


def write_page_and_figures(page: Path, bench: Bench, verdict: FaithfulnessResult) -> None:
    """The page, its plot and its contact sheet, under one name with other endings."""
    best = [finding.name for finding in verdict.findings[verdict.neutral] if finding.name not in BASELINES]
    drawn = {one.name: one for one in bench.explanations}
    columns = [name for name in best if name in ALWAYS_DRAWN or drawn[name].given_by != "asking"]
    rest = [name for name in columns if name not in ALWAYS_DRAWN][: COLUMNS - len(ALWAYS_DRAWN)]
    chosen = [drawn[name] for name in columns if name in ALWAYS_DRAWN or name in rest]
    page.parent.mkdir(parents=True, exist_ok=True)
    write_sheet(page.with_suffix(".jpg"), draw_sheet(bench.classifier, chosen, bench.prior, bench.network))
    draw_curves(page.with_suffix(".svg"), verdict)
    write_page(page, verdict)


def check(plan: Plan) -> None:
    """Raise UsageError for numbers that give no interval or no curve, or an unknown neutral picture."""
    if plan.photos < 2 or plan.steps < 2 or plan.orders < 1:
        raise UsageError(
            f"{plan.photos} photos, {plan.steps} steps and {plan.orders} random orders were given; at least 2, 2 "
            "and 1 are needed"
        )
    unknown = [name for name in plan.neutral if name not in NEUTRAL]
    if unknown or not plan.neutral:
        raise UsageError(f"there is no neutral picture {', '.join(unknown)!r}; known are {', '.join(NEUTRAL)}")


def _float_network(case: FaithfulnessCase, classifier: Classifier) -> tuple[MapSource | None, dict[str, str]]:
    path = case.checkpoint or classifier.path.with_suffix(".safetensors")
    if not (case.checkpoint or path.is_file()):
        log.warning("no float network at %s: maps that only it can make are left out", path)
        return None, {}
    from vitcam_training.study.faithfulness.float_maps import MAPS, FloatMaps  # Keras takes five seconds to import

    network = FloatMaps(path)
    if network.config.grid != classifier.card.grid:
        raise UsageError(f"{path} has other patches than {classifier.path}; give the network it was made from")
    return network, MAPS


def _prior(classifier: Classifier, case: FaithfulnessCase, folder: Path) -> Floats:
    """The mean attention over photos that nothing is measured on; kept beside the curves."""
    path = folder / "prior.npy"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        np.save(path, mean_attention(classifier, stratified(case.data.part("train"), PRIOR_PHOTOS, case.plan.seed)))
    return np.asarray(np.load(path))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"value", "low", "high"}:
            return [round(value[name], 4) for name in ("value", "low", "high")]
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return round(value, 3) if isinstance(value, float) else value
