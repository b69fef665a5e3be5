"""What ran between two marks: blocks of code, how often each ran, and an estimate of the cycles that they take."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.aarch64.emulate import Guest
from vitcam.errors import VitcamError

HOTTEST = 80
"""Blocks that are simulated: nine tenths of all instructions and more."""
MODEL = "neoverse-n1"
"""LLVM has no schedule of the Cortex-A76; the Neoverse N1 is the same core made for servers."""
ITERATIONS = 100
INT8_PRODUCTS = ((0x4F80E000, 0xFFC0F400), (0x4E809400, 0xFFE0FC00))
"""SDOT by element, and by vector: (code, mask)."""
FLOAT_PRODUCTS = ((0x4F801000, 0xFFC0F400), (0x4F001000, 0xFFC0F400))
"""FMLA by element, float32 and float16: only products of matrices multiply so."""


@dataclass(frozen=True)
class Block:
    """Instructions that run one after the other."""

    runs: int
    code: tuple[str, ...]
    """One hexadecimal word an instruction."""

    @property
    def instructions(self) -> int:
        """In all runs together."""
        return self.runs * len(self.code)

    def has(self, products: Sequence[tuple[int, int]]) -> bool:
        """Whether one of its instructions is one of these."""
        return any(int(word, 16) & mask == code for word in self.code for code, mask in products)


@dataclass(frozen=True)
class Work:
    """One inference."""

    instructions: int
    cycles: int
    """Estimated: every load hits the first cache, every branch is foreseen."""
    covered: float
    """Share of the instructions in the blocks that were simulated."""
    int8_cycles: int = 0
    """Of them, those of blocks that multiply matrices of int8."""
    float_cycles: int = 0
    """And of floats."""


def read_blocks(path: Path) -> list[Block]:
    """What the plugin wrote, the hottest block first. QEMU may translate one block several times."""
    runs: Counter[tuple[str, ...]] = Counter()
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            count, _, _, *code = line.split()
            runs[tuple(code)] += int(count)
    return sorted((Block(count, code) for code, count in runs.items()), key=lambda b: b.instructions, reverse=True)


def work(blocks: Sequence[Block], guest: Guest) -> Work:
    """Count all blocks, simulate the hottest, and take the rest to run as many instructions a cycle.

    guest   has LLVM; this machine's may be too old to know the core
    raises  VitcamError if nothing was counted, or LLVM's tools fail
    """
    total = sum(block.instructions for block in blocks)
    if not total:
        raise VitcamError("the plugin counted nothing: the guest set no marks")
    hottest = blocks[:HOTTEST]
    simulated = sum(block.instructions for block in hottest)
    each = [block.runs * cycles for block, cycles in zip(hottest, cycles_of(hottest, guest), strict=True)]
    kinds = (INT8_PRODUCTS, FLOAT_PRODUCTS)
    int8, floats = (sum(c for b, c in zip(hottest, each, strict=True) if b.has(kind)) for kind in kinds)
    return Work(total, round(sum(each) * total / simulated), simulated / total, round(int8), round(floats))


def cycles_of(blocks: Sequence[Block], guest: Guest) -> list[float]:
    """Cycles of one run of each block, in a loop of its own, by llvm-mca."""
    lines = iter(_assembly([word for block in blocks for word in block.code], guest))
    regions = (
        [f"# LLVM-MCA-BEGIN b{i}", *(next(lines) for _ in block.code), f"# LLVM-MCA-END b{i}"]
        for i, block in enumerate(blocks)
    )
    source = "".join(f"{line}\n" for region in regions for line in region)
    options = ("-mtriple=aarch64", f"-mcpu={MODEL}", f"-iterations={ITERATIONS}", "-all-views=false", "-summary-view")
    printed = guest.run([guest.llvm / "llvm-mca", *options], text=source)
    cycles = [int(number) / ITERATIONS for number in re.findall(r"^Total Cycles:\s+(\d+)$", printed, re.MULTILINE)]
    if len(cycles) != len(blocks):
        raise VitcamError(f"llvm-mca gave the cycles of {len(cycles)} of {len(blocks)} blocks")
    return cycles


def _assembly(words: Sequence[str], guest: Guest) -> list[str]:
    """A line of assembly for each word of code."""
    stream = " ".join(f"0x{byte:02x}" for word in words for byte in int(word, 16).to_bytes(4, "little"))
    features = "-mattr=+v8.2a,+fullfp16,+dotprod"
    printed = guest.run([guest.llvm / "llvm-mc", "--disassemble", "-triple=aarch64", features], text=stream)
    lines = [line for line in printed.splitlines() if line.strip() not in ("", ".text")]
    if len(lines) != len(words):
        raise VitcamError(f"llvm-mc read {len(lines)} of {len(words)} instructions")
    return lines
