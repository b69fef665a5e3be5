"""Pages whose figures were measured: which commands measure each, and whether the models that it speaks of still ship.

measured.json holds both, for each page. A command that writes no page prints its figures, and a person puts them in.

python docs/measured.py                 list the pages and their commands
python docs/measured.py PAGE…           run the commands of these pages, and note today's models
python docs/measured.py --note PAGE…    note today's models only: the commands were run by hand
python docs/measured.py --check         warn of pages that speak of another model; with --strict they are an error
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vitcam.model import bundle

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "docs" / "measured.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """What is known of the measurements of one page."""

    commands: tuple[str, ...]
    models: dict[str, str]
    """The fingerprints of the models when it was measured, by name. Empty: it speaks of no model that ships."""

    def stale(self) -> list[str]:
        """The models that are others today."""
        return [name for name, known in self.models.items() if fingerprint(name) != known]

    def noted(self) -> "Measured":
        """The same with the models of today."""
        return replace(self, models={name: fingerprint(name) for name in self.models})


def fingerprint(model: str) -> str:
    """Twelve hexadecimal digits of the graph of a model that ships; empty where none has this name."""
    path = ROOT / "models" / f"{model}.tflite"
    return hashlib.sha256(bundle.flatbuffer(path)).hexdigest()[:12] if path.exists() else ""


def read() -> dict[str, Measured]:
    """All measured pages by their path in the repository."""
    known = json.loads(RECORD.read_text("utf-8"))
    return {page: Measured(tuple(each["commands"]), each["models"]) for page, each in known.items()}


def main(arguments: list[str]) -> int:
    """Exit status: that of a command that failed; 1 if --strict found a page that speaks of another model."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("pages", nargs="*", metavar="PAGE")
    options.add_argument("--note", action="store_true", help="run nothing, note today's models")
    options.add_argument("--check", action="store_true", help="warn of pages that speak of another model")
    options.add_argument("--strict", action="store_true", help="such a page is an error")
    o = options.parse_args(arguments)
    pages = read()
    if unknown := [page for page in o.pages if page not in pages]:
        options.error(f"{unknown[0]} is not a measured page; these are: {', '.join(pages)}")
    for page in o.pages:
        if code := 0 if o.note else _run(pages[page].commands):
            return code
        pages[page] = pages[page].noted()
        RECORD.write_text(json.dumps({name: asdict(each) for name, each in pages.items()}, indent=1) + "\n", "utf-8")
    if o.pages:
        return 0
    for page, each in pages.items():
        if models := " and ".join(each.stale()):
            level, how = "ERROR" if o.strict else "WARNING", f'make measured ARGS="{page}"'
            print(
                f"{level}: {page} shows another {models} than the one that ships; measure it again: {how}",
                file=sys.stderr,
            )
        elif not (o.check or o.strict):
            print(page, *each.commands, sep="\n    ")
    return int(o.strict and any(each.stale() for each in pages.values()))


def _run(commands: tuple[str, ...]) -> int:
    environ = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for command in commands:
        print(f"$ {command}", flush=True)
        if code := subprocess.run(["/bin/bash", "-c", command], cwd=ROOT, env=environ).returncode:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
