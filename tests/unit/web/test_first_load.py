"""How much a browser loads before it shows the page."""

import gzip
import posixpath
import re

from vitcam.web.page_sources import page_files

PAGE = page_files()
MOST_BYTES = 100_000


def loaded_first() -> set[str]:
    """What index.html names, and all that its modules import before they run."""
    index = "index.html"
    found, waiting = (
        {index},
        re.findall(r'<(?:link|script)[^>]+(?:href|src)="page/([^"]+\.(?:css|js|svg))"', PAGE[index].decode()),
    )
    while waiting:
        name = waiting.pop()
        if name not in found and name.endswith(".js"):
            imported = re.findall(r'^import .*"(\.[^"]+)";$', PAGE[name].decode(), re.MULTILINE)
            waiting += [posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in imported]
        found.add(name)
    return found


def test_the_first_load_with_the_longest_language_is_small() -> None:
    sizes = {name: len(gzip.compress(PAGE[name], 9)) for name in loaded_first()}
    languages = [len(gzip.compress(data, 9)) for name, data in PAGE.items() if re.match(r"language/.*\.json", name)]

    assert len(sizes) > 30
    assert sum(sizes.values()) + max(languages) <= MOST_BYTES
