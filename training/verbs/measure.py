"""`evaluate`, `report`, `overlays`, `ablate`, `bias`: measure a model or a part of it; `split`: lay out photos."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam_training.verbs.common import JsonOption, ModelArgument, PhotosOption, ThreadsOption, as_given, say, warn

if TYPE_CHECKING:
    from vitcam_training.study.ablation.result import Result
    from vitcam_training.study.inductive_bias.runs import BiasResult


def evaluate(
    model: ModelArgument,
    data: PhotosOption,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            help="Measure on this part: heldout, calibration, train or all. Default: heldout, or all if there is none.",
        ),
    ] = None,
    float_: Annotated[
        Path | None, typer.Option("--float", help="Compare with this checkpoint, measured again.")
    ] = None,
    unknown: Annotated[
        str | None,
        typer.Option(
            "--unknown",
            help="Take photos of none of the model's labels from here, and measure how many it calls unknown.",
        ),
    ] = None,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a model file on photos: accuracy, calibration, closeness to its float network, and each label."""
    from vitcam_training.evaluation.evaluate import evaluate_model
    from vitcam_training.evaluation.unknown import rejection
    from vitcam_training.verbs.tables import evaluation_table

    found = evaluate_model(model, data, split, float_, threads)
    found |= {"unknown": rejection(model, data, unknown, threads)} if unknown else {}
    say(json.dumps(found) if as_json else evaluation_table(found))


def report(
    model: ModelArgument,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="Take photos from this data set, folder or CSV file. Default: the data that the model names.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write this HTML file.")] = Path("report.html"),
    split: Annotated[
        str | None, typer.Option("--split", help="Measure on this part of the data, as in evaluate.")
    ] = None,
    float_: Annotated[
        Path | None,
        typer.Option(
            "--float", help="Compare with this float network. Default: the .safetensors file beside the model."
        ),
    ] = None,
    unknown: Annotated[
        str | None, typer.Option("--unknown", help="Take photos of none of the model's labels from here.")
    ] = None,
    threads: ThreadsOption = None,
) -> None:
    """Show all that can be measured of a model on one page, an HTML file that loads nothing. It contains photos."""
    from vitcam_training.report.material import ReportRequest, check_place, gather
    from vitcam_training.report.page import write_report

    check_place(out)
    size = write_report(gather(ReportRequest(model, data, split, float_, unknown, threads)), out)
    say(f"wrote {out}, {size / 1e6:.2f} MB")
    warn("the report contains photos of the data; share it only as their licences allow")


