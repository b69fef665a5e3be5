"""The `vitcam-train` command: a verb a function, no logic. Only this file prints.

Keras, JAX and TensorFlow are imported by the verb that needs them: `--help` takes no five seconds.
"""

import json
import logging
import math
import os
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.progress import track

from vitcam.errors import UsageError, VitcamError

if TYPE_CHECKING:
    from vitcam.model.bundle import Card

    from .session import Session

app = typer.Typer(
    help="Make models for vitcam: train, bring in foreign weights, export, measure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

BACKENDS = ("jax", "torch", "tensorflow")
LEVELS = {False: logging.INFO, True: logging.DEBUG}

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Where to write.")]
DataOption = Annotated[
    str | None, typer.Option("--data", help="Name of a data set, a folder of LABEL/photo.jpg, or a CSV of path,label.")
]

RunOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="The run's folder; by default runs/RECIPE, or runs/DATA.")
]
RecipeArgument = Annotated[str, typer.Argument(help="Name of a recipe that comes with vitcam, or a TOML file.")]
SaveOption = Annotated[
    float, typer.Option("--save-every", metavar="MINUTES", min=0, help="What a run that is killed may lose.")
]
BoardOption = Annotated[bool, typer.Option("--tensorboard", help="Write event files for TensorBoard, too.")]
TeacherOption = Annotated[
    Path | None, typer.Option("--teacher", help="A checkpoint of vitcam-train with the same labels, to learn from.")
]
StopOption = Annotated[
    float | None,
    typer.Option("--stop-after", metavar="MINUTES", min=0, help="Save and end then; the same command goes on."),
]
HostsOption = Annotated[
    str | None, typer.Option("--hosts", metavar="HOST:PORT,…", help="Train on several machines together, on JAX.")
]
HostIndexOption = Annotated[int | None, typer.Option("--host-index", help="Which of the hosts this one is, from 0.")]
KeepOption = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="PATTERN", help="Layers that stay in float: head, '*/down', 'block11/*'."),
]
RepresentativeOption = Annotated[
    str | None,
    typer.Option(
        "--representative", help="Data set whose photos show `static` what to expect; by default that of --data."
    ),
]


def main() -> None:
    """Run the command line; every refusal is one sentence on stderr and the exit code of its kind."""
    try:
        app()
    except VitcamError as error:
        print(f"vitcam-train: {error}", file=sys.stderr)  # noqa: T201
        sys.exit(error.exit_code)


@app.callback()
def root(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens inside, too.")] = False,
) -> None:
    """Start the log and choose Keras' backend before any verb imports it."""
    backend = os.environ.setdefault("KERAS_BACKEND", "jax")
    if backend not in BACKENDS:
        raise UsageError(f"KERAS_BACKEND is {backend!r}; allowed: {', '.join(BACKENDS)}")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    if backend != "tensorflow":  # it only converts then, and greets on stderr where oneDNN is on
        os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    handler = RichHandler(console=Console(stderr=True), show_path=False, markup=False)
    handler.setFormatter(logging.Formatter("%(message)s"))
    for name in ("vitcam", "vitcam_training"):
        logging.getLogger(name).handlers = [handler]
        logging.getLogger(name).setLevel(LEVELS[verbose])


@app.command()
def finetune(
    weights: Annotated[Path, typer.Option("--weights", help="A pretrained ViT: timm's names, .npz or .safetensors.")],
    recipe: RecipeArgument = "folder",
    out: RunOption = None,
    data: DataOption = None,
    teacher: TeacherOption = None,
    save_every: SaveOption = 5.0,
    stop_after: StopOption = None,
    tensorboard: BoardOption = False,
    hosts: HostsOption = None,
    host_index: HostIndexOption = None,
) -> None:
    """Train a pretrained network on photos of your own labels. Run it again to go on after an interruption."""
    session = _session(save_every, stop_after, tensorboard)
    _join(hosts, host_index)
    _train(recipe, weights, out, data, teacher, session)


