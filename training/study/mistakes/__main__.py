"""`python -m vitcam_training.study.mistakes FOLDER PART ROW SEED`: one run, result on stdout."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam_training.study.ablation.child import end_with_parent


def main(folder: str, part: str, row: str, seed: str) -> None:
    """Import what takes seconds, and train."""
    end_with_parent()
    from vitcam_training.study.mistakes import cifar10, digits

    work = digits.work if part == "digits" else cifar10.work
    print(json.dumps(asdict(work(Path(folder), row, int(seed)))))  # noqa: T201


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VitcamError as error:
        sys.exit(str(error))
