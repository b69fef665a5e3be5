"""What each rewrite of the inference graph gains, and what smaller inputs do: writes the tables of docs/graph.md.

python -m tests.bench.rewrites [--turns 40] [--threads 2] [--folder build/rewrites] [--keep]

Accuracy takes the photos of `everyday` (below VITCAM_DATA); without them only times are measured, and docs/ stays as
it is.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path

from vitcam_training.rewrites import Rewrites

from tests.bench.peers.report import machine
from tests.bench.race import Lap, race
from vitcam.model.bundle import read

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "graph.md"
MODEL = ROOT / "models" / "everyday.safetensors"
SIZES = (224, 192, 160, 128, 96)
TITLES = {
    "": "nothing: what ships",
    "last_row": "only the row that the head reads in the last block",
    "joined": "q, k and v as one projection",
    "norms": "LayerNorm's scale and shift in the next projection (and with it the next)",
    "stream": "residual stream centred and turned",
    "values": "values of each head turned",
    "scores": "1/√d in the queries",
    "pixels": "normalisation in the patch embedding, bytes centred by DEQUANTIZE",
    "temperature": "temperature in the head",
    "float16": "q, k, v as a convolution, for float16 where the processor has it",
    "*": "all of these",
}


@dataclass(frozen=True)
class Entry:
    """A file in the race."""

    title: str
    path: Path
    threads: int
    accuracy: dict[str, float]
    """What `export` measured; empty without photos."""

    def row(self, lap: Lap) -> str:
        """Markdown, to be compared with the first row of its table."""
        found = self.accuracy
        cells = [f"{lap.ms:.2f}", f"{lap.ratio:.3f}"]
        if found:
            cells += [f"{found['top1']:.1%}", f"{found['agreement']:.1%}", f"{found['attention_cosine_mean']:.4f}"]
        return f"| {self.title} | {' | '.join(cells)} |"


def export(path: Path, keep: bool, *options: str) -> dict[str, float]:
    """Make a model file by the command that people use; returns what its card says of its accuracy."""
    if not (keep and path.exists()):
        _export(path, *options)
    bundle = read(path)
    return dict(bundle.card.accuracy or {}) if bundle else {}


def _export(path: Path, *options: str) -> None:
    print(f"exporting {path.name}", file=sys.stderr)
    data = ("--data", "everyday") if os.environ.get("VITCAM_DATA") else ()
    command = [Path(sys.executable).with_name("vitcam-train"), "export", MODEL, "-o", path, *options, *data]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"bench: {' '.join(options)} could not be exported: {done.stderr.strip().splitlines()[-1]}")


def of_rewrites(folder: Path, threads: int, keep: bool) -> list[Entry]:
    """All rewrites, all but one, none."""
    names = ["", *(field.name for field in fields(Rewrites)), "*"]
    entries = []
    for name in names:
        path = folder / f"{ {'': 'all', '*': 'none'}.get(name, name) }.tflite"
        left_out = names[1:-1] if name == "*" else [name] if name else []
        options = [word for each in left_out for word in ("--without", each)]
        entries.append(Entry(TITLES[name], path, threads, export(path, keep, *options)))
    return entries


def of_sizes(folder: Path, threads: int, keep: bool) -> list[Entry]:
    """The same network for smaller inputs."""
    entries = []
    for side in SIZES:
        path = folder / f"{side}px.tflite"
        entries.append(Entry(f"{side} px", path, threads, export(path, keep, "--image-size", str(side))))
    return entries


def of_threads(path: Path) -> list[Entry]:
    """The same file with one thread, and with as many as there are cores, and one more."""
    cores = len(os.sched_getaffinity(0))
    return [Entry(f"{count} threads", path, count, {}) for count in range(1, cores + 2)]


def table(first: str, entries: Sequence[Entry], turns: int) -> str:
    """Race the files and write their rows."""
    laps = race([(entry.path, entry.threads) for entry in entries], turns)
    heads = [first, "ms", "times the first", *(("top-1", "same answer as float32", "attention cosine"))]
    heads = heads if entries[0].accuracy else heads[:3]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(entry.row(lap) for entry, lap in zip(entries, laps, strict=True))])


def written(text: str, tables: Mapping[str, str]) -> str:
    """A page with its tables replaced. Raises ValueError if the page has no marks for one of them."""
    for name, lines in tables.items():
        begin, end = f"<!-- bench: {name} -->\n", f"\n<!-- bench: end of {name} -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise ValueError(f"the marks of the table {name!r} are not there")
        text = f"{before}{begin}{lines}{end}{after}"
    return text


def main() -> None:
    """Print the tables, and write them where the page has them."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.rewrites", description=__doc__)
    options.add_argument("--turns", type=int, default=40)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--folder", type=Path, default=Path("build/rewrites"))
    options.add_argument("--keep", action="store_true", help="do not make again the files that are there")
    o = options.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    rewrites, sizes = (make(o.folder, o.threads, o.keep) for make in (of_rewrites, of_sizes))
    tables = {
        "rewrites": table("left out", rewrites, o.turns),
        "sizes": table("input", sizes, o.turns),
        "threads": table("", of_threads(rewrites[0].path), o.turns),
        "conditions": f"Made on {date.today()} by `make bench`, {o.threads} threads: {machine()}.",
    }
    print(*tables.values(), sep="\n\n")
    if rewrites[0].accuracy:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
