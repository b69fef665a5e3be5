"""A camera that says what it sees and shows where it looked.

What is public stands in `__all__`; docs/program/python.md says what may change with which version.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vitcam._version import __version__

if TYPE_CHECKING:
    from vitcam.errors import ConfigError, ModelError, SourceError, SourceLost, UsageError, VitcamError
    from vitcam.events import Rules
    from vitcam.film_events import events_of_film
    from vitcam.frames import Event, Frame, Group, Guess, Prediction, Shown, Timings, Unreadable
    from vitcam.live import LiveAnswer, LiveCamera
    from vitcam.many_photos import ClassifiedPhoto, classify_all
    from vitcam.model.classifier import Classifier
    from vitcam.pictures.encode import encode_by_ending
    from vitcam.pictures.overlay import draw_overlay
    from vitcam.sinks.sink import Sink, Summary
    from vitcam.sources import Source, SourceOptions, open_source
    from vitcam.sources.images import find_images
    from vitcam.wire import event_record, prediction_record

__all__ = [
    "ClassifiedPhoto",
    "Classifier",
    "ConfigError",
    "Event",
    "Frame",
    "Group",
    "Guess",
    "LiveAnswer",
    "LiveCamera",
    "ModelError",
    "Prediction",
    "Rules",
    "Shown",
    "Sink",
    "Source",
    "SourceError",
    "SourceLost",
    "SourceOptions",
    "Summary",
    "Timings",
    "Unreadable",
    "UsageError",
    "VitcamError",
    "__version__",
    "classify_all",
    "draw_overlay",
    "encode_by_ending",
    "event_record",
    "events_of_film",
    "find_images",
    "open_source",
    "prediction_record",
]

_PLACES = {
    "vitcam.many_photos": ("ClassifiedPhoto", "classify_all"),
    "vitcam.errors": ("ConfigError", "ModelError", "SourceError", "SourceLost", "UsageError", "VitcamError"),
    "vitcam.events": ("Rules",),
    "vitcam.frames": ("Event", "Frame", "Group", "Guess", "Prediction", "Shown", "Timings", "Unreadable"),
    "vitcam.live": ("LiveAnswer", "LiveCamera"),
    "vitcam.model.classifier": ("Classifier",),
    "vitcam.pictures.encode": ("encode_by_ending",),
    "vitcam.pictures.overlay": ("draw_overlay",),
    "vitcam.film_events": ("events_of_film",),
    "vitcam.sinks.sink": ("Sink", "Summary"),
    "vitcam.sources": ("Source", "SourceOptions", "open_source"),
    "vitcam.sources.images": ("find_images",),
    "vitcam.wire": ("event_record", "prediction_record"),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:  # PEP 562: `vitcam --help` pays for no OpenCV
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'vitcam' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__
