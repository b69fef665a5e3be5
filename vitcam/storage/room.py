"""Whether a folder takes what is kept: its disk has room, and may be written."""

import os
from pathlib import Path

LEAST_BYTES = 1_000_000
"""With less room a disk is full: a picture and its row would not fit for long."""


def trouble_with(folder: Path) -> str:
    """Why nothing can be kept in a folder, as one sentence; empty if it can, and where there is no such folder yet."""
    try:
        disk = os.statvfs(folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"nothing is kept: the folder {folder} cannot be read: {error.strerror}; look at its disk"
    if disk.f_flag & os.ST_RDONLY:
        return f"nothing is kept: the disk of {folder} is read-only; `mount` says why"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"nothing is kept: vitcam may not write to {folder}; give this folder to the user that runs vitcam"
    free = (disk.f_bavail if os.geteuid() else disk.f_bfree) * disk.f_frsize
    if disk.f_blocks and free < LEAST_BYTES:
        return (
            f"nothing new is kept: the disk of {folder} is full, {free // 1000:,} kB are left; delete something there"
        )
    if disk.f_files and not disk.f_ffree:
        return f"nothing new is kept: the disk of {folder} has no room for more files; delete some there"
    return ""