def overlays(
    model: ModelArgument,
    data: PhotosOption,
    split: Annotated[
        str, typer.Option("--split", help="Measure on this part of the data: heldout, calibration or train.")
    ] = "heldout",
    photos: Annotated[
        int, typer.Option("--photos", help="Measure on this many photos, equally many of each label.")
    ] = 500,
    steps: Annotated[int, typer.Option("--steps", help="Measure this many points of each curve.")] = 8,
    neutral: Annotated[
        str, typer.Option("--neutral", help="Replace missing patches by blur, mean or both (blur,mean).")
    ] = "blur",
    seed: Annotated[
        int, typer.Option("--seed", help="Choose photos, random orders and the bootstrap with this seed.")
    ] = 0,
    float_: Annotated[
        Path | None, typer.Option("--float", help="Compare with this checkpoint. Default: the one beside the model.")
    ] = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the results here. Default: MODEL.overlays.json, beside the model."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page", help="Write this page, with plot and sheet beside it. Default: OUT with the ending .md."
        ),
    ] = None,
    kept: Annotated[Path, typer.Option("--kept", help="Keep the curves of each photo in this folder.")] = Path(
        "runs/overlays"
    ),
    as_json: JsonOption = False,
) -> None:
    """Measure whether overlays show what the answer depends on. The same command continues an interrupted run."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.study.faithfulness.measure import Plan
    from vitcam_training.study.faithfulness.overlays import Case, settle
    from vitcam_training.verbs.tables import overlays_table

    plan = Plan(photos, seed, steps, tuple(name for name in neutral.split(",") if name))
    case = Case(model, open_dataset(data), split, plan, kept, float_, threads)
    result, written = settle(case, out, page, as_given())
    record = {"model": result.model, "shown": result.shown, "photos": result.photos}
    better = result.beats_baselines()
    say(json.dumps({**record, **better}) if as_json else overlays_table(record, better, written))


def ablate(
    recipe: Annotated[
        str, typer.Argument(help="Start from this recipe: the name of one that comes with vitcam, or a TOML file.")
    ] = "ablation",
    out: Annotated[Path, typer.Option("--out", "-o", help="Keep the runs in this folder.")] = Path("runs/ablation"),
    rows: Annotated[
        str,
        typer.Option("--rows", help="Run only these rows, with commas between; the base is always run. Default: all."),
    ] = "",
    seeds: Annotated[int, typer.Option("--seeds", help="Run each row this many times, 2 to 10.")] = 3,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write this page, with its plot beside it. Default: OUT/ablation.md.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each run that ends.")] = False,
) -> None:
    """Measure what each part of a ViT is for, on digits. The same command continues an interrupted run."""
    from vitcam_training.progress import shown
    from vitcam_training.study.ablation.ablate import plan

    ablation = plan(recipe, [name for name in rows.split(",") if name], seeds, out)
    for result in shown(ablation.run(), "runs", len(ablation.left)):
        say(json.dumps(asdict(result)) if as_json else _run_in_words(result))
    target = page or out / "ablation.md"
    ablation.write(target, as_given())
    if not as_json:
        say(f"wrote {target} and {target.with_suffix('.svg').name}")


def _run_in_words(result: "Result") -> str:
    return f"{result.row}, seed {result.seed}: {result.accuracy:.2%} of the test photos right, {result.seconds:.0f} s"


def bias(
    only: Annotated[
        str,
        typer.Option("--only", help="Measure only these parts, with commas between: attention, shift, curve."),
    ] = "",
    out: Annotated[Path, typer.Option("--out", "-o", help="Keep the runs in this folder.")] = Path("runs/bias"),
    seeds: Annotated[int, typer.Option("--seeds", help="Run each training this many times, 2 to 10.")] = 3,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page", help="Write the figures into this page, with its plots beside it. Default: OUT/inductive-bias.md."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what a ViT has to learn that a CNN has built in. The same command continues an interrupted run."""
    from vitcam_training.progress import shown
    from vitcam_training.study.inductive_bias.measure import plan

    target = page or out / "inductive-bias.md"
    measurement = plan([name for name in only.split(",") if name], seeds, out, target)
    for result in shown(measurement.run(), "runs", len(measurement.left)):
        say(json.dumps(asdict(result)) if as_json else _training_in_words(result))
    if not as_json:
        say(f"wrote {target}")


def _training_in_words(result: "BiasResult") -> str:
    text = f"{result.network} on {result.photos:,} photos, seed {result.seed}"
    return f"{text}: {result.accuracy:.2%} of the test photos right, {result.seconds:.0f} s"


def split_data(
    data: Annotated[
        str,
        typer.Argument(
            help="Take photos from here: the name of a data set, a folder of photos, or a CSV file of path,label."
        ),
    ],
    folder: Annotated[Path, typer.Argument(help="Make this new folder of LABEL/photo.jpg, with links to the data.")],
    part: Annotated[
        str, typer.Option("--part", help="Take this part of the data: heldout, calibration, train or all.")
    ] = "heldout",
) -> None:
    """Lay out a part of a data set as a folder tree, which `vitcam run --source FOLDER` can read."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.data.folder import lay_out

    count = lay_out(open_dataset(data), part, folder)
    say(f"linked {count:,} photos into {folder}")
