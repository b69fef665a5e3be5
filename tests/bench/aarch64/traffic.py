"""What each layer computes and what it must fetch: how long a Pi's cores need at least, and where they wait for memory.

Arithmetic, nothing is measured here. A layer takes the longer of two times: its cycles, shared by the threads, and its
bytes at the memory's rate. Two cases bound the bytes:
 - kind   weights come from memory for every answer, since all of them (5.5 MB) do not fit the last cache (2 MiB);
          what the layers hand over stays in the caches
 - unkind what is handed over comes from memory, too, unless it fits the cache of one core
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PATCHES, WIDTH, HIDDEN, HEADS, BLOCKS, PIXELS, LABELS = 196, 192, 768, 3, 12, 16 * 16 * 3, 1000
TOKENS = PATCHES + 1
FLOAT = 4


@dataclass(frozen=True)
class Layer:
    """One operation of the network."""

    name: str
    weights: int
    """Bytes: int8, a byte each; of the patches float16."""
    activations: int
    """Bytes that it reads and writes, float32."""
    int8_macs: int = 0
    float_macs: int = 0


@dataclass(frozen=True)
class Machine:
    """Of one processor what this arithmetic needs."""

    hz: float
    private_cache: int
    """Bytes of the cache that each core has for itself."""
    bytes_per_s: float
    """Of the memory, however many cores ask."""


@dataclass(frozen=True)
class Rates:
    """Cycles of one core, from what was counted."""

    per_int8_mac: float
    per_float_mac: float
    per_byte: float
    """Of everything else, by the bytes that a layer reads and writes."""


@dataclass(frozen=True)
class Time:
    """Of one layer, in seconds."""

    layer: Layer
    compute: float
    memory: float

    @property
    def seconds(self) -> float:
        """The longer of the two."""
        return max(self.compute, self.memory)

    @property
    def waits(self) -> float:
        """How long the cores wait for memory."""
        return self.seconds - self.compute


def layers(last_token_alone: bool = True) -> list[Layer]:
    """DeiT-Tiny at 224 px in order.

    last_token_alone  the last block works on the class token, as in vitcam's file; else on all, as elsewhere
    """
    first = Layer(
        "patches", 2 * PIXELS * WIDTH, PIXELS * PATCHES + FLOAT * WIDTH * PATCHES, 0, PATCHES * PIXELS * WIDTH
    )
    blocks = [each for i in range(BLOCKS - 1) for each in _block(f"block {i + 1}", TOKENS)]
    last = _block(f"block {BLOCKS}", 1 if last_token_alone else TOKENS)
    return [first, *blocks, *last, _dense("head", 1, WIDTH, LABELS)]


def rates(layers: Sequence[Layer], int8_cycles: float, float_cycles: float, other_cycles: float) -> Rates:
    """Cycles of one answer, as the emulator counted them by kind, divided by what the layers do of each kind."""
    return Rates(
        int8_cycles / sum(layer.int8_macs for layer in layers),
        float_cycles / sum(layer.float_macs for layer in layers),
        other_cycles / sum(layer.activations for layer in layers),
    )


def time(layer: Layer, machine: Machine, rates: Rates, threads: int, unkind: bool) -> Time:
    """Of one layer on some threads, see the top of this file."""
    cycles = (
        layer.int8_macs * rates.per_int8_mac
        + layer.float_macs * rates.per_float_mac
        + layer.activations * rates.per_byte
    )
    moved = layer.weights + (layer.activations if unkind and layer.activations > machine.private_cache else 0)
    return Time(layer, cycles / machine.hz / threads, moved / machine.bytes_per_s)


def times(layers: Sequence[Layer], machine: Machine, rates: Rates, threads: int, unkind: bool) -> list[Time]:
    """Of all layers."""
    return [time(layer, machine, rates, threads, unkind) for layer in layers]


def _block(name: str, tokens: int) -> list[Layer]:
    """One block; `tokens` is how many of them go on to the next."""
    scores = HEADS * tokens * TOKENS
    attention = scores * (WIDTH // HEADS)
    kept = FLOAT * tokens * WIDTH
    every = FLOAT * TOKENS * WIDTH
    return [
        Layer(f"{name}, norm", 2 * FLOAT * WIDTH, 2 * every),
        _dense(f"{name}, q", tokens, WIDTH, WIDTH),
        _dense(f"{name}, k and v", TOKENS, WIDTH, 2 * WIDTH),
        Layer(f"{name}, scores", 0, kept + every + FLOAT * scores, 0, attention),
        Layer(f"{name}, softmax", 0, 2 * FLOAT * scores),
        Layer(f"{name}, mix", 0, FLOAT * scores + every + kept, 0, attention),
        _dense(f"{name}, projection", tokens, WIDTH, WIDTH),
        Layer(f"{name}, add and norm", 2 * FLOAT * WIDTH, 4 * kept),
        _dense(f"{name}, MLP in", tokens, WIDTH, HIDDEN),
        Layer(f"{name}, GELU", 0, 2 * FLOAT * tokens * HIDDEN),
        _dense(f"{name}, MLP out", tokens, HIDDEN, WIDTH),
        Layer(f"{name}, add", 0, 3 * kept),
    ]


def _dense(name: str, rows: int, inner: int, outer: int) -> Layer:
    """Weights int8 with a scale and a bias for each output."""
    return Layer(name, inner * outer + 2 * FLOAT * outer, FLOAT * rows * (inner + outer), rows * inner * outer)
