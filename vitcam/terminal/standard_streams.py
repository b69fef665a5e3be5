"""Makes the three standard streams usable: they may be closed, or in a locale that cannot encode the output."""

import os
import sys
from typing import TextIO


def prepare_streams() -> None:
    """Open closed streams on /dev/null, and let no output fail because of its encoding.

    A closed descriptor would otherwise be given to the next file or socket, and be written into by libraries that
    mean stdout. ASCII becomes UTF-8, as Python itself does in the C locale by default.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, _nothing(number))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # else it was replaced, as tests do
            ascii_only = stream.encoding.lower() in ("ascii", "us-ascii", "ansi_x3.4-1968")
            stream.reconfigure(encoding="utf-8" if ascii_only else stream.encoding, errors="backslashreplace")


def _nothing(number: int) -> TextIO:
    opened = os.open(os.devnull, os.O_RDWR)  # the lowest free number: this very one
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    return os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8")
