"""Warnings about words, which `make lint` prints: nobody should have to read a sentence or a name twice.

python -m tests.wording            all warnings; they are advice, and the exit status is 0
python -m tests.wording --count    how many of each kind

Looked through are the pages, the newest part of the CHANGELOG, examples and the unit, and all of the code, with its
messages, comments and docstrings, and the page in the browser.
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.unit.docs.pages import PAGES, ROOT

INSTEAD = {
    r"can(not|'t)? be meant": "is (in)valid",
    r"who sends no": "connections that send no …",
    r"\bwhoever\b": "name them: the caller, the viewer, the user",
    r"\bfor want of\b": "because … is missing",
    r"\bwhat alone\b": "the only … that",
    r"\bis rid of\b": "removes",
    r"\b(there|here|where)(of|in|with|upon|from)\b": "of it, in it, with it",
    r"\b(whence|whither|hence|thence)\b": "from where, therefore",
    r"\blest\b": "so that … not",
    r"\bof its own accord\b": "by itself",
    r"\b(is|are|was|were) told (of|that|it|them|to|otherwise|what|how)\b": "gets, knows, reads",
    r"\bthe ways? out\b|^.{0,8}ways out\b": "sink",
    r"\bis not meant\b": "is invalid",
    r"\b(what|those|that) of others\b|\bothers' (pictures|files|photos)\b": "untrusted",
    r"\bstrangers?\b": "other sites, unknown clients, unfamiliar pictures",
    r"\bdoorkeepers?\b": "middleware",
    r"\banew\b": "again",
    r"\bat all\b": "leave it out",
    r"\bfor ever\b": "without end",
    r"\bso many (as|of)\b|\bat most so many\b|\bfor so long\b": "at most N, this many, this long",
    r"\bby lot\b": "random",
    r"\bas it pleases\b": "say what happens",
    r"\bsays? nothing of\b": "does not mention",
    r"\b(goes|went|going) (under|by the name of)\b": "is called",
    r"\bwould have it\b": "wants, sets",
    r"\bnobody's bug\b": "no bug of vitcam",
    r"\bno such thing\b": "it does not exist",
    r"\bit is what it is\b": "say what it is",
    r"\bis at hand\b|\blies at hand\b": "is there, is near",
    r"\bgives? up the ghost\b": "ends, fails",
    r"\bheld to be\b": "counts as",
    r"\b(ere|nought|aught|oft|upon|amid|amongst|whilst|thus)\b": "before, nothing, often, on, among, while, so",
    r"\bwhat is (left|wanted|asked) of (it|them|him)\b": "say what",
    r"\bfor (he|she|it|they|that) (has|have|is|are|was|would|costs?|takes?)\b": "because …",
    r"\bso as (not )?to\b": "to …, so that …",
    r"\bas good as\b(?! |\n*in fewer)": "almost",
    r"\bshould (it|they|one|a|the) \w+,": "if …",
    r"\bhad (it|they|one) (been|not)\b": "if … had",
    r"\bis it\b(?!.*\?)": "put the subject first",
    r"\bone's own\b": "your own, its own",
    r"\bmeans harm\b": "hostile, untrusted",
    r"(?<!\bthere )\b(is|are|was|were) no (?!longer|more\b|need|reason|such|matter|faster|match)\w+": "is not a …",
    r"\bunasked\b": "by default",
    r"\bgo(es)? on\b": "continues",
    r"\bhonest(y|ly)?\b": "right, correct, faithful",
    r"\bhangs? on\b": "depends on",
}
"""What nobody should have to read twice -> what to write."""

SUFFIXES = {".py", ".html", ".js", ".css", ".toml", ".service", ".md"}
FOLDERS = ("vitcam", "training", "examples", "systemd", "docs")
PACKAGES = ("vitcam", "training")
LONGEST = 35
"""Words of a sentence on a page."""
WIDEST = 120
"""Characters of a line of prose on a page."""

_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_END = re.compile(r"(?<=[.!?])[)\"”*]*\s+(?=[\"“*(\[`]*(?:[A-Z0-9`]|vitcam\b|[\w-]+\.(?:md|ipynb)\b))")


def warnings() -> dict[str, list[str]]:
    """All of them by kind."""
    trees = dict(modules())
    return {
        "phrases": list(phrases(dict(texts()))),
        "classes of one name": list(twins(trees)),
        "parameters called of": list(parameters(trees)),
        "long sentences": [found for page in PAGES for found in long_sentences(page.read_text("utf-8"), _name(page))],
        "wide lines": [found for page in PAGES for found in wide_lines(page.read_text("utf-8"), _name(page))],
    }


def phrases(files: dict[str, str]) -> Iterator[str]:
    """Where a phrase of `INSTEAD` stands in the texts of files, by their names."""
    for phrase, better in INSTEAD.items():
        pattern = re.compile(phrase, re.IGNORECASE | re.MULTILINE)
        for name, text in files.items():
            for match in pattern.finditer(text):
                yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]!r}; better: {better}"


def texts() -> Iterator[tuple[str, str]]:
    """The name of each file with what people read of it; what is left out keeps its lines, so that numbers hold."""
    for page in PAGES:
        text = page.read_text("utf-8")
        if page.name == "CHANGELOG.md":
            text = "\n## ".join(text.split("\n## ", 2)[:2])
        elif page.name == "CONTRIBUTING.md":  # it quotes what not to write
            text = re.sub(r'"[^"]*"', lambda quoted: re.sub(r"[^\n]", " ", quoted[0]), text)
        yield _name(page), text
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path not in PAGES:
                yield _name(path), path.read_text("utf-8")


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Every module of both packages by its path."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield _name(path), ast.parse(path.read_text("utf-8"))


def twins(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Names of classes that several modules have, so that a name means more than one thing."""
    places = defaultdict(list)
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(f"{module}:{node.lineno}")
    for name, found in places.items():
        if len(found) > 1:
            yield f"{found[0]}: class {name} is also in {', '.join(found[1:])}"