@app.command()
def fit(
    recipe: RecipeArgument = "scratch",
    out: RunOption = None,
    data: DataOption = None,
    teacher: TeacherOption = None,
    save_every: SaveOption = 5.0,
    stop_after: StopOption = None,
    tensorboard: BoardOption = False,
    hosts: HostsOption = None,
    host_index: HostIndexOption = None,
) -> None:
    """Train a network from scratch. Run it again to go on after an interruption."""
    session = _session(save_every, stop_after, tensorboard)
    _join(hosts, host_index)
    _train(recipe, None, out, data, teacher, session)


@app.command("import")
def import_weights(
    weights: Annotated[Path, typer.Argument(help="A ViT's weights under timm's names, .npz or .safetensors.")],
    labels: Annotated[Path, typer.Option("--labels", help="One label a line, or WordNet's `n01440764 tench, …`.")],
    out: OutOption,
    name: Annotated[str | None, typer.Option("--name", help="The model's name; by default that of the file.")] = None,
    image_size: Annotated[
        int | None, typer.Option("--image-size", help="Input in px; by default the weights'.")
    ] = None,
    crop_fraction: Annotated[
        float, typer.Option("--crop-fraction", help="Share of the short side that is cut out.")
    ] = 0.875,
    interpolation: Annotated[str, typer.Option("--interpolation", help="area, linear or bicubic.")] = "bicubic",
    licence: Annotated[str, typer.Option("--licence", help="What the weights' owner says of their use.")] = "",
) -> None:
    """Bring foreign weights in: compare every shape, name leftovers, write a checkpoint that `export` takes."""
    from .foreign import Wanted, bring_in

    wanted = Wanted(name or out.stem, image_size, crop_fraction, interpolation, licence)
    leftovers = bring_in(weights, labels, out, wanted)
    _tell(f"wrote {out}" + (f"; not used: {', '.join(leftovers)}" if leftovers else ""))


@app.command()
def export(
    checkpoint: Annotated[Path, typer.Argument(help="A .safetensors file of finetune, fit or import.")],
    out: OutOption,
    data: DataOption = None,
    golden: Annotated[
        Path | None, typer.Option("--golden", help="Folder of a few photos to put into the file.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="REWRITE", help="Leave a rewrite out, to see what it gains."),
    ] = None,
    image_size: Annotated[
        int | None, typer.Option("--image-size", help="Input in px, for a faster or a finer model; by default its own.")
    ] = None,
    quantise: Annotated[
        str, typer.Option("--quantise", help="dynamic, static (needs photos), int4, float16, float.")
    ] = "dynamic",
    keep: KeepOption = None,
    representative: RepresentativeOption = None,
    note: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="What was tried this time, for the card's list of attempts.")
    ] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the new model even if the one that lies there is better.")
    ] = False,
) -> None:
    """Make the model file that `vitcam run --model` takes: exact rewrites, int8, calibration, figures, card."""
    from .data.catalogue import open_dataset
    from .export import export
    from .publish import WeakerModel, publish
    from .rewrites import Rewrites
    from .trial import wanted

    try:
        rewrites = Rewrites.without(*(without or ()))
    except ValueError as error:
        raise UsageError(str(error)) from error
    dataset = open_dataset(data) if data else None
    shown = open_dataset(representative) if representative else dataset
    how = wanted(checkpoint, quantise, keep or (), shown, image_size)

    def make(place: Path) -> "Card":
        return export(checkpoint, place, dataset, golden, rewrites, image_size, how)

    try:
        card = publish(make, out, note, replace)
    except WeakerModel as weaker:
        typer.echo(json.dumps({"model": weaker.card.name, **weaker.card.accuracy}))
        raise
    _tell(f"wrote {out}, {out.with_suffix('.md').name} and {out.with_suffix('.safetensors').name}")
    if card.accuracy:
        typer.echo(json.dumps({"model": card.name, **card.accuracy}))


