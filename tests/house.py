"""Which files outside a leaf name it: the rule is that deleting the leaf's folder takes all of it away.

    python -m tests.house           compare with the list; exit status 1 if it does not fit
    python -m tests.house --write   take rows away that offend no more; it adds none

A leaf is a capability that can be deleted: a folder in `vitcam/parts/`. A file outside it offends if its code has

    imports   of the leaf, or of the packages in which it is today
    sections  of its settings: `clips.labels` in a text
    addresses of its routes and of its files: `/api/peers`, `/page/wall/`
    itself    a word of `WORDS` in a name or in a text without blanks: `clips=`, `MqttState`, "inbox"

and a file of the page if it has its addresses, its phrases or its part of the state. Docstrings and comments may name
it, and so may `vitcam/parts/__init__.py`. Rows of `house.txt` are such files of today, as `code` or `page`. The list
may only get shorter, and a leaf that has moved to `vitcam/parts/` has no row of `code`.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.size.trees import ROOT, read_tree

TABLE = Path(__file__).with_suffix(".toml")
LIST = Path(__file__).with_suffix(".txt")
IMPORT = "imports it"
PARTS = "vitcam/parts/"
PAGE = "vitcam/web/page/"
_NAME_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class Leaf:
    """What is looked for. All are words of today, beside the folder that the leaf gets."""

    name: str
    packages: Sequence[str] = ()
    """Of `vitcam/`: where it is until it has moved."""
    words: Sequence[str] = ()
    """Of names and texts in code; none where the word is ordinary English."""
    not_in: Sequence[str] = ()
    """Where a word or a section is another thing, such as the overlay `heat`."""
    sections: Sequence[str] = ()
    """Of the settings."""
    routes: Sequence[str] = ()
    """Below `/api/`."""
    views: Sequence[str] = ()
    """Folders of the page; phrases and addresses begin with the same word."""

    def owns(self, path: str) -> bool:
        """Whether a file is part of it."""
        own = (f"{PARTS}{self.name}/", *(f"vitcam/{each}/" for each in self.packages))
        return path.startswith((*own, *(f"{PAGE}{each}/" for each in self.views)))

    def modules(self) -> re.Pattern[str]:
        """The names by which it is imported."""
        return re.compile(rf"vitcam\.(parts\.{self.name}|{'|'.join(self.packages) or '(?!)'})\b")


LEAVES = tuple(Leaf(name, **each) for name, each in tomllib.loads(TABLE.read_text("utf-8")).items())


def all_leaves(tree: Mapping[str, str]) -> tuple[Leaf, ...]:
    """Those of `LEAVES`, and those that came since: their folder alone says what they are."""
    known = {leaf.name for leaf in LEAVES}
    return (*LEAVES, *(Leaf(name, routes=(name,), views=(name,)) for name in sorted(moved(tree) - known)))


def moved(tree: Mapping[str, str]) -> set[str]:
    """Names of the folders in `vitcam/parts/`."""
    return {path.removeprefix(PARTS).split("/")[0] for path in tree if re.match(rf"{PARTS}\w+/", path)}


@dataclass(frozen=True, slots=True)
class Code:
    """What a Python file says, without docstrings and comments."""

    imports: tuple[str, ...]
    """Modules in full."""
    names: frozenset[str]
    """The words of its names and of texts without blanks, in small letters."""
    texts: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Code":
        """Raises SyntaxError."""
        tree = ast.parse(text)
        imports, names, texts = [], set(), []
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                imports += [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                imports += [f"{node.module}.{each.name}" for each in node.names]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                texts.append(node.value)
                names |= set() if " " in node.value else {node.value}
            names |= {
                found
                for found in (getattr(node, key, None) for key in ("id", "attr", "arg", "name"))
                if isinstance(found, str)
            }
        words = frozenset(word.lower() for name in names for word in _NAME_PARTS.findall(name))
        return cls(tuple(imports), words, tuple(texts))


def in_code(leaf: Leaf, path: str, code: Code) -> Iterator[str]:
    """What a Python file outside a leaf has of it."""
    module, everything = leaf.modules(), "\n".join((*code.imports, *code.texts))
    if module.search(everything):
        yield IMPORT
    is_another_thing = path.startswith(tuple(leaf.not_in))
    if (
        leaf.sections
        and not is_another_thing
        and re.search(rf"(?<!vitcam\.)(?<!parts\.)\b({'|'.join(leaf.sections)})\.[a-z_]", "\n".join(code.texts))
    ):
        yield "has its section"
    if addresses(leaf).search("\n".join(code.texts)):
        yield "has its address"
    if not is_another_thing and code.names & set(leaf.words):
        yield f"says {', '.join(sorted(code.names & set(leaf.words)))}"


def addresses(leaf: Leaf) -> re.Pattern[str]:
    """Of its routes and of its files on the page."""
    routes, views = (f"({'|'.join(each) or '(?!)'})" for each in (leaf.routes, leaf.views))
    return re.compile(rf"\bapi/{routes}\b|\bpage/{views}/")


def in_page(leaf: Leaf, text: str) -> Iterator[str]:
    """What a file of the page outside a leaf has of it."""
    views = f"({'|'.join(leaf.views) or '(?!)'})"
    if addresses(leaf).search(text) or re.search(rf"""\.{{1,2}}/{views}/|["'`/^]#{views}\b|"to-{views}\b""", text):
        yield "has its address"
    if re.search(rf"""["'`]{views}\.[a-z]""", text):
        yield "has its phrases"
    sections = f"({'|'.join(leaf.sections) or '(?!)'})"
    if re.search(rf"""["'`]{sections}\.[a-z]|\bsettings\.(group|name|what)\.{sections}\b""", text):
        yield "has its settings"
    if re.search(rf"\bstate\.({'|'.join({leaf.name, *leaf.sections})})\b", text):
        yield "has its state"


def offences(tree: Mapping[str, str]) -> dict[str, list[str]]:
    """By row of the list, such as `code clips vitcam/daemon/daemon.py`: what the file has of the leaf.

    tree  path -> text of the files of `vitcam/` and its page
    """
    found = {}
    leaves = all_leaves(tree)
    for path, text in tree.items():
        if path == f"{PARTS}__init__.py":
            continue
        page = not path.endswith(".py")
        code = None if page else Code.of(text)
        spoken = re.sub(r"(^|\s)//.*", "", text) if page else ""
        for leaf in leaves:
            if not leaf.owns(path):
                what = list(in_page(leaf, spoken) if code is None else in_code(leaf, path, code))
                if what:
                    found[f"{'page' if page else 'code'} {leaf.name} {path}"] = what
    return found


def imports(found: Mapping[str, list[str]], leaves: Sequence[Leaf]) -> tuple[dict[str, int], list[str]]:
    """By leaf, how many files of the base import it; and which leaf imports which, such as `alerts -> mqtt`."""
    base, edges = dict.fromkeys((leaf.name for leaf in leaves), 0), set()
    for row in (row for row, what in found.items() if IMPORT in what):
        _, name, path = row.split()
        owner = next((leaf.name for leaf in leaves if leaf.owns(path)), None)
        if owner is None:
            base[name] += 1
        else:
            edges.add(f"{owner} -> {name}")
    return base, sorted(edges)


def here() -> dict[str, str]:
    """The files as they are now, of git and new ones."""
    page = [path for path in (ROOT / "vitcam").rglob("*") if path.suffix in (".js", ".html", ".css", ".json")]
    code = {path: text for path, text in read_tree(None).items() if path.startswith("vitcam/")}
    return code | {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in page}


def complaints(found: Mapping[str, list[str]], listed: list[str], gone: set[str]) -> Iterator[str]:
    """Where list and files differ. gone: leaves that have moved."""
    for row in sorted({*found, *listed}):
        kind, name, _ = row.split()
        if row not in listed:
            yield f"{row}: {'; '.join(found[row])}. A file outside a leaf must not know of it."
        elif row not in found:
            yield f"{row}: offends no more; run `python -m tests.house --write`."
        elif kind == "code" and name in gone:
            yield f"{row}: {name} has moved to {PARTS}, so nothing may name it: {'; '.join(found[row])}."


def main(write: bool) -> int:
    """Exit status."""
    tree = here()
    found, listed = offences(tree), LIST.read_text("utf-8").splitlines()
    if write:
        listed = [row for row in listed if row in found]
        LIST.write_text("".join(f"{row}\n" for row in listed), "utf-8")
    leaves = all_leaves(tree)
    base, edges = imports(found, leaves)
    for name, importing in base.items():
        code, page = (sum(row.startswith(f"{kind} {name} ") for row in found) for kind in ("code", "page"))
        print(f"{name}: {code} files of code name it, {importing} of the base import it; {page} files of the page")
    print(f"leaves that the base imports: {sum(map(bool, base.values()))} of {len(base)}")
    print(f"leaves that import a leaf: {len(edges)} ({', '.join(edges)})")
    wrong = list(complaints(found, listed, moved(tree)))
    print(*wrong, sep="\n", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
