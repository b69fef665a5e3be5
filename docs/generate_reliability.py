"""Write the tables of faults in docs/program/reliability.md from the tests' own marks; --check tells if they are fresh.

A test that injects a fault carries `@pytest.mark.fault("what happens", injected="how", observed="what must be seen")`.
The tests are read, not imported, so that the page is the same on a machine that lacks what some of them need.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generated import write

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "program" / "reliability.md"
SECTIONS = {
    "Cameras and other sources": ("integration/sources", "unit/sources"),
    "Model, configuration and state": ("integration/model", "unit/model", "unit/config", "integration/settings"),
    "Photos from others": ("integration/pictures", "unit/pictures"),
    "Clients": ("integration/web", "unit/web"),
    "The daemon and its threads": ("unit/pipeline", "unit/daemon", "parts", "integration/daemon"),
    "Disk, names, signals and memory": ("integration/faults", "integration"),
    "A whole machine": ("pivm",),
}
"""A heading -> the folders of tests/ whose tests stand below it; the first folder that fits counts."""
REST = "Others"
MARKS = ("pytest.mark.fault", "fault")
"""The mark of a test; the second in tests/pivm, where there is no pytest."""
TIERS = ("slow", "smoke", "long")
LONG_FOLDERS = {"integration", "training"}
"""What has no other mark is long there, as tests/conftest.py says."""


@dataclass(frozen=True)
class Fault:
    """One test that injects a fault, and what its mark says."""

    happens: str
    injected: str
    observed: str
    test: str
    path: Path
    tier: str | None
    """Its mark, or that of its folder; None where there is none."""

    @property
    def section(self) -> str:
        """The heading that it stands below."""
        folder = self.path.relative_to(ROOT / "tests").as_posix()
        return next((name for name, places in SECTIONS.items() if folder.startswith(places)), REST)

    @property
    def command(self) -> str:
        """What runs the test."""
        if "pivm" in self.path.parts:
            return "make test-faults"
        return "make test" if self.tier in (None, "smoke") else f"make test-{self.tier}"

    def row(self) -> str:
        """Its line of the table."""
        link = f"[{self.test}](../../{self.path.relative_to(ROOT).as_posix()})"
        return f"| {self.happens} | {self.injected} | {self.observed} | {link} | `{self.command}` |"


def faults(tests: Path = ROOT / "tests") -> list[Fault]:
    """Every fault below a folder, in the order of the files. Raises ValueError if a mark is incomplete."""
    return [fault for path in sorted(tests.rglob("*.py")) for fault in _faults_in(path)]


def _faults_in(path: Path) -> Iterator[Fault]:
    tree = ast.parse(path.read_text("utf-8"))
    named = {
        ast.unparse(node.targets[0]): ast.unparse(node.value) for node in tree.body if isinstance(node, ast.Assign)
    }
    everywhere = named.get("pytestmark", "").strip("[").split("pytest.")
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        marks = [named.get(text, text).removeprefix("pytest.") for text in map(ast.unparse, node.decorator_list)]
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) in MARKS:
                happens, injected, observed = _said(mark, f"{path}:{node.lineno}")
                tiers = [
                    tier for tier in TIERS if any(each.startswith(f"mark.{tier}") for each in (*marks, *everywhere))
                ]
                if not LONG_FOLDERS.isdisjoint(path.relative_to(ROOT).parts):
                    tiers.append("long")
                yield Fault(happens, injected, observed, node.name, path, tiers[0] if tiers else None)


def _said(mark: ast.Call, place: str) -> tuple[str, str, str]:
    """What happens, how it is injected, what must be observed."""
    named = {keyword.arg: keyword.value for keyword in mark.keywords}
    if len(mark.args) != 1 or set(named) != {"injected", "observed"}:
        raise ValueError(f'{place}: a fault is marked as fault("what happens", injected="how", observed="what")')
    happens, injected, observed = (
        str(ast.literal_eval(each)) for each in (mark.args[0], named["injected"], named["observed"])
    )
    return happens, injected, observed


def tables() -> str:
    """A table for each section."""
    found = faults()
    blocks = [
        "\n".join(
            [
                f"### {section}\n",
                "| fault | injected by | what must be observed | test | run by |",
                "|---|---|---|---|---|",
                *rows,
            ]
        )
        + "\n"
        for section in (*SECTIONS, REST)
        if (rows := [fault.row() for fault in found if fault.section == section])
    ]
    return f"{len(found)} faults, each with its test.\n\n" + "\n".join(blocks)


if __name__ == "__main__":
    sys.exit(write(PAGE, "faults", tables()))
