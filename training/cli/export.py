"""`vitcam-train export`."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.errors import UsageError
from vitcam_training.cli.options import (
    DataOption,
    GoldenOption,
    JsonOption,
    KeepOption,
    OutOption,
    RepresentativeOption,
    say,
    warn,
)

if TYPE_CHECKING:
    from vitcam.model.card import ModelCard

QUANTISE = "dynamic"
"""What `export` does by default."""


def export(
    checkpoint: Annotated[Path, typer.Argument(help="Export this .safetensors file, made by finetune, fit or import.")],
    out: OutOption,
    data: DataOption = None,
    golden: GoldenOption = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="REWRITE", help="Leave out this rewrite, to see what it gains. May be repeated."
        ),
    ] = None,
    image_size: Annotated[
        int | None,
        typer.Option(
            "--image-size",
            help="Make the input this large, in px: smaller is faster, larger is finer. Default: its own size.",
        ),
    ] = None,
    quantise: Annotated[
        str,
        typer.Option(
            "--quantise",
            help="Quantise in this way: dynamic, static (needs photos), int4, float16, float, or "
            "converter (TFLiteConverter's own int8).",
        ),
    ] = QUANTISE,
    keep: KeepOption = None,
    representative: RepresentativeOption = None,
    spare_rows: Annotated[
        int,
        typer.Option(
            "--spare-rows", min=0, max=4096, help="Leave room for this many labels that a device adds; 128 is plenty."
        ),
    ] = 0,
    bank: Annotated[
        list[str] | None,
        typer.Option(
            "--bank",
            metavar="DATA",
            help="Put features of photos of this data set into the file, which a device needs that learns a label. May "
            "be repeated.",
        ),
    ] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            "--also",
            metavar="DATA",
            help="Write into the card how it does on these photos, too: a data set, a folder or a CSV file. May be "
            "repeated.",
        ),
    ] = None,
    headline: Annotated[
        str | None,
        typer.Option(
            "--headline",
            metavar="DATA",
            help="Let the figure on these photos stand for the model, as in `vitcam models list`: a data set, a folder "
            "or a CSV file. Default: the figure on --data.",
        ),
    ] = None,
    began_with: Annotated[
        Path | None,
        typer.Option(
            "--began-with",
            metavar="FILE",
            help="Measure what was kept of the knowledge of this checkpoint, which the training began with. A network "
            "with added rows needs none.",
        ),
    ] = None,
    note: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Add this remark to the card's list of attempts.")
    ] = "",
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the existing model even if it is better.")
    ] = False,
    interop: Annotated[
        bool,
        typer.Option(
            "--interop",
            help="Make a plain file for MediaPipe and rpicam-apps in place of one for vitcam. It has probabilities and "
            "labels, and nothing else.",
        ),
    ] = False,
    onnx: Annotated[
        bool,
        typer.Option(
            "--onnx",
            help="Make an ONNX file in float32 in place of one for vitcam. It takes any number of pictures at once.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make the model file for the daemon: exact rewrites, int8, calibration, figures, card."""
    from vitcam_training.cli.tables import export_record, export_table
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.export.export import export_model
    from vitcam_training.export.folded import Rewrites
    from vitcam_training.export.interop import write_interop
    from vitcam_training.export.onnx_file import write_onnx
    from vitcam_training.export.publish import WeakerModel, publish
    from vitcam_training.export.trial import wanted
    from vitcam_training.model_card.commands import EXPORTED_BY, MEASURED_ON, data_word, exporting, path_word
    from vitcam_training.model_card.page import card_warnings

    try:
        rewrites = Rewrites.without(*(without or ()))
    except ValueError as error:
        raise UsageError(str(error)) from error
    _check_together(data, bank, spare_rows, also, headline)
    _check_there([*(also or ()), *filter(None, [headline])], began_with, golden)
    dataset = open_dataset(data) if data else None
    banked = [open_dataset(each) for each in bank or ()]
    shown = open_dataset(representative) if representative else dataset
    how = wanted(checkpoint, quantise, keep or (), shown, image_size)
    if onnx:
        _check_plain(
            "--onnx", spare_rows, golden, also, headline, began_with, without, interop, keep, quantise != QUANTISE
        )
        say(f"wrote {write_onnx(checkpoint, out, image_size)}")
        return
    if interop:
        _check_plain("--interop", spare_rows, golden, also, headline, began_with, without)
        say("\n".join(f"wrote {path}" for path in write_interop(checkpoint, out, how, image_size)))
        return
    options = _options(golden, without, image_size, quantise, keep, representative, spare_rows, bank, also)
    options += ["--headline", data_word(headline)] if headline else []
    options += ["--began-with", path_word(began_with)] if began_with else []
    command = exporting(checkpoint, out, data, *options)

    def make(place: Path) -> "ModelCard":
        card = export_model(
            checkpoint, place, dataset, golden, rewrites, image_size, how, began_with, spare_rows, banked
        )
        card = _measured_elsewhere(card, place, also or (), headline)
        photos = {MEASURED_ON: data_word(data)} if data else {}
        return dataclasses.replace(card, provenance=card.provenance | photos | {EXPORTED_BY: command})

    def show(card: "ModelCard", written: tuple[Path, ...]) -> None:
        say(json.dumps(export_record(card, written)) if as_json else export_table(card, written))

    try:
        card = publish(make, out, note, replace, source=checkpoint)
    except WeakerModel as weaker:
        show(weaker.card, ())
        raise
    show(card, tuple(out.with_suffix(suffix) for suffix in (".tflite", ".md", ".safetensors")))
    for each in card_warnings(card):
        warn(each)


