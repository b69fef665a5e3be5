"""Every link of every page leads somewhere."""

from pathlib import Path

import pytest

from tests.unit.docs.pages import DOCS, PAGES, ROOT, anchors, links

SHELVES = ("use", "program", "train", "study")
CARDS = tuple(sorted((ROOT / "models").glob("*.md")))


@pytest.mark.parametrize("page", [*PAGES, *CARDS], ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_and_headings_that_a_page_links_to_exist(page: Path) -> None:
    broken = [link for link in links(page) if "://" not in link and not leads_somewhere(page, link)]

    assert not broken


def leads_somewhere(page: Path, link: str) -> bool:
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.exists():
        return False
    if target.suffix == ".md" and anchor:
        return anchor in anchors(target)
    if target.suffix == ".py" and anchor:  # a line of a source file, as concepts.md has them
        return int(anchor.removeprefix("L")) <= len(target.read_text("utf-8").splitlines())
    return True


@pytest.mark.parametrize("shelf", SHELVES)
def test_the_index_of_a_shelf_lists_every_page_in_it(shelf: str) -> None:
    index = ROOT / "docs" / shelf / "index.md"
    listed = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}

    assert not {page for page in index.parent.iterdir() if page.suffix in (".md", ".ipynb")} - listed - {index}


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, ahead = {ROOT / "README.md"}, [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        named = {(page.parent / link.partition("#")[0]).resolve() for link in links(page) if "://" not in link}
        new = {target for target in named if target.suffix == ".md" and target.exists()} - reached
        reached |= new
        ahead += new

    assert not set(DOCS) - reached
