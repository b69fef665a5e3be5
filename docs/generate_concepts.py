"""Write the code of study/reference.py into docs/study/concepts.md, draw its figures; --check tells if it is fresh.

python docs/generate_concepts.py            the quotes and the figures
python docs/generate_concepts.py --quotes   the quotes alone, in a second
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "study" / "concepts.md"
SOURCES = {
    "reference": Path("training/study/reference.py"),
    "vit": Path("training/vit.py"),
    "optimiser": Path("training/fit/optimiser.py"),
    "mistakes": Path("tests/training/unit/test_circulating_mistakes.py"),
}
MEASURED = Path("training/study/mistakes/rows.py")
"""The table of what each mistake costs: its rows name their tests."""
MARKED = re.compile(r"(<!-- (code|mistake): ([\w.]+(?: [\w.]+)*) -->\n).*?(<!-- end -->\n)", re.DOTALL)

Definition = ast.FunctionDef | ast.ClassDef


def fresh(page: str, root: Path = ROOT) -> str:
    """The page with everything between its markers made again.

    `<!-- code: reference.attention vit.Attention -->` quotes the first name and links all of them;
    `<!-- mistake: test_name -->` says what a test in test_circulating_mistakes.py guards against,
    and links to training/study/mistakes/mistakes.md if a row there measures it.
    """

    def filled(found: re.Match[str]) -> str:
        begin, kind, names, end = found.groups()
        return begin + (_code(names.split(), root) if kind == "code" else _mistake(names, root)) + end

    return MARKED.sub(filled, page)


def _code(names: list[str], root: Path) -> str:
    links = " · ".join(f"[`{name}`]({_link(name, root)})" for name in names)
    return f"```python\n{_quote(names[0], root)}\n```\n{links}\n"


def _mistake(test: str, root: Path) -> str:
    definition = _find(f"mistakes.{test}", root)[1]
    words = " ".join((ast.get_docstring(definition) or "").split())
    measured = f'test="{test}"' in (root / MEASURED).read_text("utf-8")
    cost = " · [what it costs](../../training/study/mistakes/mistakes.md)" if measured else ""
    return f"> **A mistake that circulates.** {words}\n> Test: [`{test}`]({_link(f'mistakes.{test}', root)}){cost}\n"


def _quote(name: str, root: Path) -> str:
    """The source of a definition without its docstring, whose equation the page sets better."""
    path, definition = _find(name, root)
    lines = (root / path).read_text("utf-8").splitlines()
    first = definition.body[0]
    documented = ast.get_docstring(definition, clean=False) is not None
    cut = range(first.lineno, (first.end_lineno or 0) + 1) if documented else range(0)
    numbers = range(definition.lineno, (definition.end_lineno or 0) + 1)
    kept = [lines[number - 1] for number in numbers if number not in cut]
    indent = len(kept[0]) - len(kept[0].lstrip())
    return "\n".join(line[indent:] for line in kept)


def _link(name: str, root: Path) -> str:
    path, definition = _find(name, root)
    return f"../../{path.as_posix()}#L{definition.lineno}"


def _find(name: str, root: Path) -> tuple[Path, Definition]:
    """`file.name` or `file.Class.method`; exits with a sentence if the source does not have it any more."""
    file, *inner = name.split(".")
    path = SOURCES[file]
    found: ast.Module | Definition = ast.parse((root / path).read_text("utf-8"))
    for part in inner:
        inside = (node for node in found.body if isinstance(node, Definition) and node.name == part)
        named = next(inside, None)
        if named is None:
            sys.exit(f"docs/study/concepts.md quotes {name}, but {path} has no {part}; mend the marker")
        found = named
    assert not isinstance(found, ast.Module)  # noqa: S101 - a name has two parts
    return path, found


def main() -> int:
    """Exit status: 1 if --check found the page stale."""
    page = PAGE.read_text("utf-8")
    wanted = fresh(page)
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print("docs/study/concepts.md is stale; run python docs/generate_concepts.py --quotes", file=sys.stderr)
        return int(page != wanted)
    PAGE.write_text(wanted, "utf-8")
    if "--quotes" not in sys.argv[1:]:
        import concept_figures

        concept_figures.draw_all(ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