def _measured_elsewhere(card: "ModelCard", model: Path, also: Sequence[str], headline: str | None) -> "ModelCard":
    """The card with the figures on other photos, in the model file, too.

    also      photos that have a line each
    headline  photos whose figure stands for the model; None: those of `--data`
    """
    from vitcam.model import bundle
    from vitcam.model.card import HEADLINE
    from vitcam_training.evaluation.answers import OTHER_DATASETS
    from vitcam_training.evaluation.evaluate import measure_headline, measure_other_datasets

    found = card.accuracy
    found = found | ({OTHER_DATASETS: measure_other_datasets(model, also)} if also else {})
    found = found | ({HEADLINE: measure_headline(model, headline)} if headline else {})
    if found != card.accuracy:
        bundle.amend(model, accuracy=found)
    return dataclasses.replace(card, accuracy=found)


def _check_together(
    data: str | None, bank: list[str] | None, spare_rows: int, also: list[str] | None, headline: str | None
) -> None:
    """Raises UsageError for an option that means nothing without another one."""
    if also and not data:
        raise UsageError("--also names photos besides those of --data; give --data, too")
    if headline and not data:
        raise UsageError("--headline chooses among figures; give --data, too, which measures the others")
    if bank and not spare_rows:
        raise UsageError("--bank is for a file with room for labels that a device adds; give --spare-rows, too")


def _check_there(photos: Sequence[str], began_with: Path | None, golden: Path | None) -> None:
    """Raises UsageError for what is not there and would be read only after minutes of other work.

    photos  data sets, folders and CSV files
    """
    from vitcam_training.data import catalogue
    from vitcam_training.export.golden import photos_of
    from vitcam_training.weights import metadata

    for name in photos:
        catalogue.check_there(name)
    if began_with:
        metadata.check_there(began_with)
    if golden:
        photos_of(golden)


def _check_plain(kind: str, *own: object) -> None:
    """Raises UsageError if any of the options for what vitcam puts into its own files is given."""
    if any(own):
        options = "--spare-rows, --golden, --also, --headline, --began-with and --without"
        more = ", --interop, --quantise and --keep, since it is in float32" if kind == "--onnx" else ""
        raise UsageError(f"a file of {kind} has a graph and labels only; leave out {options}{more}")


def _options(
    golden: Path | None, without: list[str] | None, image_size: int | None, quantise: str, keep: list[str] | None,
    representative: str | None, spare_rows: int, bank: list[str] | None, also: list[str] | None,
) -> list[str]:  # fmt: skip
    """What decides about the file, as `export` takes it."""
    from vitcam_training.model_card.commands import data_word, path_word

    words = ["--golden", path_word(golden)] if golden else []
    words += [word for name in without or () for word in ("--without", name)]
    words += ["--image-size", str(image_size)] if image_size else []
    words += ["--quantise", quantise] if quantise != QUANTISE else []
    words += [word for pattern in keep or () for word in ("--keep", pattern)]
    words += ["--representative", data_word(representative)] if representative else []
    words += ["--spare-rows", str(spare_rows)] if spare_rows else []
    words += [word for data in bank or () for word in ("--bank", data_word(data))]
    return words + [word for data in also or () for word in ("--also", data_word(data))]
