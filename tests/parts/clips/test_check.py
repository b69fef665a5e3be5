"""`vitcam doctor` on clips."""

from dataclasses import replace

import pytest

from vitcam.config.settings import ClipSettings
from vitcam.doctor.check import CheckContext
from vitcam.doctor.machine import clips


def switched_on(context: CheckContext) -> CheckContext:
    return replace(context, settings=replace(context.settings, clips=ClipSettings(enabled=True)))


def test_clips_that_are_off_need_no_program(context: CheckContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert clips(context).status == "ok"


def test_clips_that_are_on_name_the_program_that_encodes_them(context: CheckContext) -> None:
    finding = clips(switched_on(context))

    assert finding.status == "ok"
    assert finding.found.endswith("/ffmpeg")


def test_a_missing_ffmpeg_is_a_warning_with_the_command_that_installs_it(
    context: CheckContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    finding = clips(switched_on(context))

    assert finding.status == "warn"
    assert finding.fix == "sudo apt install ffmpeg"
