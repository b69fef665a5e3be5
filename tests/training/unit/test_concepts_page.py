"""docs/study/concepts.md quotes the code as it is, all of it, and names every mistake's test."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "study" / "concepts.md").read_text("utf-8")


def defined_in(path: str) -> list[str]:
    """Top-level functions of a file, and the methods of its classes as Class.method."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    methods = [
        f"{node.name}.{inner.name}"
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef)
    ]
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef)] + methods


def generate(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "docs" / "generate_concepts.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The page, its generator and what they quote, to be spoilt."""
    quoted = ("training/study/reference.py", "training/vit.py", "training/fit/optimiser.py")
    for name in ("docs/study/concepts.md", "docs/generate_concepts.py", *quoted,
                 "tests/training/unit/test_circulating_mistakes.py", "training/study/mistakes/rows.py"):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    return tmp_path


def test_the_committed_page_quotes_the_source_as_it_is() -> None:
    check = generate(ROOT, "--check")

    assert check.stderr == ""
    assert check.returncode == 0


def test_a_changed_equation_makes_the_page_stale_until_it_is_made_again(copy: Path) -> None:
    source = copy / "training" / "study" / "reference.py"
    source.write_text(source.read_text("utf-8").replace("math.sqrt(q.shape[-1])", "math.sqrt(1.0)"), "utf-8")
    stale = generate(copy, "--check")
    made = generate(copy, "--quotes")

    assert stale.returncode == 1
    assert "run python docs/generate_concepts.py" in stale.stderr
    assert made.returncode == 0, made.stderr
    assert "math.sqrt(1.0)" in (copy / "docs" / "study" / "concepts.md").read_text("utf-8")
    assert generate(copy, "--check").returncode == 0


def test_a_quote_of_what_is_gone_is_refused_by_name(copy: Path) -> None:
    source = copy / "training" / "study" / "reference.py"
    source.write_text(source.read_text("utf-8").replace("def rollout_row(", "def renamed("), "utf-8")
    refused = generate(copy, "--quotes")

    assert refused.returncode == 1
    assert "reference.rollout_row" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("name", defined_in("training/study/reference.py"))
def test_every_equation_of_the_reference_is_on_the_page(name: str) -> None:
    assert re.search(rf"<!-- code: reference\.{re.escape(name)}[ ]", PAGE)


MISTAKES = [name for name in defined_in("tests/training/unit/test_circulating_mistakes.py") if name.startswith("test_")]


@pytest.mark.parametrize("test", MISTAKES)
def test_every_mistake_that_has_a_test_is_on_the_page(test: str) -> None:
    assert f"<!-- mistake: {test} -->" in PAGE


def test_every_picture_of_the_page_is_there_and_small() -> None:
    pictures = [ROOT / "docs" / "study" / name for name in re.findall(r"\]\((concepts/[\w.]+)\)", PAGE)]

    assert len(pictures) == 7
    assert sorted(pictures) == sorted((ROOT / "docs" / "study" / "concepts").iterdir())
    assert max(picture.stat().st_size for picture in pictures) < 310_000


def test_mathematics_holds_no_backslash_that_markdown_would_eat() -> None:
    """GitHub takes the backslash off punctuation before MathJax sees it."""
    assert re.findall(r"\$[^$\n]*\\[^A-Za-z\s][^$\n]*\$", PAGE) == []
    assert PAGE.count("$$") % 2 == 0


def test_mathematics_uses_no_space_that_mathjax_does_not_know() -> None:
    """MathJax 3, which GitHub and Jupyter use, shows the names of these two in red."""
    assert re.findall(r"\\(?:thick|med)space", PAGE) == []
