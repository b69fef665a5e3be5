"""Pages whose figures were measured: by which commands, and whether the models that each of these measured still ship.

measured.json holds both, for each page. A command that writes no page prints its figures, and a person puts them in.

python docs/measured.py                 list the pages and their commands
python docs/measured.py PAGE…           run the commands of these pages, and note today's models
python docs/measured.py --note PAGE…    note today's models only: the commands were run by hand
python docs/measured.py --only TEXT …   the same for the commands alone that contain this text
python docs/measured.py --check         warn of commands that measured another model; with --strict they are an error
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from vitcam.model import bundle

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "docs" / "measured.json"


@dataclass(frozen=True, slots=True)
class Measured:
    """A command that measures figures of a page."""

    command: str
    models: dict[str, str]
    """The fingerprints of the models when it ran last, by name. Empty: it measures no model that ships."""

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


def read() -> dict[str, list[Measured]]:
    """What measures each page, by its path in the repository."""
    known = json.loads(RECORD.read_text("utf-8"))
    return {page: [Measured(*each) for each in commands.items()] for page, commands in known.items()}


def main(arguments: list[str]) -> int:
    """Exit status: that of a command that failed; 1 if --strict found a command that measured another model."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("pages", nargs="*", metavar="PAGE")
    options.add_argument("--note", action="store_true", help="run nothing, note today's models")
    options.add_argument("--only", default="", metavar="TEXT", help="only the commands that contain this text")
    options.add_argument("--check", action="store_true", help="warn of commands that measured another model")
    options.add_argument("--strict", action="store_true", help="such a command is an error")
    o = options.parse_args(arguments)
    pages = read()
    if unknown := [page for page in o.pages if page not in pages]:
        options.error(f"{unknown[0]} is not a measured page; these are: {', '.join(pages)}")
    for page in o.pages:
        if code := _measure(pages, page, o.only, run=not o.note):
            return code
    if o.pages:
        return 0
    if not (o.check or o.strict):
        for page, commands in pages.items():
            print(page, *(each.command for each in commands), sep="\n    ")
    stale = [(page, each) for page, commands in pages.items() for each in commands if each.stale()]
    for page, each in stale:
        models, level = " and ".join(each.stale()), "ERROR" if o.strict else "WARNING"
        print(f"{level}: {page} shows another {models} than the one that ships: {each.command}", file=sys.stderr)
    if stale:
        print("measure it again: make measured ARGS='PAGE --only TEXT-OF-THE-COMMAND'", file=sys.stderr)
    return int(o.strict and bool(stale))


def _measure(pages: dict[str, list[Measured]], page: str, only: str, run: bool) -> int:
    """Exit status of the command that failed; each that did not is noted in the record."""
    for i, each in enumerate(pages[page]):
        if only not in each.command:
            continue
        if code := _run(each.command) if run else 0:
            return code
        pages[page][i] = each.noted()
        known = {name: {each.command: each.models for each in commands} for name, commands in pages.items()}
        RECORD.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
    return 0


def _run(command: str) -> int:
    environ = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    print(f"$ {command}", flush=True)
    return subprocess.run(["/bin/bash", "-c", command], cwd=ROOT, env=environ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
