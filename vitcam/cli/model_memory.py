"""How much memory a daemon takes with a model, and which Raspberry Pi has that much.

`python -m tests.bench.memory` measures what is estimated here.
"""

LIBRARIES_MB = 62.0
"""Of the code of Python and the packages, as much as is usually resident. The kernel keeps more or less of it."""
_DAEMON_MB = 108.0 + LIBRARIES_MB
"""Resident, with one viewer and a model of no size: Python, the packages, frames and JPEG pictures."""
_COPIES = 5.1
"""Of the file's bytes. They are kept once, and each of two interpreters (one is for photos that are sent) arranges the
weights in XNNPACK's order for each of two signatures (the answer, and the answer with attention)."""
_SYSTEM_MB = 400.0
"""Left to Raspberry Pi OS without a desktop, the firmware and the camera's process; assumed, not measured."""
_PIS_GB = (1, 2, 4, 8, 16)


def daemon_mb(file_bytes: int) -> float:
    """The resident memory of `vitcam run`, in MB of 2^20 bytes.

    file_bytes  the size of the model file
    """
    return _DAEMON_MB + _COPIES * file_bytes / 2**20


def fitting_pis_gb(file_bytes: int) -> tuple[int, ...]:
    """The sizes of memory, in GB, of the Raspberry Pis that can run the model beside their system.

    file_bytes  the size of the model file
    """
    needed_mb = daemon_mb(file_bytes) + _SYSTEM_MB
    return tuple(size for size in _PIS_GB if needed_mb <= size * 1024)
