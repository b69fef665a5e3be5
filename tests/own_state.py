"""What is tested or measured never reads what the user's own daemon has learned, and never adds to it."""

import os
import tempfile


def own_state() -> "tempfile.TemporaryDirectory[str]":
    """Let this process and its children keep their state in a new folder; it goes when the returned one is cleaned."""
    folder = tempfile.TemporaryDirectory(prefix="vitcam-state-", ignore_cleanup_errors=True)
    os.environ.pop("STATE_DIRECTORY", None)
    os.environ["XDG_STATE_HOME"] = folder.name
    return folder
