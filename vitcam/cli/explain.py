"""`vitcam explain`: reads one photo and writes one figure that shows how the model came to its answer."""

from dataclasses import dataclass
from pathlib import Path

from vitcam.config.settings import ModelSettings
from vitcam.errors import UsageError, VitcamError
from vitcam.explain.explained import MAX_GUESSES, ExplainedPhoto, explain
from vitcam.explain.figure import draw_figure
from vitcam.frames import Image
from vitcam.model.classifier import open_classifier
from vitcam.pictures.decode import MAX_BYTES, Decoded, decode
from vitcam.pictures.encode import encode_jpeg, encode_png
from vitcam.redaction import redacted
from vitcam.terminal.consoles import stdout_console

ENDINGS = (".png", ".jpg", ".jpeg")
_JPEG_QUALITY = 88


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """What was asked on the command line."""

    photo: Path
    out: Path
    model: ModelSettings
    opacity: float


def explain_photo(request: ExplainRequest) -> None:
    """Draw how the model came to its answer about a photo.

    raises  UsageError if the photo, the file to write or an option is invalid; VitcamError if writing fails
    """
    _check(request)
    photo, settings = _read(request.photo), request.model
    classifier = open_classifier(settings)
    explained = explain(classifier, photo, request.photo.name, settings.top_k, request.opacity, request.photo)
    _write(request.out, draw_figure(explained))
    stdout_console().print(f"wrote {request.out}: {_in_words(explained)}", markup=False, highlight=False)


def _check(request: ExplainRequest) -> None:
    """Refuse what is invalid before the model is loaded."""
    out = request.out
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"the picture cannot be called {out}; its name must end in {', '.join(ENDINGS)}")
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name the picture to be written")
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent} to write {out.name} to; make it first")
    if out.exists() and request.photo.exists() and out.samefile(request.photo):
        raise UsageError(f"{out} is the photo itself; give the picture another name")
    if not 0 < request.opacity <= 1:
        raise UsageError(f"--opacity is {request.opacity:g}; more than 0 and at most 1 is allowed")
    if request.model.top_k > MAX_GUESSES:
        raise UsageError(f"--top-k is {request.model.top_k}; at most {MAX_GUESSES} guesses fit into a picture")


def _read(path: Path) -> Decoded:
    if path.is_dir():
        raise UsageError(f"{path} is a folder; explain takes one photo, `vitcam classify` takes folders")
    if not path.is_file():  # opening a pipe would wait for a writer without end
        name = redacted(str(path))  # it may be a camera's address with a password
        raise UsageError(f"there is no photo {name}" if not path.exists() else f"{name} is not a file; give a photo")
    try:
        with path.open("rb") as file:
            return decode(file.read(MAX_BYTES + 1))
    except OSError as error:
        raise UsageError(f"the photo {path} cannot be read: {error.strerror}") from error
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _write(path: Path, figure: Image) -> None:
    data = encode_png(figure) if path.suffix.lower() == ".png" else encode_jpeg(figure, _JPEG_QUALITY)
    try:
        path.write_bytes(data)
    except OSError as error:
        raise VitcamError(f"{path} cannot be written: {error.strerror}") from error


def _in_words(explained: ExplainedPhoto) -> str:
    best = explained.prediction.top[0]
    answer = f"{best.label}, {best.p:.1%}"
    share = explained.prediction.evidence_share
    if share is not None:
        answer += f"; patches wrote {share:.0%} of its margin in the last blocks"
    if explained.truth is None:
        return answer
    if explained.right:
        return f"{answer}; right, the folder says so"
    return f"{answer}; wrong, the folder says {explained.truth}"