@app.command()
def compare(
    checkpoint: Annotated[Path, typer.Argument(help="A .safetensors file of finetune, fit, import or export.")],
    data: Annotated[
        str, typer.Option("--data", help="Name of a data set, a folder of LABEL/photo.jpg, or a CSV of path,label.")
    ],
    keep: KeepOption = None,
    scan: Annotated[
        bool, typer.Option("--scan", help="Also quantise each kind of layer and each block alone; takes minutes.")
    ] = False,
    representative: RepresentativeOption = None,
    page: Annotated[Path | None, typer.Option("--page", help="A page to write, such as docs/int8.md.")] = None,
) -> None:
    """Quantise a network in every way and measure each: accuracy, closeness to float, latency, size."""
    import tempfile

    from .compare import compare, rows
    from .compare_page import write_page
    from .data.catalogue import open_dataset

    dataset, shown = open_dataset(data), open_dataset(representative) if representative else None
    with tempfile.TemporaryDirectory() as folder:
        found = compare(checkpoint, dataset, Path(folder), keep or (), scan, shown)
        for row in rows(found):
            typer.echo(json.dumps(row))
        if page:
            write_page(page, found, checkpoint.stem, dataset.name, shlex.join(["vitcam-train", *sys.argv[1:]]))
            _tell(f"wrote {page}")


