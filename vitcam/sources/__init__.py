"""Cameras, files and the demo. In: a URI. Out: an iterator of Frame. May block: only entering and `next`."""

import re
from collections.abc import Callable
from pathlib import Path

from vitcam.errors import SourceError, UsageError
from vitcam.pictures.decode import IMAGE_SUFFIXES
from vitcam.pictures.file_kind import JPEG, Use, kind_of, read_beginning
from vitcam.pictures.view import UPRIGHT, Orientation
from vitcam.redaction import redacted
from vitcam.sources.discovery import default_uri
from vitcam.sources.jpeg_stream import is_film_of_jpegs
from vitcam.sources.source import Source, SourceOptions

__all__ = [
    "OPENERS",
    "Source",
    "SourceOptions",
    "default_uri",
    "import_film_library",
    "is_camera",
    "is_film",
    "is_on_network",
    "open_source",
]

_DEFAULTS = SourceOptions()


def open_source(uri: str, options: SourceOptions = _DEFAULTS) -> Source:
    """Find the source that a URI names; nothing is opened before it is entered (`with`).

    uri     `picamera`, `picamera:1`, `v4l2:/dev/video0` or `/dev/video0`, `rtsp://…`, `http://…` (a stream of JPEG, or
            a picture), `rtsps://…`, `https://…`, `-` (stdin), `demo`, `demo:ram`, a video, an image, a folder of
            images, a quoted glob; `video:` and `images:` before a path say what it is. What exists under exactly this
            name is a file, whatever stands before a colon
    raises  UsageError for an unknown name; SourceError, a kind of it, for a path that does not exist
    """
    scheme, place = _scheme_and_place(uri)
    uri = f"{scheme}:{place}" if scheme in _ON_NETWORK else uri
    source = OPENERS[scheme](uri, place, options)
    orientation = options.orientation.without_flips if scheme == "picamera" else options.orientation
    if orientation == UPRIGHT and options.active_crop is None and options.active_areas is None:
        return source
    return _oriented(source, orientation, options)


def import_film_library(uri: str) -> None:
    """Import PyAV if a URI names a film, which takes longer than all else that any source imports.

    raises  as `open_source`; ImportError where it is not installed
    """
    if _scheme_and_place(uri)[0] in _FILMS:
        import vitcam.sources.film  # noqa: F401


def is_camera(uri: str) -> bool:
    """Whether a URI names a camera, and not a file, a pipe or the demo. An empty one names the first camera."""
    scheme = _scheme_of(uri)
    if not uri or scheme:
        return not uri or scheme in _CAMERAS
    try:
        return uri.startswith("/dev/v") or Path(uri).is_char_device()
    except OSError:  # a file cannot have such a name
        return False


def is_film(uri: str) -> bool:
    """Whether a URI names a film, photos or the demo, and nothing that shows what is there now."""
    return not is_camera(uri) and _scheme_of(uri) in {"", "demo", "video", "images"}


def is_on_network(uri: str) -> bool:
    """Whether a URI is the address of a network camera."""
    return _scheme_of(uri) in _ON_NETWORK


def _scheme_and_place(uri: str) -> tuple[str, str]:
    scheme = _scheme_of(uri)
    return (scheme, uri[len(scheme) + 1 :]) if scheme else (_scheme_of_path(uri), uri)


def _scheme_of(uri: str) -> str:
    """What stands before the colon, where it says which source this is; empty: `uri` is the name of a file."""
    scheme, _, place = uri.partition(":")
    if scheme.lower() in _ON_NETWORK and place.startswith("//"):
        return scheme.lower()
    if scheme not in OPENERS:
        return ""
    if place.startswith("//") or _RESERVED.fullmatch(uri):  # an address, or a name that the manual gives a meaning
        return scheme
    has_ending = scheme in _WITHOUT_FILES and Path(place).suffix
    return "" if has_ending or _exists(uri) else scheme


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # no file can have such a name
        return False


def _oriented(source: Source, orientation: Orientation, options: SourceOptions) -> Source:
    from vitcam.sources.transform import OrientedSource

    return OrientedSource(source, orientation, options)


def _picamera(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.picamera.source import PiCamera

    return PiCamera(uri, place, options)


def _v4l2(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.v4l2 import V4l2Camera

    return V4l2Camera(uri, place, options)


def _rtsp(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.rtsp.source import RtspCamera

    return RtspCamera(uri, place, options)


def _http(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.network.camera import HttpCamera

    return HttpCamera(uri, place, options)


def _stdin(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.stdin import StandardInput

    return StandardInput(uri, place, options)


def _video(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.video import Video

    return Video(uri, place, options)


def _images(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.images import Images

    return Images(uri, place, options)


def _demo(uri: str, place: str, options: SourceOptions) -> Source:
    from vitcam.sources.demo import open_demo

    return open_demo(uri, place, options)


OPENERS: dict[str, Callable[[str, str, SourceOptions], Source]] = {
    "picamera": _picamera,
    "v4l2": _v4l2,
    "rtsp": _rtsp,
    "rtsps": _rtsp,
    "http": _http,
    "https": _http,
    "-": _stdin,
    "demo": _demo,
    "video": _video,
    "images": _images,
}
"""Scheme before the colon -> function that makes the source; each imports its library only when it is called."""

_ON_NETWORK = frozenset({"rtsp", "rtsps", "http", "https"})
_CAMERAS = _ON_NETWORK | {"picamera", "v4l2"}
_WITHOUT_FILES = _ON_NETWORK | {"picamera", "-", "demo"}  # no path follows their colon
_FILMS = frozenset({"demo", "video"})
_RESERVED = re.compile(r"picamera(:\d+)?|demo(:ram)?|-(:\w+:\d+x\d+)?", re.ASCII)


def _scheme_of_path(uri: str) -> str:
    """Which opener a bare path means. Raises UsageError when there is nothing of that name."""
    try:
        kind = _kind_of(Path(uri)) if uri else None
    except OSError as error:
        raise SourceError(f"{redacted(uri)} cannot be read: {error.strerror}") from error
    if kind is not None:
        return kind
    if uri.startswith("/dev/v"):  # unplugged, maybe
        return "v4l2"
    if any(character in uri for character in "*?["):
        return "images"
    # an unknown name can never become valid; a file may appear later, with the USB stick that it is on
    refusal = SourceError if "/" in uri and "://" not in uri else UsageError
    raise refusal(
        f"there is no file, folder or camera {redacted(uri)!r}; known are picamera, v4l2:/dev/video0, rtsp://…, "
        "http://…, - (stdin), demo, demo:ram, and the path of a video, an image, a folder or a quoted glob"
    )


def _kind_of(path: Path) -> str | None:
    """The kind of what exists there, by its content and not only by its name; None: nothing exists. Raises OSError."""
    if path.is_char_device():
        return "v4l2"
    if path.is_dir():
        return "images"
    if not path.is_file():
        return "video" if path.exists() else None
    kind = kind_of(read_beginning(path))
    if kind is None or kind.use is Use.OTHER:
        return "images" if path.suffix.lower() in IMAGE_SUFFIXES else "video"
    if kind.use is Use.FILM or (kind.name == JPEG and is_film_of_jpegs(path)):
        return "video"
    return "images"
