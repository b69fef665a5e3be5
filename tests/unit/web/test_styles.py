"""What the style of a view or a panel, which is loaded when it is opened, says of the rest of the page."""

import re
from pathlib import PurePosixPath

from tests.unit.web.test_first_load import loaded_first
from vitcam.web.page_sources import page_sources

FOR_ALL = {"look/forced_colors.css", "login.css"}
SOURCES = {
    PurePosixPath(name): file.read_text(encoding="utf-8")
    for name, file in page_sources().items()
    if name.endswith((".css", ".html", ".js"))
}


def names_in(text: str) -> set[str]:
    """Classes and ids that HTML has, and elements that a script makes."""
    given = re.findall(r"""\b(?:class|className|id)(?:=|: | = )"([\w -]+)\"""", text)
    return {name for names in given for name in names.split()}


def selectors_in(css: str) -> list[str]:
    plain = re.sub(r"/\*.*?\*/|\([^()]*\)", "", css, flags=re.DOTALL)
    return [each.strip() for rule in re.findall(r"(?:^|[{};])([^{};@]+)\{", plain) for each in rule.split(",")]


def test_the_style_of_a_view_changes_no_other_view_that_is_opened_after_it() -> None:
    later = [path for path in SOURCES if path.suffix == ".css" and str(path) not in loaded_first() | FOR_ALL]
    found = list[str]()
    for path in later:
        others = set[str]().union(
            *(
                names_in(text)
                for other, text in SOURCES.items()
                if other.suffix != ".css" and other.parent != path.parent and other.name != "index.html"
            )
        )
        found += [
            f"{path}: {selector}"
            for selector in selectors_in(SOURCES[path])
            if others.issuperset(re.findall(r"[.#]([\w-]+)", selector))
        ]

    assert len(later) > 8
    assert found == []
