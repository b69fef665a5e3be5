"""`vitcam explain`: one photo in, one picture out that shows how the model came to its answer."""

from dataclasses import dataclass
from pathlib import Path

from vitcam.config.settings import ModelSettings
from vitcam.errors import UsageError, VitcamError
from vitcam.explain.figure import draw_sheet
from vitcam.explain.first_row import ExplainedPhoto
from vitcam.frames import Image
from vitcam.model.classifier import Classifier, frame_of
from vitcam.model.open import open_classifier
from vitcam.pictures.decode import MAX_BYTES, Decoded, decode_image
from vitcam.pictures.encode import encode_jpeg, encode_png
from vitcam.pictures.resize import to_model_size
from vitcam.redaction import redacted
from vitcam.terminal.consoles import for_results

ENDINGS = (".png", ".jpg", ".jpeg")
MOST = 40  # guesses that a sheet has room for
_JPEG_QUALITY = 88


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """What was asked on the command line."""

    photo: Path
    out: Path
    model: ModelSettings
    opacity: float


def explain_photo(request: ExplainRequest) -> None:
    """Draw what the model makes of a photo.

    raises  UsageError if the photo, the place to write to or an option cannot be meant; VitcamError if writing fails
    """
    _check(request)
    photo = _read(request.photo)
    explained = explain(photo, request)
    _write(request.out, draw_sheet(explained))
    for_results().print(f"wrote {request.out}: {_in_words(explained)}", markup=False, highlight=False)


def explain(photo: Image, request: ExplainRequest) -> ExplainedPhoto:
    """Ask the model. photo is (H, W, 3) uint8, RGB."""
    classifier = open_classifier(request.model)
    height, width = photo.shape[:2]
    about = PhotoInfo(request.photo.name, str(request.photo), truth_of(request.photo, classifier.labels))
    return ask(classifier, Decoded(photo, width, height), about, request.model.top_k, request.opacity)


@dataclass(frozen=True, slots=True)
class PhotoInfo:
    """What is known of a photo beside its pixels."""

    name: str
    path: str | None = None
    truth: str | None = None


def ask(classifier: Classifier, photo: Decoded, about: PhotoInfo, top_k: int, opacity: float) -> ExplainedPhoto:
    """What the sheet shows of a photo. The classifier is left as it was."""
    count = len(classifier.labels)
    frame = frame_of(photo.image, classifier.input, "explain", about.path)
    return ExplainedPhoto(
        name=about.name,
        frame=frame,
        size=(photo.width, photo.height),
        seen=to_model_size(photo.image, classifier.input),
        card=classifier.card,
        # with every label, since the truth is shown with its rank, however far behind
        prediction=classifier.with_top_k(count)(frame, explain=True),
        top_k=min(top_k, count, MOST),
        truth=about.truth,
        opacity=opacity,
    )


def truth_of(photo: Path, labels: tuple[str, ...]) -> str | None:
    """The label that the photo's folder is called by, as data sets are laid out: LABEL/photo.jpg.

    Case does not matter, nor whether words are joined by spaces, `_` or `-`. None where the folder says nothing.
    """
    folder = photo.absolute().parent.name  # not resolved: a data set may be a tree of links
    return next((label for label in labels if _plain(label) == _plain(folder)), None)


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").casefold().split())


def _check(request: ExplainRequest) -> None:
    """Refuse before anything is loaded what could not be done in the end."""
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
    if request.model.top_k > MOST:
        raise UsageError(f"--top-k is {request.model.top_k}; at most {MOST} guesses fit into a picture")


def _read(path: Path) -> Image:
    if path.is_dir():
        raise UsageError(f"{path} is a folder; explain takes one photo, `vitcam classify` takes folders")
    if not path.is_file():  # a pipe would wait for a writer for ever
        name = redacted(str(path))  # somebody may give a camera's address
        raise UsageError(f"there is no photo {name}" if not path.exists() else f"{name} is no file; give a photo")
    try:
        with path.open("rb") as file:
            return decode_image(file.read(MAX_BYTES + 1))
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


def _in_words(of: ExplainedPhoto) -> str:
    best = of.prediction.top[0]
    said = f"{best.label}, {best.p:.1%}"
    if of.truth is None:
        return said
    return f"{said}; right, the folder says so" if of.right else f"{said}; wrong, the folder says {of.truth}"