@app.command()
def evaluate(
    model: Annotated[str, typer.Argument(help="Name of a model, or a .tflite file.")],
    data: Annotated[
        str, typer.Option("--data", help="Name of a data set, a folder of LABEL/photo.jpg, or a CSV of path,label.")
    ],
    split: Annotated[
        str | None,
        typer.Option("--split", help="heldout, calibration, train, all; by default heldout, all where none is."),
    ] = None,
    float_: Annotated[Path | None, typer.Option("--float", help="Checkpoint to compare with, measured anew.")] = None,
    unknown: Annotated[
        str | None,
        typer.Option("--unknown", help="Photos of none of its labels: how many does it tell from known ones?"),
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Threads of XNNPACK.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Measure a model file on photos: accuracy, calibration, closeness to its float network, and each label."""
    from .evaluate import evaluate
    from .tables import evaluation_table
    from .unknown import rejection

    found = evaluate(model, data, split, float_, threads)
    found |= {"unknown": rejection(model, data, unknown, threads)} if unknown else {}
    typer.echo(json.dumps(found) if as_json else evaluation_table(found))


@app.command()
def report(
    model: Annotated[str, typer.Argument(help="Name of a model, or a .tflite file.")],
    data: Annotated[
        str | None,
        typer.Option("--data", help="Name of a data set, a folder or a CSV; by default what the model names."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")] = Path("report.html"),
    split: Annotated[str | None, typer.Option("--split", help="As in evaluate.")] = None,
    float_: Annotated[
        Path | None, typer.Option("--float", help="The float network; by default the .safetensors beside the model.")
    ] = None,
    unknown: Annotated[str | None, typer.Option("--unknown", help="Photos of none of its labels.")] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Threads of XNNPACK.")] = None,
) -> None:
    """Show all that can be measured of a model on one page, an HTML file that loads nothing; it holds photos."""
    from .report.material import Wish, check_place, gather
    from .report.page import write_report

    check_place(out)
    size = write_report(gather(Wish(model, data, split, float_, unknown, threads)), out)
    _tell(f"wrote {out}, {size / 1e6:.2f} MB; it holds photos of the data, whose licences say who may have it")


@app.command()
def ablate(
    recipe: Annotated[
        str, typer.Argument(help="The base: a recipe that comes with vitcam, or a TOML file.")
    ] = "ablation",
    out: Annotated[Path, typer.Option("--out", "-o", help="Where runs are kept.")] = Path("runs/ablation"),
    rows: Annotated[str, typer.Option("--rows", help="Names, with commas; the base is always run. Default: all.")] = "",
    seeds: Annotated[int, typer.Option("--seeds", help="Runs of each row, 2 to 10.")] = 3,
    page: Annotated[
        Path | None, typer.Option("--page", help="The page to write, its plot beside it; by default OUT/ablation.md.")
    ] = None,
) -> None:
    """Measure what each part of a ViT is for, on digits. Run it again to go on after an interruption."""
    from .ablate import plan

    ablation = plan(recipe, [name for name in rows.split(",") if name], seeds, out)
    for result in track(ablation.run(), "runs", len(ablation.left), console=Console(stderr=True)):
        typer.echo(json.dumps(asdict(result)))
    target = page or out / "ablation.md"
    ablation.write(target, shlex.join(["vitcam-train", *sys.argv[1:]]))
    _tell(f"wrote {target} and {target.with_suffix('.svg').name}")


@app.command()
def overlays(
    model: Annotated[str, typer.Argument(help="Name of a model, or a .tflite file.")],
    data: Annotated[
        str, typer.Option("--data", help="Name of a data set, a folder of LABEL/photo.jpg, or a CSV of path,label.")
    ],
    split: Annotated[str, typer.Option("--split", help="Part of the data: heldout, calibration, train.")] = "heldout",
    photos: Annotated[int, typer.Option("--photos", help="How many, as many of each label.")] = 500,
    steps: Annotated[int, typer.Option("--steps", help="Points of a curve.")] = 8,
    neutral: Annotated[str, typer.Option("--neutral", help="In place of a patch: blur, mean or both.")] = "blur",
    seed: Annotated[int, typer.Option("--seed", help="Of the photos, the random orders and the bootstrap.")] = 0,
    float_: Annotated[Path | None, typer.Option("--float", help="Checkpoint; default: that beside the model.")] = None,
    threads: Annotated[int | None, typer.Option("--threads", help="Threads of XNNPACK.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Default: MODEL.overlays.json, beside it.")] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="The page to write, plot and sheet beside it; by default OUT's .md.")
    ] = None,
    kept: Annotated[Path, typer.Option("--kept", help="Folder of the photos' curves.")] = Path("runs/overlays"),
) -> None:
    """Measure whether overlays show what the answer hangs on. Run it again to go on after an interruption."""
    from .data.catalogue import open_dataset
    from .honesty.judge import Case, settle
    from .honesty.measure import Plan

    plan = Plan(photos, seed, steps, tuple(name for name in neutral.split(",") if name))
    case = Case(model, open_dataset(data), split, plan, kept, float_, threads)
    verdict, written = settle(case, out, page, shlex.join(["vitcam-train", *sys.argv[1:]]))
    told = {"model": verdict.model, "shown": verdict.shown, "photos": verdict.photos}
    typer.echo(json.dumps({**told, **verdict.honest()}))
    _tell(f"wrote {' and '.join(map(str, written))}")


@app.command()
def split(
    data: Annotated[str, typer.Argument(help="Name of a data set, a folder of photos, or a CSV of path,label.")],
    folder: Annotated[Path, typer.Argument(help="A new folder: LABEL/photo.jpg, links to the data.")],
    part: Annotated[
        str, typer.Option("--part", help="Part of the data: heldout, calibration, train, all.")
    ] = "heldout",
) -> None:
    """Lay a part of a data set out as a folder tree, for `vitcam run --source FOLDER --no-realtime --once`."""
    from .data.catalogue import open_dataset
    from .data.folder import lay_out

    count = lay_out(open_dataset(data), part, folder)
    _tell(f"linked {count:,} photos into {folder}")


def _session(save_every: float, stop_after: float | None, tensorboard: bool) -> "Session":
    """Before Keras is imported: its seconds count, too."""
    from .session import Session, Stop

    minutes = math.inf if stop_after is None else stop_after
    return Session(save_every_s=60 * save_every, tensorboard=tensorboard, stop=Stop(minutes))


def _join(hosts: str | None, index: int | None) -> None:
    """Before Keras computes anything."""
    from .distributed import join

    join(hosts, index)


def _train(
    recipe: str, weights: Path | None, out: Path | None, data: str | None, teacher: Path | None, session: "Session"
) -> None:
    from .curves import CURVES, draw_curves
    from .distributed import is_first
    from .finetune import train
    from .fit import WEIGHTS
    from .journal import LOG
    from .recipe import on_photos, read_recipe
    from .session import Stopped

    chosen = read_recipe(recipe)
    if data:
        chosen = on_photos(chosen, data)
    try:
        runs = train(chosen, weights, out or Path("runs") / chosen.model_name, session=session, teacher=teacher)
    except Stopped as stopped:
        _tell(f"vitcam-train: {stopped}")
        raise typer.Exit(stopped.exit_code) from None
    folder = runs[-1].folder
    if not is_first():
        return
    draw_curves([run.folder / LOG for run in runs], folder / CURVES)
    _tell(f"wrote {folder / WEIGHTS} and {CURVES}; next: vitcam-train export")


def _tell(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201
