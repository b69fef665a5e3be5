"""Unpacks what a camera, or a proxy before it, has packed for the way (`Content-Encoding`), though nobody asked for it.

A megabyte of gzip may hold a gigabyte. So it is unpacked in pieces, and whoever takes them counts their bytes.
"""

import errno
import zlib
from collections.abc import Iterator
from http.client import HTTPResponse

_PIECE = 1 << 20  # bytes
_PACKED = ("gzip", "x-gzip", "deflate")
_EITHER = 32 + zlib.MAX_WBITS  # gzip or zlib, by its first bytes


def unpacked(response: HTTPResponse, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The body of a response as it was before its coding, in pieces of at most 1 MiB; none is empty.

    chunks  the body as it comes
    raises  OSError for a coding that is unknown, and for damaged data
    """
    coding = (response.headers["Content-Encoding"] or "identity").strip().lower()
    if coding == "identity":
        yield from chunks
        return
    if coding not in _PACKED:
        why = f"it sends Content-Encoding {coding[:20]!r}; switch that off in the camera, or in the proxy before it"
        raise OSError(errno.EPROTO, why)
    unpacker = zlib.decompressobj(_EITHER)
    for chunk in chunks:
        packed = chunk
        while packed:
            if unpacker.eof:
                if not (packed := packed.lstrip(b"\0")):  # padding
                    break
                unpacker = zlib.decompressobj(_EITHER)  # another one follows
            try:
                piece = unpacker.decompress(packed, _PIECE)
            except zlib.error:
                raise OSError(errno.EPROTO, f"what it sends as {coding} is damaged") from None
            packed = unpacker.unconsumed_tail or unpacker.unused_data
            if piece:
                yield piece
    if rest := unpacker.flush():
        yield rest


def read_body(response: HTTPResponse, most_bytes: int) -> bytes:
    """The unpacked body; its first bytes, if it has more. Raises what reading raises, and OSError as `unpacked`."""
    body = bytearray()
    for piece in unpacked(response, iter(lambda: response.read1(_PIECE), b"")):
        body += piece
        if len(body) >= most_bytes:
            break
    return bytes(body[:most_bytes])
