"""Classify many photos and write a row of CSV for each, for a spreadsheet.

python examples/python/write_answers_as_csv.py FOLDER answers.csv
"""

import csv
import sys
from pathlib import Path

from vitcam import Classifier, classify_all


def main(folder: str = "models/golden", out: str = "answers.csv") -> None:
    """Write path, displayed name, its probability, and whether the picture looks like anything that the model knows."""
    rows = 0
    with Path(out).open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("path", "label", "p", "known"))
        for photo in classify_all(Classifier("everyday"), [folder]):
            shown = photo.prediction.shown
            table.writerow((photo.frame.path, shown.label or "", f"{shown.p:.4f}", photo.prediction.known))
            rows += 1
    print(f"wrote {out}: {rows} photos")


if __name__ == "__main__":
    main(*sys.argv[1:])
