"""All parts, one after the other: `make fuzz`.

python -m tests.fuzz [PART...] [--count N] [--seed S]    without PART: all, each with its own count
"""

import argparse
import importlib
import sys

COUNTS = {
    "requests_described": 20_000,
    "requests_raw": 80_000,
    "pictures": 10_000,
    "model_files": 2_000,
    "configurations": 2_000,
    "bundles": 6_000,
    "state_files": 6_000,
    "zips": 5_000,
    "rights": 8_000,
}
"""By the name of the module."""


def main() -> int:
    """Run the parts and print a line for each; 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[*COUNTS, []], help="The parts to run.")
    parser.add_argument("--count", type=int, help="How many inputs each part makes.")
    parser.add_argument("--seed", type=int, default=0, help="The same seed makes the same inputs.")
    wanted = parser.parse_args()
    found = 0
    for name in wanted.part or COUNTS:
        part = importlib.import_module(f"tests.fuzz.{name}")
        outcome = part.run(wanted.count or COUNTS[name], wanted.seed)
        found += len(outcome.findings)
        print(outcome, flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
