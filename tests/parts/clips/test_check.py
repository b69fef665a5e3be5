"""Whether a machine can make clips: `vitcam doctor`, and the page that switches them on."""

from pathlib import Path

import pytest

from vitcam.config.settings import Settings
from vitcam.doctor.check import CheckContext
from vitcam.errors import UsageError
from vitcam.machine import Machine
from vitcam.parts.clips.checks import clips, refuse_without_encoder
from vitcam.parts.clips.settings import ClipSettings


def context(folder: Path, enabled: bool) -> CheckContext:
    return CheckContext(Settings().with_section("clips", ClipSettings(enabled=enabled)), Machine({}, folder))


def test_clips_that_are_off_need_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert clips(context(tmp_path, enabled=False)).status == "ok"


def test_clips_that_are_on_name_the_program_that_encodes_them(tmp_path: Path) -> None:
    finding = clips(context(tmp_path, enabled=True))

    assert finding.status == "ok"
    assert finding.found.endswith("/ffmpeg")


def test_a_missing_ffmpeg_is_a_warning_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    finding = clips(context(tmp_path, enabled=True))

    assert finding.status == "warn"
    assert finding.fix == "sudo apt install ffmpeg"


def test_without_ffmpeg_the_page_cannot_switch_clips_on_and_can_set_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    refuse_without_encoder({"clips.enabled": False, "clips.fps": 5})

    with pytest.raises(UsageError, match="clips need the program ffmpeg, and it is not installed"):
        refuse_without_encoder({"clips.enabled": True})
