"""`vitcam explain`: reads one photo and writes one figure that shows how the model came to its answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam.cli.options import ClassifierOptions, call_by_names, write_output
from vitcam.errors import UsageError
from vitcam.redaction import redacted
from vitcam.terminal.consoles import stdout_console
from vitcam.terminal.verbs import grouped

if TYPE_CHECKING:
    from vitcam.explain.explained import ExplainedPhoto
    from vitcam.frames import Image
    from vitcam.pictures.decode import Decoded

ENDINGS = (".png", ".jpg", ".jpeg")
_JPEG_QUALITY = 88


@grouped
def explain(
    photo: Annotated[
        Path,
        typer.Argument(
            metavar="PHOTO", help="Explain this photo. In a folder LABEL/, the answer is marked right or wrong."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write the drawing to this .png or .jpg file.")],
    model: ClassifierOptions,
    opacity: Annotated[
        float, typer.Option("--opacity", help="Cover the photo this much at the hottest spot of a map, 0 to 1.")
    ] = 0.85,
) -> None:
    """Draw how the model came to its answer: input, patches, attention by head and block, rollout, guesses."""
    from vitcam.explain.explained import MAX_GUESSES
    from vitcam.explain.explained import explain as ask
    from vitcam.explain.figure import draw_figure
    from vitcam.open_model import open_classifier

    settings = model.settings()
    _check_paths(photo, out)
    if not 0 < opacity <= 1:
        raise UsageError(f"--opacity is {opacity:g}; more than 0 and at most 1 is allowed")
    if settings.model.top_k > MAX_GUESSES:
        raise UsageError(f"--top-k is {settings.model.top_k}; at most {MAX_GUESSES} guesses fit into a picture")
    decoded = _read(photo)
    classifier = open_classifier(settings.model)
    call_by_names(classifier, settings.names)
    explained = ask(classifier, decoded, photo.name, settings.model.top_k, opacity, photo)
    write_output(out, _encoded(out, draw_figure(explained)))
    stdout_console().print(f"wrote {out}: {_in_words(explained)}", markup=False, highlight=False)


def _check_paths(photo: Path, out: Path) -> None:
    """Refuse what is invalid before the model is loaded."""
    if out.suffix.lower() not in ENDINGS:
        raise UsageError(f"the picture cannot be called {out}; its name must end in {', '.join(ENDINGS)}")
    if out.is_dir():
        raise UsageError(f"{out} is a folder; name the picture to be written")
    if not out.parent.is_dir():
        raise UsageError(f"there is no folder {out.parent} to write {out.name} to; make it first")
    if out.exists() and photo.exists() and out.samefile(photo):
        raise UsageError(f"{out} is the photo itself; give the picture another name")


def _read(path: Path) -> "Decoded":
    from vitcam.pictures.decode import MAX_BYTES, decode

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


def _encoded(path: Path, figure: "Image") -> bytes:
    from vitcam.pictures.encode import encode_jpeg, encode_png

    return encode_png(figure) if path.suffix.lower() == ".png" else encode_jpeg(figure, _JPEG_QUALITY)


def _of_margin(share: float) -> str:
    if share > 1:
        return "in the last blocks patches spoke for it and the token's own against it"
    if share < 0:
        return "in the last blocks the token's own spoke for it and patches against it"
    return f"patches wrote {share:.0%} of its margin in the last blocks"


def _in_words(explained: "ExplainedPhoto") -> str:
    answer = explained.answer
    share = explained.prediction.evidence_share
    if share is not None:
        answer += f"; {_of_margin(share)}"
    if explained.truth is None:
        return answer
    if explained.right:
        return f"{answer}; right, the folder says so"
    return f"{answer}; wrong, the folder says {explained.truth}"
