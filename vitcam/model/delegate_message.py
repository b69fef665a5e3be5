"""Keeps TensorFlow Lite's message about its delegate off stderr, which belongs to what vitcam itself says."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_MESSAGE = b"INFO: Created TensorFlow Lite"


@contextmanager
def without_delegate_message() -> Iterator[None]:
    """Keep TensorFlow Lite's message about its delegate off stderr.

    The library writes that line to descriptor 2 itself, when it makes its first interpreter. So what is written there
    is held back, and written at the end without that line.
    """
    try:
        before = os.dup(2)
    except OSError:  # it is closed
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
            _write(line for line in kept if not line.startswith(_MESSAGE))


def _flush() -> None:
    if sys.stderr is not None and not sys.stderr.closed:
        sys.stderr.flush()


def _write(lines: Iterator[bytes]) -> None:
    for line in lines:
        os.write(2, line)
