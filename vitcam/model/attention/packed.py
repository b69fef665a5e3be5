"""The attention of all blocks as bytes that a page can read: a line of JSON, then the weights, one byte each."""

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError

MAX_BYTES = 8 << 20
"""Of the weights. Twelve blocks of three heads over 197 tokens are 1.3 MB, of twelve heads 5.1 MB."""


def pack(blocks: Sequence[NDArray[np.float32]], grid: tuple[int, int], most: int = MAX_BYTES) -> bytes:
    """Pack the attention of all blocks; where that is too much, the mean over the heads.

    blocks   (heads, Q, T) of each block: weights from Q tokens to all T; only the first Q tokens ask
    grid     rows and columns of the patches, which are the last tokens
    most     bytes of weights
    returns  one line of JSON with `tokens`, `before` (tokens before the patches), `rows`, `columns`, `heads`,
             `averaged` and `queries` (Q of each block). Then for each block `heads` × Q float32, little-endian, and
             `heads` × Q × T bytes: a weight is the square of its byte / 255, times the float of its row. So also the
             small weights of a token that looks mostly at itself can be told apart
    raises   UsageError if even the mean is too much
    """
    averaged = sum(block.size for block in blocks) > most
    if averaged:
        blocks = [block.mean(axis=0, keepdims=True) for block in blocks]
        if sum(block.size for block in blocks) > most:
            raise UsageError(f"the attention of this model takes more than {most >> 20} MiB; choose a smaller model")
    heads, _, tokens = blocks[0].shape
    header = {
        "tokens": tokens,
        "before": tokens - grid[0] * grid[1],
        "rows": grid[0],
        "columns": grid[1],
        "heads": heads,
        "averaged": averaged,
        "queries": [block.shape[1] for block in blocks],
    }
    parts = [json.dumps(header, separators=(",", ":")).encode() + b"\n"]
    for block in blocks:
        largest = block.max(axis=-1)
        shares = block / np.maximum(largest, np.finfo(np.float32).tiny)[..., None]
        parts += [largest.astype("<f4").tobytes(), np.rint(255 * np.sqrt(shares)).astype(np.uint8).tobytes()]
    return b"".join(parts)


def unpack(packed: bytes) -> tuple[dict[str, object], list[NDArray[np.float32]]]:
    """The header, and the weights of each block, (heads, Q, T), as `pack` got them, but for rounding."""
    line, _, rest = packed.partition(b"\n")
    header = json.loads(line)
    heads, tokens, blocks = header["heads"], header["tokens"], []
    for queries in header["queries"]:
        count = heads * queries
        largest = np.frombuffer(rest, "<f4", count).reshape(heads, queries, 1)
        steps = np.frombuffer(rest, np.uint8, count * tokens, 4 * count).reshape(heads, queries, tokens)
        blocks.append((steps.astype(np.float32) / 255) ** 2 * largest)
        rest = rest[count * (4 + tokens) :]
    return header, blocks
