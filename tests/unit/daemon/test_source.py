"""What the daemon logs of a camera that is looked for again and again."""

import subprocess
import sys

import pytest

from vitcam.daemon import source
from vitcam.daemon.source import SourceOpener
from vitcam.sources import SourceOptions
from vitcam.sources.demo import DemoInRam


def test_a_libcamera_that_keeps_crashing_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def default_uri(on_trouble: object) -> str:
        assert callable(on_trouble)
        on_trouble("libcamera crashed (signal 6); /dev/video0 is used instead")
        return "demo:ram"

    monkeypatch.setattr(source, "default_uri", default_uri)
    open_again = SourceOpener("", SourceOptions())
    sources = [open_again() for _ in range(3)]

    assert all(isinstance(source, DemoInRam) for source in sources)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


IMPORTS_MEANWHILE = """
import sys, threading
from vitcam.daemon.source import imported_meanwhile

with imported_meanwhile(sys.argv[1]):
    pass
print("av" in sys.modules, [thread.name for thread in threading.enumerate()])
"""


@pytest.mark.parametrize(
    ("uri", "imported"), [("demo", True), ("picamera", False), ("", False), ("no/such.mp4", False)]
)
def test_what_a_film_needs_is_imported_beside_the_model_and_before_the_source_is_opened(
    uri: str, imported: bool
) -> None:
    command = [sys.executable, "-c", IMPORTS_MEANWHILE, uri]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout == f"{imported} ['MainThread']\n"
    assert done.stderr == ""
