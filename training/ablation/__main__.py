"""`python -m vitcam_training.ablation FOLDER RECIPE ROW SEED`: one run in a process of its own, result on stdout."""

import ctypes
import signal
import sys

from vitcam.errors import VitcamError

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(folder: str, recipe: str, row: str, seed: str) -> None:
    """End when the ablation ends, however it does; then import what takes seconds, and train."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    from vitcam_training.ablation.worker import work

    print(work(folder, recipe, row, int(seed)))  # noqa: T201


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VitcamError as error:
        sys.exit(str(error))
