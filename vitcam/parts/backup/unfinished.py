"""A restore that was interrupted is finished before a run reads anything of its folders."""

import os
from collections.abc import Mapping
from pathlib import Path

from vitcam.config.load import SYSTEM_FILE
from vitcam.folders import RESTORING, config_folder, data_folder, state_folder


def finish(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each that was finished. Raises VitcamError where it cannot be done."""
    named = (config_folder(environ), state_folder(environ), data_folder(environ), SYSTEM_FILE.parent)
    folders = [Path(os.path.realpath(folder)) for folder in named if folder is not None]
    if not any(os.path.lexists(folder / RESTORING) for folder in folders):
        return []
    from vitcam.parts.backup.journal import finish_interrupted  # few starts need them
    from vitcam.storage.owner import owned

    return finish_interrupted([owned(folder) for folder in folders])
