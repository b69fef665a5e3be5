"""`python -m vitcam_training.study.ablation FOLDER RECIPE ROW SEED`: one run, result on stdout."""

import sys

from vitcam.errors import VitcamError
from vitcam_training.study.ablation.child import end_with_parent


def main(folder: str, recipe: str, row: str, seed: str) -> None:
    """Import what takes seconds, and train."""
    end_with_parent()
    from vitcam_training.study.ablation.worker import work

    print(work(folder, recipe, row, int(seed)))  # noqa: T201


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VitcamError as error:
        sys.exit(str(error))
