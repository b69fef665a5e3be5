"""What a browser loads of a real daemon until a viewer sees the first picture."""

from pathlib import Path

from tests.daemon import daemon
from tests.integration.web.browser import bytes_of, open_browser
from tests.integration.web.page.test_page import picture_width, wait

MOST_BYTES = 100_000
_PICTURES = ("/stream", "/snapshot.jpg", "/frame.jpg")
_MODEL = "/api/model"
"""As large as the model: the everyday one has a thousand names and their groups, 17 kB."""


def test_the_first_load_is_small_with_all_headers(tmp_path: Path) -> None:
    """All but what is as large as the camera's pictures and the model."""
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

    assert 0 < loaded.pop(_MODEL) < 20_000
    assert "/page/app.js" in loaded
    assert sum(loaded.values()) <= MOST_BYTES, sorted(loaded.items(), key=lambda each: -each[1])
