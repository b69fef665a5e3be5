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
from vitcam.replay.bundle import BUNDLE, read_bundle, write_bundle
from vitcam.replay.case import Case, stored_case
from vitcam.replay.model import open_model
from vitcam.replay.picture import ask_again
from vitcam.replay.surroundings import public_settings, versions
from vitcam.replay.verdict import Verdict, judge
from vitcam.storage.whole import written_whole
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
    case, record, picture = _read(request)
    labels = effective.settings.model.labels
    classifier = open_model(case, request.model, Path(labels) if labels else None)
    verdict = judge(case, picture, ask_again(classifier, picture, case.crop, "replay"))
    if request.overlay is not None:
        _save_overlay(request.overlay, verdict)
    if request.bundle is not None:
        more = {"settings": public_settings(effective), "versions": versions(classifier)}
        write_bundle(request.bundle, case, record, more)
        stderr_console().print(f"wrote {request.bundle}: it shows the picture and the settings, without passwords")
    _show(case, classifier, verdict, request.as_json)
    return verdict.match != "none"


def _read(request: ReplayRequest) -> tuple[Case, dict[str, object], Image]:
    """The event, its record and its picture. Nothing in a bundle is trusted: a child process decodes its picture."""
    if not request.target.endswith(BUNDLE):
        case, record = stored_case(EventStore(_folder(request.service)), request.target)
        return case, record, fitting(case, decode_image(case.jpeg))
    if request.bundle is not None:
        raise UsageError(f"{request.target} is a bundle already; --bundle takes the id of an event")
    case, decode = read_bundle(Path(request.target)), DecodeProcess()
    try:
        return case, {}, fitting(case, decode(case.jpeg).image)
    finally:
        decode.close()


def fitting(case: Case, picture: Image) -> Image:
    """The picture, (H, W, 3) uint8, RGB. Raises VitcamError if it is smaller than the part that the model saw."""
    height, width = picture.shape[:2]
    crop = case.crop
    if crop.x + crop.width > width or crop.y + crop.height > height:
        raise VitcamError(f"the picture of event {case.id} has {width}×{height} px; the model saw more than that")
    return picture


def _folder(service: bool) -> Path:
    if service or means_service(os.environ, has_service()):
        return services_state()
    folder = state_folder(os.environ)
    if folder is None:
        raise UsageError("there is no state folder, since HOME is not set; set HOME or XDG_STATE_HOME")
    return folder


def _save_overlay(path: Path, verdict: Verdict) -> None:
    if verdict.overlay is None:
        raise UsageError("the model gives no evidence, so there is no overlay to write")
    data = encode_by_ending(verdict.overlay, path.name)
    try:
        with written_whole(path) as half:
            half.write_bytes(data)
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}") from error


def _show(case: Case, classifier: Classifier, verdict: Verdict, as_json: bool) -> None:
    console, best = stdout_console(), case.top[0]
    if as_json:
        record = {
            "type": "replay",
            "id": case.id,
            "label": case.label,
            "match": verdict.match,
            "differences": list(verdict.differences),
            "model": classifier.card.name,
            "fingerprint": classifier.card.graph_sha256,
        }
        console.print_json(json.dumps(record), indent=None)
        return
    said = f"{case.id}  {case.start}  {case.label}  (best guess at the picture: {best.label} {best.p:.3f})"
    for line in (said, _SENTENCES[verdict.match], *verdict.differences):
        console.print(line, markup=False, highlight=False)
