"""`python -m vitcam_training.study.inductive_bias FOLDER NETWORK SHARE SEED`: one run, result on stdout."""

import ctypes
import signal
import sys

from vitcam.errors import VitcamError

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main(folder: str, network: str, share: str, seed: str) -> None:
    """End when the measurement ends, however it does; then import what takes seconds, and train."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    from vitcam_training.study.inductive_bias.worker import work

    print(work(folder, network, share, seed))  # noqa: T201


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VitcamError as error:
        sys.exit(str(error))
