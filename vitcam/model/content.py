"""Reads a model file once, so that later changes of the file have no effect on the running model."""

from pathlib import Path

from vitcam.errors import ModelError

_IDENTIFIER = b"TFL3"  # at byte 4 of every TFLite flatbuffer


def content_of(path: Path) -> bytes:
    """The bytes of a model file. Raises ModelError if it cannot be read, or is not a TFLite flatbuffer."""
    try:
        with path.open("rb") as file:
            head = file.read(8)
            if head[4:] != _IDENTIFIER:
                raise ModelError(f"{path} is not a TFLite model: it does not begin like one; give a .tflite file")
            file.seek(0)
            return file.read()
    except OSError as error:
        raise ModelError(f"the model {path} cannot be read: {error.strerror}") from error
