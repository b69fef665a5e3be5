"""Compare all networks of `catalogue.py`, and write docs/train/pretrained.md: `make test-peers`."""

from __future__ import annotations

import argparse
import datetime
import gc
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

from tests.bench.pretrained.catalogue import GOOGLE, SUBJECTS, Subject
from tests.bench.pretrained.compare import Errors, compare, read
from tests.bench.pretrained.saved import save, without_torchvision

PAGE = Path(__file__).parents[3] / "docs" / "train" / "pretrained.md"
TEXT = Path(__file__).with_name("page.md")
MOST = 1e-4
"""Logits and attention may differ so far in float32."""
LEAST_COSINE = 0.99


def main() -> None:
    """Exits with 1 if a network answers otherwise."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pretrained", description=__doc__)
    parser.add_argument("--only", default="", help="Compare those whose name contains this, and write no page.")
    wanted = parser.parse_args().only
    without_torchvision()
    rows, failed = [], []
    for subject in (each for each in SUBJECTS if wanted in each.name):
        errors, parameters = one(subject)
        row = as_row(subject, errors, parameters)
        print(row, flush=True)
        rows.append(row)
        if max(errors.answer, errors.attention) > MOST or (errors.cosine or 1.0) < LEAST_COSINE:
            failed.append(subject.name)
        gc.collect()
    if failed:
        sys.exit(f"these answer otherwise than in their own library: {', '.join(failed)}")
    if not wanted:
        PAGE.write_text(page(rows))
        print(f"wrote {PAGE}")


def one(subject: Subject) -> tuple[Errors, int]:
    """Save, read, compare; and how many parameters it has."""
    images = np.random.default_rng(0).integers(0, 256, (2, subject.side, subject.side, 3), np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "saved.npz" if subject.library == GOOGLE else "saved")
        there = save(subject, images, place)
        return compare(subject, read(subject, place), images, there), there.parameters


def as_row(subject: Subject, errors: Errors, parameters: int) -> str:
    """A line of the table."""
    int8 = "–" if errors.cosine is None else f"{errors.cosine:.4f}, one piece"
    return (
        f"| {subject.library} | {subject.name} | {parameters / 1e6:.1f} M | {subject.patch} | {subject.side} | "
        f"{errors.answer:.1e} | {errors.attention:.1e} | {int8} |"
    )


def page(rows: list[str]) -> str:
    """docs/train/pretrained.md."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("transformers", "timm", "torch", "keras"))
    return TEXT.read_text().format(table="\n".join(rows), versions=versions, date=datetime.date.today())


main()
