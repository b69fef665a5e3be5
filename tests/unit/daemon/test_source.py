"""What the daemon logs of a camera that is looked for again and again."""

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
