"""Whether the stand-in of the unit tests keeps to the installed picamera2: each class, name and signature of it."""

import inspect
from collections.abc import Iterator
from typing import Any

from tests import fake_picamera2

STANDS_IN = ("Picamera2", "CompletedRequest", "MappedArray")


def deviations(real: Any, libcamera: Any) -> Iterator[str]:
    """What the stand-in has and the real package has not.

    real       the installed package `picamera2`
    libcamera  the installed package of that name
    """
    for name in STANDS_IN:
        for member, ours in vars(getattr(fake_picamera2, name)).items():
            if not member.startswith("_") or member in ("__init__", "__enter__", "__exit__"):
                yield from _compare(f"{name}.{member}", ours, inspect.getattr_static(getattr(real, name), member, None))
    if not callable(getattr(libcamera.ColorSpace, "Smpte170m", None)):
        yield "ColorSpace.Smpte170m is not there"
    transform = libcamera.Transform(hflip=True, vflip=False)
    if (bool(transform.hflip), bool(transform.vflip)) != (True, False):
        yield "Transform does not keep hflip and vflip"
    for name in fake_picamera2._BYTES:
        if name not in real.formats.ALL_FORMATS:
            yield f"the format {name} is unknown"


def _compare(name: str, ours: Any, theirs: Any) -> Iterator[str]:
    if theirs is None:
        yield f"{name} is not there"
    elif type(ours) is not type(theirs):
        yield f"{name} is a {type(theirs).__name__}, not a {type(ours).__name__}"
    elif not isinstance(ours, property):
        mine, real = (list(inspect.signature(_function(each)).parameters) for each in (ours, theirs))
        if mine != real:
            yield f"{name} takes {real}, not {mine}"


def _function(member: Any) -> Any:
    return member.__func__ if isinstance(member, staticmethod) else member
