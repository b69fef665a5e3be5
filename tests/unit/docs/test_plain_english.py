"""Nothing that people read needs to be read twice: phrases that need it, and what to write in their place.

Looked through are the pages, the newest part of the CHANGELOG, examples and the unit, and all of the code, with its
messages, comments and docstrings, and the page in the browser.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

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
QUOTED = ("docs/ablation.md",)
"""Written by a measurement that takes an hour: its words change with the next run."""


def texts() -> Iterator[tuple[Path, str]]:
    """Each file with what people read of it; what is left out keeps its lines, so that their numbers hold."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    yield ROOT / "CHANGELOG.md", changelog.split("\n## ", 2)[0] + "\n## " + changelog.split("\n## ", 2)[1]
    yield ROOT / "CONTRIBUTING.md", _without_quotes((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    for page in PAGES:
        if page.name == "CONTRIBUTING.md":  # it quotes what not to write
            continue
        if page.name != "CHANGELOG.md" and str(page.relative_to(ROOT)) not in QUOTED:
            yield page, page.read_text("utf-8")
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path not in PAGES:
                yield path, path.read_text("utf-8")


def _without_quotes(text: str) -> str:
    """The text with blanks for everything in quotation marks; its lines keep their numbers."""
    return re.sub(r'"[^"]*"', lambda quoted: re.sub(r"[^\n]", " ", quoted[0]), text)


FILES = {str(path.relative_to(ROOT)): text for path, text in texts()}


@pytest.mark.parametrize("phrase", INSTEAD)
def test_nothing_that_people_read_has_a_phrase_that_must_be_read_twice(phrase: str) -> None:
    pattern = re.compile(phrase, re.IGNORECASE)

    found = [
        f"{name}:{number}: {match[0]!r}; better: {INSTEAD[phrase]}"
        for name, text in FILES.items()
        for number, line in enumerate(text.splitlines(), 1)
        if (match := pattern.search(line))
    ]

    assert not found, "\n".join(found)
