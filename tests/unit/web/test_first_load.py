"""How much a browser loads before it shows the page."""

import gzip
import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "vitcam/web/page"
MOST_BYTES = 100_000


def loaded_first() -> set[Path]:
    """What index.html names, and all that its modules import before they run."""
    index = PAGE / "index.html"
    named = re.findall(r'<(?:link|script)[^>]+(?:href|src)="page/([^"]+\.(?:css|js|svg))"', index.read_text("utf-8"))
    found, waiting = {index}, [PAGE / name for name in named]
    while waiting:
        path = waiting.pop().resolve()
        if path not in found and path.suffix == ".js":
            names = re.findall(r'^import .*"(\.[^"]+)";$', path.read_text("utf-8"), re.MULTILINE)
            waiting += [path.parent / name for name in names]
        found.add(path)
    return found


def test_the_first_load_with_the_longest_language_is_small() -> None:
    sizes = {path: len(gzip.compress(path.read_bytes(), 9)) for path in loaded_first()}
    languages = [len(gzip.compress(path.read_bytes(), 9)) for path in (PAGE / "language").glob("*.json")]

    assert len(sizes) > 30
    assert sum(sizes.values()) + max(languages) <= MOST_BYTES
