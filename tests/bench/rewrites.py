"""What each rewrite of the inference graph gains, and what smaller inputs do: writes the tables of docs/train/graph.md.

python -m tests.bench.rewrites [--turns 30] [--threads 2] [--folder build/rewrites] [--keep]

Accuracy takes the photos of `everyday` (below VITCAM_DATA); without them only times are measured, and docs/ stays as
it is.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from pathlib import Path

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

from tests.bench.peers.report import machine
from tests.bench.race import InterleavedTime, race
from vitcam.model import bundle
from vitcam.model.bundle import read
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.evaluation.answers import Answers, comparison
from vitcam_training.evaluation.float_network import ask_float
from vitcam_training.evaluation.model_file import ask_model, open_model
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.layers import ALWAYS_FLOAT
from vitcam_training.export.network import positions, to_tflite
from vitcam_training.export.quantise import Quantisation
from vitcam_training.weights.checkpoints import read_network
from vitcam_training.weights.metadata import read_metadata

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "train" / "graph.md"
MODEL = ROOT / "models" / "everyday.safetensors"
SHIPPED = Quantisation()
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
    "patches": "patch embedding in int8, each byte exact, its weights rounded together",
}


@dataclass(frozen=True)
class Entry:
    """A file in the race."""

    title: str
    threads: int
    path: Path
    accuracy: Mapping[str, float]
    """Empty without photos."""

    def row(self, lap: InterleavedTime) -> str:
        """Markdown, to be compared with the first row of its table."""
        found = self.accuracy
        cells = [f"{lap.ms:.2f}", f"{lap.ratio:.3f}"]
        if found:
            cells += [f"{found['top1']:.1%}", f"{found['agreement']:.1%}"]
            cells += [f"{found['cosine']:.4f}" if "cosine" in found else ""]
        return f"| {self.title} | {' | '.join(cells)} |"


class Workshop:
    """Makes the files."""

    def __init__(self, folder: Path, keep: bool) -> None:
        self._folder, self._keep = folder, keep
        shipped = read(MODEL.with_suffix(".tflite"))
        assert shipped is not None
        self._shipped = shipped
        self._dataset = open_dataset("everyday") if os.environ.get("VITCAM_DATA") else None

    def make(
        self, name: str, rewrites: Rewrites, side: int = SIZES[0], how: Quantisation = SHIPPED
    ) -> tuple[Path, dict[str, float]]:
        """A file, and its figures on the held-out photos; none without photos."""
        path = self._folder / f"{name}.tflite"
        if not (self._keep and path.exists()):
            print(f"making {path}", file=sys.stderr)
            self._make(path, rewrites, side, how)
        found = read(path)
        return path, dict(found.card.accuracy) if found else {}

    def _make(self, path: Path, rewrites: Rewrites, side: int, how: Quantisation) -> None:
        shipped = self._shipped.card
        config, weights = read_network(MODEL, (side, side))
        tflite = to_tflite(config, weights, shipped.temperature, rewrites, how, rows=read_metadata(MODEL).rows)
        spec = replace(shipped.input, height=side, width=side)
        inputs, outputs = positions(tflite)
        card = replace(
            shipped, input=spec, grid=config.grid, inputs=inputs, outputs=outputs, row_capacity=0, accuracy={}
        )
        bundle.write(path, tflite, card, list(self._shipped.labels), [])
        if self._dataset:
            answers = ask_model(open_model(path, self._dataset), self._dataset, "heldout")
            bundle.write(path, tflite, replace(card, accuracy=self._figures(answers)), list(self._shipped.labels), [])

    def _figures(self, answers: Answers) -> dict[str, float]:
        exact = self._exact
        found = {"top1": float(answers.right.mean()), "agreement": float((answers.guesses == exact.guesses).mean())}
        same_grid = answers.attention.shape == exact.attention.shape
        return found | ({"cosine": comparison(answers, exact)["attention_cosine_mean"]} if same_grid else {})

    @cached_property
    def _exact(self) -> Answers:
        assert self._dataset is not None
        return ask_float(MODEL, self._dataset, "heldout")


def of_rewrites(workshop: Workshop, threads: int) -> list[Entry]:
    """All rewrites, all but one, none."""
    names = [field.name for field in fields(Rewrites)]
    wanted = {"": Rewrites(), **{name: Rewrites.without(name) for name in names}, "*": Rewrites.without(*names)}
    entries = [
        Entry(TITLES[name], threads, *workshop.make({"": "all", "*": "none"}.get(name, f"without-{name}"), rewrites))
        for name, rewrites in wanted.items()
    ]
    in_float = Quantisation(floats=ALWAYS_FLOAT | {"patches"})
    return [*entries, Entry(TITLES["patches"], threads, *workshop.make("without-patches", Rewrites(), how=in_float))]


def of_sizes(workshop: Workshop, threads: int) -> list[Entry]:
    """The same network for smaller inputs."""
    return [Entry(f"{side} px", threads, *workshop.make(f"{side}px", Rewrites(), side)) for side in SIZES]


def of_threads(path: Path) -> list[Entry]:
    """The same file with one thread, and with as many as there are cores, and one more."""
    cores = len(os.sched_getaffinity(0))
    return [Entry(f"{n} thread{'s' if n > 1 else ''}", n, path, {}) for n in range(1, cores + 2)]


def table(first: str, entries: Sequence[Entry], turns: int) -> str:
    """Race the files and write their rows."""
    time_interleaved = race([(entry.path, entry.threads) for entry in entries], turns)
    heads = [first, "ms", "times the first", *("top-1", "same answer as float32 at 224 px", "attention cosine to it")]
    heads = heads if entries[0].accuracy else heads[:3]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(entry.row(lap) for entry, lap in zip(entries, time_interleaved, strict=True))])


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
    options.add_argument("--turns", type=int, default=30)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--folder", type=Path, default=Path("build/rewrites"))
    options.add_argument("--keep", action="store_true", help="do not make again the files that are there")
    o = options.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    workshop = Workshop(o.folder, o.keep)
    rewrites, sizes = of_rewrites(workshop, o.threads), of_sizes(workshop, o.threads)
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
