"""The crops that were chosen on the page, kept from one start to the next: one for each camera.

Only cameras have one, since they look at the same thing at the next start. The demo, files and pipes may show something
else then.
"""

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from vitcam.config.settings import CameraSettings
from vitcam.daemon.saved_state.trials import Trials
from vitcam.folders import state_folder
from vitcam.pictures.view import Region, is_region
from vitcam.redaction import redacted
from vitcam.sources import is_camera
from vitcam.sources.active_crop import ActiveCrop
from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)

_MOST = 32  # cameras; the oldest is deleted


class SavedCrop:
    """The saved crop of one camera. A disk that cannot be written loses the crop, and nothing else."""

    def __init__(self, folder: Path | None, source: str) -> None:
        self._file = StateFile(folder / "crops.json") if folder else None
        self._source = source

    def load(self) -> Region | None:
        """None where nothing was chosen, or what is there cannot be read."""
        text = self._crops().get(self._source)
        region = Region.parse(text) if text else None
        return None if region is None or region.is_whole else region  # older versions kept the whole picture, too

    def save(self, region: Region | None) -> str:
        """Save it, or delete it; returns why that failed, "" if it did not."""
        crops = {source: text for source, text in self._crops().items() if source != self._source}
        if region is not None:
            sides = (region.x, region.y, region.width, region.height)
            crops[self._source] = ",".join(map(repr, sides))  # rounded, their sum might be more than the picture
        if self._file is None:
            return "there is no folder to keep it in"
        try:
            self._file.write(json.dumps(dict(list(crops.items())[-_MOST:]), indent=1))
        except OSError as error:
            return f"{self._file.path} cannot be written: {error.strerror}"
        return ""

    def _crops(self) -> dict[str, str]:
        """Camera -> crop, the newest last."""
        return (self._file.read_if_good(_parsed) if self._file else None) or {}


def _parsed(text: str) -> dict[str, str]:
    """Raises ValueError if it is not what `save` wrote."""
    crops = json.loads(text)
    if not isinstance(crops, dict) or not all(isinstance(crop, str) and is_region(crop) for crop in crops.values()):
        raise ValueError("it does not hold one crop for each camera")
    return crops


def initial_crop(camera: CameraSettings, environ: Mapping[str, str], trials: Trials | None = None) -> ActiveCrop:
    """What the model is shown at the start: as the configuration says, else as it was chosen on the page last.

    A crop from an earlier run is logged, with how to take it back.

    trials  keep another one once it has worked; None: at once
    """
    if camera.crop:
        return ActiveCrop(Region.parse(camera.crop), lambda _: "camera.crop is set by the configuration or an option")
    if not is_camera(camera.source):
        return ActiveCrop(None, lambda _: "crops are kept for cameras only; set camera.crop to keep this one")
    saved = SavedCrop(state_folder(environ), redacted(camera.source) or "auto")
    region = saved.load()
    if region is not None:
        log.info(
            "the model is shown only %s of the picture (x, y, width, height), as chosen on the page in an earlier run; "
            "to take it back choose the whole picture there, or start with --crop 0,0,1,1",
            region,
        )

    def keep(region: Region | None) -> str:
        return saved.save(region) if trials is None else trials.keep("crop", lambda: saved.save(region))

    return ActiveCrop(region, keep, from_earlier_run=region is not None)
