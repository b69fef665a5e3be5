"""`python -m vitcam_training.study.teaching`: what `vitcam teach` reaches, beside other ways."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.study.program import as_given, program, start

PACKAGE = "vitcam_training.study.teaching"


def measure(
    base: Annotated[str, typer.Option("--base", help="Teach this model.")] = "everyday",
    out: Annotated[Path, typer.Option("--out", help="Keep what the base makes of the photos here.")] = Path(
        "runs/teaching"
    ),
    weights: Annotated[
        Path | None,
        typer.Option("--weights", help="Fine-tune from these, too, such as models/everyday.safetensors: minutes more."),
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the tables into this page, such as teaching.md.")
    ] = None,
) -> None:
    """Teach parts of data sets and ask about the other parts. Prints JSON, one object a line."""
    import sklearn  # noqa: F401 - one of the ways needs it: refuse now, not after minutes

    from vitcam.model.classifier import Classifier
    from vitcam_training.study.teaching.figures import Material, accuracies, exchanges, finetunings, rejections
    from vitcam_training.study.teaching.page import Findings, write_page

    material = Material(Classifier(base, threads=1), out)
    findings = Findings()
    for kind, figures in (
        ("rejections", rejections(material)),
        ("exchanges", exchanges(material)),
        ("accuracies", accuracies(material)),
        ("accuracies", finetunings(material, weights)),
    ):
        for figure in figures:
            getattr(findings, kind).append(figure)
            typer.echo(json.dumps({"figure": kind} | asdict(figure)))
    if page:
        write_page(page, findings, as_given(PACKAGE))


app = program(measure)
if __name__ == "__main__":
    start(app, "teaching")
