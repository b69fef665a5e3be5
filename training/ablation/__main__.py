"""`python -m vitcam_training.ablation FOLDER RECIPE ROW SEED`: one run in a process of its own, result on stdout."""

import sys

from vitcam.errors import VitcamError
from vitcam_training.ablation.child import end_with_parent


def main(folder: str, recipe: str, row: str, seed: str) -> None:
    """Import what takes seconds, and train."""
    end_with_parent()
    from vitcam_training.ablation.worker import work

    print(work(folder, recipe, row, int(seed)))  # noqa: T201


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VitcamError as error:
        sys.exit(str(error))
