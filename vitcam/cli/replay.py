"""What `vitcam replay` prints of an event."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from vitcam.backup.places import has_service
from vitcam.config.load import EffectiveSettings
from vitcam.errors import UsageError, VitcamError
from vitcam.folders import means_service, services_state, state_folder
from vitcam.frames import Image
from vitcam.history.store import EventStore
from vitcam.model.classifier import GOLDEN_TOLERANCE, Classifier
from vitcam.pictures.decode import decode_image
from vitcam.pictures.decoder.process import DecodeProcess
from vitcam.pictures.encode import encode_by_ending
from vitcam.replay.agreement import Agreement, judge
from vitcam.replay.ask_again import ask_again
from vitcam.replay.bundle import BUNDLE, read_bundle, write_bundle
from vitcam.replay.model import open_model
from vitcam.replay.stored_picture import StoredPicture, stored_picture
from vitcam.replay.surroundings import public_settings, versions
from vitcam.storage.files import atomic_write
from vitcam.storage.owner import owned
from vitcam.terminal.consoles import stderr_console, stdout_console

_SENTENCES = {
    "exact": "guesses and overlay are the same, bit for bit",
    "close": f"the best guess is the same within {GOLDEN_TOLERANCE}, as on another processor or runtime",
    "none": "the answer is another one",
}


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """One `vitcam replay` of an event."""

    target: str
    """The id of an event, or a bundle."""
    model: str
    """Name or file of the model; empty: the installed one that has seen the event."""
    overlay: Path | None
    """Where the picture with the overlay is written."""
    bundle: Path | None
    """Where a bundle is written."""
    service: bool
    as_json: bool


def replay_event(request: ReplayRequest, effective: EffectiveSettings) -> bool:
    """Ask the model about the picture of an event once more; False if the answer is another one.

    raises  VitcamError if there is no such event; ModelError if its model is not installed; UsageError
    """
    stored, record, picture = _read(request)
    labels = effective.settings.model.labels
    classifier = open_model(stored, request.model, Path(labels) if labels else None)
    agreement = judge(stored, picture, ask_again(classifier, picture, stored.crop, "replay"))
    if request.overlay is not None:
        _save_overlay(request.overlay, agreement)
    if request.bundle is not None:
        settings = public_settings(effective)
        write_bundle(request.bundle, stored, {"event": record, "settings": settings, "versions": versions(classifier)})
        stderr_console().print(f"wrote {request.bundle}: it shows the picture and the settings, without passwords")
    _show(stored, classifier, agreement, request.as_json)
    return agreement.match != "none"


def _read(request: ReplayRequest) -> tuple[StoredPicture, dict[str, object], Image]:
    """The event, its record and its picture.

    Nothing in a bundle is trusted, nor what root reads of somebody else: a child process decodes such a picture.
    """
    if not request.target.endswith(BUNDLE):
        place = owned(_folder(request.service))
        with place.acting() as folder:
            stored, record = stored_picture(EventStore(folder), request.target)
        if place.owner is None:
            return stored, record, fitting(stored, decode_image(stored.jpeg))
        return stored, record, _decoded(stored)
    if request.bundle is not None:
        raise UsageError(f"{request.target} is a bundle already; --bundle takes the id of an event")
    stored = read_bundle(Path(request.target))
    return stored, {}, _decoded(stored)


def _decoded(stored: StoredPicture) -> Image:
    decode = DecodeProcess()
    try:
        return fitting(stored, decode(stored.jpeg).image)
    finally:
        decode.close()


def fitting(stored: StoredPicture, picture: Image) -> Image:
    """The picture, (H, W, 3) uint8, RGB. Raises VitcamError if the part that the model saw is not in it."""
    height, width = picture.shape[:2]
    crop = stored.crop
    inside = 0 <= crop.x <= width - crop.width and 0 <= crop.y <= height - crop.height
    if not inside or min(crop.width, crop.height) < 1:
        raise VitcamError(f"the picture of event {stored.id} has {width}×{height} px, and the model saw another part")
    return picture


def _folder(service: bool) -> Path:
    if service or means_service(os.environ, has_service()):
        return services_state()
    folder = state_folder(os.environ)
    if folder is None:
        raise UsageError("there is no state folder, since HOME is not set; set HOME or XDG_STATE_HOME")
    return folder


def _save_overlay(path: Path, agreement: Agreement) -> None:
    if agreement.overlay is None:
        raise UsageError("the model gives no evidence, so there is no overlay to write")
    data = encode_by_ending(agreement.overlay, path.name)
    try:
        with atomic_write(path) as half:
            half.write_bytes(data)
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}") from error


def _show(stored: StoredPicture, classifier: Classifier, agreement: Agreement, as_json: bool) -> None:
    console, best = stdout_console(), stored.top[0]
    if as_json:
        record = {
            "type": "replay",
            "id": stored.id,
            "label": stored.label,
            "match": agreement.match,
            "differences": list(agreement.differences),
            "frame_of": stored.frame_of or None,
            "model": classifier.card.name,
            "fingerprint": classifier.card.graph_sha256,
        }
        console.print_json(json.dumps(record), indent=None)
        return
    said = f"{stored.id}  {stored.start}  {stored.label}  (best guess at the picture: {best.label} {best.p:.3f})"
    shared = (f"its picture is that of event {stored.frame_of}, which looked the same",) if stored.frame_of else ()
    for line in (said, *shared, _SENTENCES[agreement.match], *agreement.differences):
        console.print(line, markup=False, highlight=False)