def parameters(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Parameters that are called `of`: they do not say what they are."""
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.arg) and node.arg == "of":
                yield f"{module}:{node.lineno}: a parameter is called of"


def long_sentences(page: str, name: str) -> Iterator[str]:
    """Sentences of a page's prose and of the cells of its tables that have more than `LONGEST` words."""
    for number, block in _blocks(page):
        for sentence in _END.split(block):
            words = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(words) > LONGEST:
                yield f"{name}:{number}: {len(words)} words: {' '.join(words[:8])} …"


def wide_lines(page: str, name: str) -> Iterator[str]:
    """Lines of prose that are wider than `WIDEST`. Tables, headings, mathematics, quotes and long addresses may be."""
    for number, line in enumerate(_blank(_FENCED, page).splitlines(), 1):
        cannot = line.startswith(("|", "#", "$$", "!", "    ", "[`", ">")) or " " not in line.strip()[:WIDEST]
        if len(line) > WIDEST and not cannot:
            yield f"{name}:{number}: {len(line)} characters"


def _blocks(page: str) -> Iterator[tuple[int, str]]:
    """Paragraphs, items of lists and cells of tables as plain text, each with the number of its first line."""
    lines = _blank(_COMMENT, _blank(_FENCED, page)).splitlines()
    begun, block = 0, ""
    for number, line in enumerate([*lines, ""], 1):
        text = line.strip().lstrip(">").strip()
        if not text or line.startswith(("|", "#", "    ", "$$", "![")) or re.match(r"([-*]|\d+\.) ", text):
            if block:
                yield begun, block
            block = ""
        if line.startswith("|"):
            yield from ((number, _plain(cell)) for cell in re.split(r"(?<!\\)\|", line))
        elif text and not line.startswith(("#", "    ", "$$", "![")):
            begun, block = (begun, f"{block} {_plain(text)}") if block else (number, _plain(text))


def _plain(text: str) -> str:
    """Without targets of links; code and mathematics are one word."""
    text = re.sub(r"`[^`]*`|\$[^$]+\$", "`code`", text)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """The text with blanks for what the pattern finds; its lines keep their numbers."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def main() -> None:
    """Print the warnings, or how many there are."""
    for kind, found in warnings().items():
        if "--count" in sys.argv[1:]:
            print(f"{len(found):4} {kind}")
        elif found:
            print(*(f"WARNING: {each}" for each in found), sep="\n")


if __name__ == "__main__":
    main()
