"""Pictures: read, resized, drawn on, written. In: bytes or arrays. Out: arrays or bytes."""
