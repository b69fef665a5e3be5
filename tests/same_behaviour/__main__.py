"""Whether this version behaves as an older one: every difference that a user could see, listed.

    python -m tests.same_behaviour OLD_PYTHON NEW_PYTHON [--only PART...]

Each is the interpreter of a checkout's virtual environment, such as ../before/.venv/bin/python. The exit status is 1 if
anything differs. A difference may be wanted: the CHANGELOG says so then.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.same_behaviour.answers import answers, read_runs, unasked
from tests.same_behaviour.commands import endings
from tests.same_behaviour.differences import differences, shape
from tests.same_behaviour.prepared import GOLDEN
from tests.same_behaviour.settings import described_settings
from tests.same_behaviour.side import Side

MODELS = ("everyday", "cifar10", "cifar10-scratch", "mnist")
PROGRAMS = ("vitcam", "vitcam-train")
Found = dict[str, dict[str, Any]]
"""What is compared under one heading: by the words of that heading, then by the name of each thing."""


def models(side: Side, home: Path) -> Found:
    """What every shipped model says of the golden photos and of the demo, bit for bit."""
    return {
        f"the model {model}, answers": side.ask(home, "predictions", model, str(GOLDEN), "demo:ram") for model in MODELS
    }


def options(side: Side, home: Path) -> Found:
    """Every command of both programs with its options."""
    return {f"the options of {program}, commands": side.ask(home, "options", program) for program in PROGRAMS}


def requests(side: Side, home: Path) -> Found:
    """The answers of three daemons; the description of the interface and the keys of the state by themselves, too."""
    found: Found = {}
    for number, run in enumerate(read_runs()):
        folder = home / str(number)
        folder.mkdir()
        found[f"a daemon, {run.name}: requests"] = answers(side, run, folder)
    every = [answer for group in found.values() for answer in group.items()]
    document = next(answer["body"] for name, answer in every if name.endswith("GET /openapi.json"))
    state = next(answer["body"] for name, answer in every if name.endswith("GET /api/state"))
    for operation in unasked(document):
        print(f"No request asks {operation}: add one to requests.toml.")
    return {"/openapi.json, paths": document["paths"], "/api/state, keys": shape(state)} | found


def commands(side: Side, home: Path) -> Found:
    """How command lines end, wrong ones and right ones."""
    return {"command lines": endings(side, home)}


PARTS: Mapping[str, Callable[[Side, Path], Found]] = {
    "models": models,
    "options": options,
    "settings": described_settings,
    "requests": requests,
    "commands": commands,
}


def compared(part: str, old: Side, new: Side) -> int:
    """Print what differs in one part; returns how much does."""
    both = []
    for side in (old, new):
        with tempfile.TemporaryDirectory(prefix="vitcam-same-", ignore_cleanup_errors=True) as home:
            both.append(PARTS[part](side, Path(home)))
    before, after = both
    total = 0
    for heading in [*before, *(heading for heading in after if heading not in before)]:
        found = list(differences(before.get(heading, {}), after.get(heading, {})))
        total += len(found)
        said = f"{len(found)} differences" if found else "no differences"
        print(f"{heading} ({len(before.get(heading, {}))}): {said}", flush=True)
        for each in found:
            print(f"  {each}", flush=True)
    return total


def main() -> int:
    """Exit status: 1 if anything differs."""
    options = argparse.ArgumentParser(prog="python -m tests.same_behaviour")
    options.add_argument("old", help="the interpreter of the older checkout's virtual environment")
    options.add_argument("new", help="that of the newer one; the same one twice must give no differences")
    options.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), metavar="PART")
    o = options.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vitcam-same-") as home:
        old, new = (Side.of(python, Path(home)) for python in (o.old, o.new))
    print(f"old: {old.root}, vitcam {old.version}\nnew: {new.root}, vitcam {new.version}\n")
    total = sum(compared(part, old, new) for part in o.only)
    print(f"\n{total or 'no'} differences, in {time.monotonic() - started:.0f} s")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
