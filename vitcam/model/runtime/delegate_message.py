"""TensorFlow Lite writes a line of its own to descriptor 2 when it first makes an interpreter. This leaves it out."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

GREETING = b"INFO: Created TensorFlow Lite"


@contextmanager
def greeting_left_out() -> Iterator[None]:
    """Within it, what anybody writes to descriptor 2 is kept; at the end all lines but the greeting are written out."""
    try:
        before = os.dup(2)
    except OSError:  # closed: nobody reads it
        yield
        return
    with tempfile.TemporaryFile() as kept:
        _flush()
        os.dup2(kept.fileno(), 2)
        try:
            yield
        finally:
            _flush()
            os.dup2(before, 2)
            os.close(before)
            kept.seek(0)
            _write(line for line in kept if not line.startswith(GREETING))


def _flush() -> None:
    if sys.stderr is not None and not sys.stderr.closed:
        sys.stderr.flush()


def _write(lines: Iterator[bytes]) -> None:
    for line in lines:
        os.write(2, line)
