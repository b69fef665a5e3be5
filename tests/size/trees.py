"""The Python files of a checkout, or of a commit of it."""

import io
import re
import subprocess
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
STUDY = "training/study/"


@dataclass(frozen=True, slots=True)
class Part:
    """Some files of a tree."""

    files: int
    lines: int
    logical: int
    """Logical lines, as Python's tokenizer ends them: neither comments nor blank lines nor the shape of a statement
    change them."""


def read_tree(commit: str | None) -> dict[str, str]:
    """Path -> text of each Python file that git knows. None: as the files are now, changed or not."""
    if commit is None:
        names = _git("ls-files", "--cached", "--others", "--exclude-standard", "*.py").splitlines()
        return {name: (ROOT / name).read_text("utf-8") for name in names if (ROOT / name).exists()}
    names = [name for name in _git("ls-tree", "-r", "--name-only", commit).splitlines() if name.endswith(".py")]
    asked = "".join(f"{commit}:{name}\n" for name in names)
    output = subprocess.run(
        ["git", "cat-file", "--batch"], cwd=ROOT, input=asked.encode(), capture_output=True, check=True
    ).stdout
    found, at = {}, 0
    for name in names:
        head_end = output.index(b"\n", at) + 1
        size = int(output[at:head_end].split()[2])
        found[name] = output[head_end : head_end + size].decode()
        at = head_end + size + 1
    return found


def read_page(commit: str | None, name: str) -> str:
    """The text of any other file; empty where a commit has none of that name."""
    if commit is None:
        return (ROOT / name).read_text("utf-8")
    return _git("show", f"{commit}:{name}") if _git("ls-tree", commit, name) else ""


def parts(tree: Mapping[str, str]) -> dict[str, Part]:
    """By name: what is installed, what is not, and the tests with benches and fuzz."""
    vitcam = [name for name in tree if name.startswith("vitcam/")]
    study = [name for name in tree if name.startswith(STUDY)]
    training = [name for name in tree if name.startswith("training/") and name not in study]
    chosen = {
        "vitcam": vitcam,
        "training without studies": training,
        "studies": study,
        "tests, benches and fuzz": [name for name in tree if name.startswith("tests/")],
    }
    return {name: _counted([tree[each] for each in names]) for name, names in chosen.items()}


def folders(tree: Mapping[str, str]) -> list[str]:
    """Those that stand side by side in `vitcam/`, without `parts/`, which holds the leaves."""
    return sorted({name.split("/")[1] for name in tree if re.match("vitcam/(?!parts/)[^/]+/", name)})


def _counted(texts: list[str]) -> Part:
    return Part(len(texts), sum(len(text.splitlines()) for text in texts), sum(map(logical_lines, texts)))


def logical_lines(text: str) -> int:
    """How many statements' lines the tokenizer ends in a Python file."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.NEWLINE for token in tokens)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def unpack(commit: str, folder: Path) -> None:
    """Write what a commit has of the daemon and its usual model into a folder."""
    archive = subprocess.run(
        ["git", "archive", commit, "vitcam", "models/everyday.tflite"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
