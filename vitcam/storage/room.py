"""Whether a folder takes what is kept: its disk has room, and may be written."""

import os
from pathlib import Path

from vitcam.sentence import Sentence

LEAST_BYTES = 1_000_000
"""With less room a disk is full: a picture and its row would not fit for long."""


def trouble_with(folder: Path) -> str:
    """Why nothing can be kept in a folder, as one sentence; empty if it can, and where there is no such folder yet."""
    try:
        disk = os.statvfs(folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return Sentence(
            f"nothing is kept: the folder {folder} cannot be read: {error.strerror}; look at its disk",
            "disk.unreadable",
            folder=str(folder),
        )
    if disk.f_flag & os.ST_RDONLY:
        return Sentence(f"nothing is kept: the disk of {folder} is read-only; `mount` says why", "disk.read_only")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Sentence(
            f"nothing is kept: vitcam may not write to {folder}; give this folder to the user that runs vitcam",
            "disk.not_allowed",
            folder=str(folder),
        )
    free = (disk.f_bavail if os.geteuid() else disk.f_bfree) * disk.f_frsize
    if disk.f_blocks and free < LEAST_BYTES:
        return Sentence(
            f"nothing new is kept: the disk of {folder} is full, {free // 1000:,} kB are left; delete something there",
            "disk.full",
            kb=free // 1000,
        )
    if disk.f_files and not disk.f_ffree:
        return Sentence(
            f"nothing new is kept: the disk of {folder} has no room for more files; delete some there",
            "disk.many_files",
        )
    return ""
