"""The walks of CONTRIBUTING.md: the code that each shows, and the files that its list names."""

import re
from dataclasses import dataclass

PAGE = "CONTRIBUTING.md"
NEW_PART = "Add a part"
_SECTION = r"^## {}$(.*?)(?=^## |\Z)"
_STEP = re.compile(r"^\d+\. (.*?)(?=^\d+\. |^[^\s`<]|\Z)", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"\[[^\]]+\]\(([^)]+)\)|`([\w/.]+)`")
_GENERATED = re.compile(r"[\w/]+\.\w+")
_NEW, _MADE = "New: ", "`make docs`"


@dataclass(frozen=True, slots=True)
class Touched:
    """What somebody who follows a walk does to the files of the repository."""

    changed: tuple[str, ...]
    added: tuple[str, ...]
    """A folder stands for a file in it whose name is free."""
    generated: tuple[str, ...]

    def __str__(self) -> str:
        counts = {"changed": self.changed, "added": self.added, "generated": self.generated}
        return ", ".join(f"{len(files)} {what}" for what, files in counts.items() if files)


def code_shown(text: str, name: str) -> str:
    """The Python below the comment `<!-- walk: NAME -->`."""
    found = re.search(rf"<!-- walk: {name} -->\n```python\n(.*?)```", text, re.DOTALL)
    assert found is not None, name
    return found[1]


def section(text: str, heading: str) -> str:
    """What stands below a heading of the page, to the next one; empty if the page has no such heading."""
    found = re.search(_SECTION.format(re.escape(heading)), text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def touched(text: str, heading: str) -> Touched:
    """The files that the numbered steps below a heading name."""
    steps = _STEP.findall(section(text, heading))
    made = [step for step in steps if step.startswith(_MADE)]
    new = [step for step in steps if step.startswith(_NEW)]
    return Touched(
        tuple(_first_file(step) for step in steps if step not in made + new),
        tuple(_first_file(step) for step in new),
        tuple(name for step in made for name in _GENERATED.findall(step.partition(".\n")[0])),
    )


def _first_file(step: str) -> str:
    found = _FILE.search(step)
    assert found is not None, step
    return (found[1] or found[2]).partition("#")[0]
