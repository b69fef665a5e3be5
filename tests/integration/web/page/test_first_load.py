"""What a browser loads of a real daemon until a viewer sees the first picture."""

import gzip
from pathlib import Path

from tests.daemon import daemon
from tests.integration.web.browser import bytes_of, open_browser
from tests.integration.web.page.test_page import picture_width, wait
from vitcam.names.languages import LANGUAGES, ORIGINAL
from vitcam.web.page_sources import page_files

MOST_BYTES = 100_000
_PICTURES = ("/stream", "/snapshot.jpg", "/frame.jpg")


def test_the_first_load_is_small_with_all_headers(tmp_path: Path) -> None:
    """All but the camera's pictures. The thousand labels of the model come once somebody sees a list of them."""
    slowly = ("--set", "camera.fps=5")
    with (
        daemon("--source", "demo", "--loop", *slowly, STATE_DIRECTORY=str(tmp_path / "state")) as running,
        open_browser(tmp_path / "profile", look="", listens=True) as chrome,
    ):
        running.wait_for("ok")
        chrome.get(running.url)
        wait(chrome, lambda: picture_width(chrome) > 100)
        loaded = {
            address.removeprefix(running.url): size
            for address, size in bytes_of(chrome).items()
            if address.startswith(running.url) and not any(name in address for name in _PICTURES)
        }
        chrome.execute_script("document.querySelector('#looks input[value=expert]').click()")
        chrome.execute_script("document.getElementById('model-labels').open = true")
        wait(chrome, lambda: "tabby cat" in chrome.execute_script(_LABELS))
        later = {address.removeprefix(running.url) for address in bytes_of(chrome)}

    assert "/page/app.js" in loaded
    assert ("/api/model" in loaded, "/api/model" in later) == (False, True)
    assert sum(loaded.values()) + longest_catalogue() <= MOST_BYTES, sorted(loaded.items(), key=lambda each: -each[1])


def longest_catalogue() -> int:
    """By how many bytes those of another language, of words and of names of labels, are longer than the English one."""
    sizes = {name: len(gzip.compress(data)) for name, data in page_files().items()}
    of_each = [sizes[f"language/{code}.json"] + sizes.get(f"labels/names.{code}.json", 0) for code in LANGUAGES]
    return max(of_each) - sizes[f"language/{ORIGINAL}.json"]


_LABELS = "return document.querySelector('#model-labels p').textContent"
