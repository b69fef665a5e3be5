"""`make help` says of every target what it does."""

import re
import subprocess

from tests.unit.docs.pages import ROOT


def test_make_help_lists_every_target_that_people_call() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)[0].split()

    told = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout

    lines = {line.split()[1]: line.split(maxsplit=2)[2] for line in told.splitlines()}
    assert set(targets) <= set(lines)
    assert all(lines.values())
