"""The crops that were chosen on the page, kept from one start to the next: one for each camera.

Only cameras have one, since they look at the same thing at the next start. The demo, files and pipes may show something
else then.
"""

import json
import logging
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from vitcam.config.settings import CameraSettings
from vitcam.errors import UsageError
from vitcam.folders import state_folder
from vitcam.pictures.view import Region
from vitcam.redaction import redacted
from vitcam.sources import is_camera
from vitcam.sources.active_crop import ActiveCrop

log = logging.getLogger(__name__)

_MOST = 32  # cameras; the oldest is deleted


class SavedCrop:
    """The saved crop of one camera. A disk that cannot be written loses the crop, and nothing else."""

    def __init__(self, folder: Path | None, source: str) -> None:
        self._path = folder / "crops.json" if folder else None
        self._source = source

    def load(self) -> Region | None:
        """None where nothing was chosen, or what is there cannot be read."""
        text = self._crops().get(self._source)
        try:
            return Region.parse(text) if text else None
        except UsageError as error:
            log.warning("%s: %s", self._path, error)
            return None

    def save(self, region: Region | None) -> str:
        """Save it, or delete it; returns why that failed, "" if it did not."""
        crops = {source: text for source, text in self._crops().items() if source != self._source}
        if region is not None:
            crops[self._source] = str(region)
        if self._path is None:
            return "there is no folder to keep it in"
        try:
            _write(self._path, json.dumps(dict(list(crops.items())[-_MOST:]), indent=1))
        except OSError as error:
            return f"{self._path} cannot be written: {error.strerror}"
        return ""

    def _crops(self) -> dict[str, str]:
        """Camera -> crop, the newest last."""
        try:
            found = json.loads(self._path.read_text("utf-8")) if self._path else {}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            log.warning("the crops chosen on the page cannot be read from %s: %s", self._path, error)
            return {}
        crops = found.items() if isinstance(found, dict) else ()
        return {source: text for source, text in crops if isinstance(text, str)}


def initial_crop(camera: CameraSettings, environ: Mapping[str, str]) -> ActiveCrop:
    """What the model is shown at the start: as the configuration says, else as it was chosen on the page last.

    A crop from an earlier run is logged, with how to take it back.
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
    return ActiveCrop(region, saved.save, from_earlier_run=region is not None)


def _write(path: Path, text: str) -> None:
    """Write the whole file or nothing, also when the power fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as partial:
        try:
            partial.write(text)
            partial.flush()
            os.fsync(partial.fileno())
            Path(partial.name).replace(path)
        except OSError:
            Path(partial.name).unlink(missing_ok=True)
            raise
