"""Runs a program for aarch64 on this machine, and counts its instructions between the marks it sets."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vitcam.errors import VitcamError

CPU = "cortex-a76"
TIMEOUT_S = 3600.0


@dataclass(frozen=True)
class Guest:
    """A file system for aarch64 and how to enter it."""

    root: Path
    """Debian for arm64, and below /proc and /sys what a Raspberry Pi 5 would say of its processor."""
    plugin: Path
    """insn.c, compiled for this machine."""
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def python(self) -> Path:
        """The guest's interpreter."""
        return next(self.root.glob("usr/bin/python3.?*"))

    @property
    def llvm(self) -> Path:
        """The folder of the guest's LLVM."""
        return next(self.root.glob("usr/lib/llvm-*/bin"))

    def run(self, command: Sequence[str | Path], blocks: Path | None = None, text: str = "") -> str:
        """Run a program of the guest; returns what it printed.

        text     what it reads from its standard input
        blocks   where the plugin writes what ran between the marks; None: nothing is counted
        raises   VitcamError with the program's last words if it fails or takes longer than an hour
        """
        emulator = ["qemu-aarch64", "-cpu", CPU, "-L", str(self.root)]
        if blocks:
            emulator += ["-plugin", f"{self.plugin},out={blocks}"]
        for name, value in self.variables.items():
            emulator += ["-E", f"{name}={value}"]
        try:
            done = subprocess.run(
                [*emulator, *map(str, command)],
                input=text, capture_output=True, text=True, check=False, timeout=TIMEOUT_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise VitcamError(f"{command[0]} ran for an hour in qemu-aarch64 and was ended") from None
        if done.returncode:
            last = (done.stderr.strip() or "it said nothing").splitlines()[-1]
            raise VitcamError(f"{command[0]} ended with exit code {done.returncode} in qemu-aarch64: {last}")
        return done.stdout
