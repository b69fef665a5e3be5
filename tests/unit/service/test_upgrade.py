"""`vitcam service upgrade` on a machine whose programs are stand-ins: the new version, or the way back."""

import fcntl
import os
import re
import signal
import sys

import pytest

from tests.refusals import naming
from tests.unit.service.conftest import FakeMachine
from vitcam import __version__
from vitcam.errors import UsageError, VitcamError
from vitcam.service.origin import checkout

FAILS = "echo 'INFO model everyday'; echo 'vitcam: the new setting is missing.'; exit 78"


def test_an_upgrade_replaces_version_and_units_and_restarts(installed: FakeMachine) -> None:
    done = installed.upgrade(installed.wheel("2.0"))

    assert (done.old, done.new, done.units) == ("1.0", "2.0", ("vitcam.service",))
    assert installed.version == "2.0"
    assert installed.unit_text().endswith("# of version 2.0\n")
    assert installed.calls.index("daemon-reload") < installed.calls.index("restart vitcam.service")


def test_a_version_that_does_not_become_ready_is_taken_back_with_its_own_words(installed: FakeMachine) -> None:
    with pytest.raises(VitcamError) as raised:
        installed.upgrade(installed.wheel("2.0", FAILS))

    assert re.match(naming("vitcam 2.0", "the new setting is missing", "vitcam 1.0 is back"), str(raised.value))
    assert raised.value.exit_code == 1
    assert installed.version == "1.0"
    assert installed.is_active()
    assert installed.unit_text().endswith("# of version 1.0\n")
    assert installed.releases == ["1"]


def test_a_stack_without_a_sentence_is_told_by_its_last_line(installed: FakeMachine) -> None:
    crash = "echo 'Traceback (most recent call last):'; echo 'ImportError: no cv2'; exit 1"

    with pytest.raises(VitcamError, match="did not become ready: ImportError: no cv2; "):
        installed.upgrade(installed.wheel("2.0", crash))


def test_a_version_that_ends_in_silence_is_told_by_its_exit_status(installed: FakeMachine) -> None:
    with pytest.raises(VitcamError, match="ready: it ended with exit status 3 and said nothing; "):
        installed.upgrade(installed.wheel("2.0", "exit 3"))


def test_an_old_version_that_fails_as_well_is_told_too(installed: FakeMachine) -> None:
    (installed.places.home / "bin/vitcam").write_text("#!/bin/sh\necho 'vitcam: no disk'; exit 1\n")

    with pytest.raises(VitcamError, match="is back, but does not become ready either: no disk"):
        installed.upgrade(installed.wheel("2.0", FAILS))

    assert installed.version == "1.0"


@pytest.mark.parametrize(
    ("wheel", "said"),
    [
        ("damaged", r"pip could not install it: Wheel 'vitcam' located at \S+ is invalid; nothing was changed"),
        ("full", r"No space left on device; nothing was changed"),
        ("foreign", r"vitcam is not in it; name a wheel or a folder of vitcam"),
    ],
)
def test_what_cannot_be_installed_changes_nothing(installed: FakeMachine, wheel: str, said: str) -> None:
    with pytest.raises(VitcamError, match=said):
        installed.upgrade(installed.wheel(wheel))

    assert installed.version == "1.0"
    assert installed.releases == ["1"]
    assert not [call for call in installed.calls if call.startswith("restart")]


def test_a_version_whose_command_cannot_start_is_found_before_the_switch(installed: FakeMachine) -> None:
    with pytest.raises(VitcamError, match=naming("vitcam mute", "broken", "nothing was changed")):
        installed.upgrade(installed.wheel("mute"))

    assert installed.version == "1.0"


def test_a_disk_that_fills_while_units_are_written_brings_the_old_version_back(installed: FakeMachine) -> None:
    blocked = installed.places.units / ".vitcam.service.new"
    blocked.mkdir()  # as a full disk: the new unit file cannot be written

    with pytest.raises(OSError, match=r"vitcam\.service\.new"):
        installed.upgrade(installed.wheel("2.0"))

    assert installed.version == "1.0"
    assert installed.releases == ["1"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_an_upgrade_that_is_interrupted_leaves_the_old_version_running(installed: FakeMachine, number: int) -> None:
    wheel = installed.wheel("2.0", f"kill -{number} {os.getpid()}; exec sleep 5")

    with pytest.raises(KeyboardInterrupt):
        installed.upgrade(wheel)

    assert installed.version == "1.0"
    assert installed.is_active()
    assert installed.releases == ["1"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_every_camera_is_restarted_and_one_that_fails_brings_all_back(installed: FakeMachine) -> None:
    (installed.places.config / "front.toml").write_text("[web]\nport = 8431\n")
    installed.install(instance="front")
    picky = '[ "$2" = vitcam.service ] || { echo "vitcam: no front"; exit 1; }'

    with pytest.raises(VitcamError, match=r"vitcam@front\.service: no front; .* and runs"):
        installed.upgrade(installed.wheel("2.0", picky))

    assert installed.is_active("vitcam.service")
    assert installed.is_active("vitcam@front.service")
    assert installed.upgrade(installed.wheel("2.1")).units == ("vitcam.service", "vitcam@front.service")


def test_settings_and_password_stay_through_an_upgrade(installed: FakeMachine) -> None:
    installed.install(lan=True)
    kept = [installed.places.system_config, installed.places.states / "vitcam/password"]
    before = [path.read_text() for path in kept]

    installed.upgrade(installed.wheel("2.0"))

    assert [path.read_text() for path in kept] == before


def test_only_the_version_in_use_and_the_one_before_it_take_space(installed: FakeMachine) -> None:
    for version in ("2.0", "3.0", "4.0"):
        installed.upgrade(installed.wheel(version))

    assert installed.releases == ["3", "4"]


def test_without_an_argument_the_version_that_runs_is_installed(installed: FakeMachine) -> None:
    installed.upgrade(installed.wheel("2.0"))

    assert installed.upgrade(None).new == __version__


def test_an_installed_version_is_upgraded_from_the_folder_that_it_came_from(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install(origin=checkout())
    monkeypatch.setattr(sys, "prefix", str(machine.places.home))  # as where /opt/vitcam/bin/vitcam runs

    machine.upgrade(None)

    assert machine.version == __version__
    assert machine.releases == ["1", "2"]


def test_an_installed_version_that_came_from_a_wheel_asks_for_another_one(
    installed: FakeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(installed.places.home))

    with pytest.raises(UsageError, match="name what to install: sudo vitcam service upgrade"):
        installed.upgrade(None)


@pytest.mark.parametrize(("given", "said"), [("nowhere.whl", "is not there"), ("usr", "is neither a wheel nor")])
def test_what_is_no_vitcam_is_refused_by_its_name(installed: FakeMachine, given: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        installed.upgrade(installed.root / given)


def test_an_upgrade_of_nothing_says_how_to_install(machine: FakeMachine) -> None:
    with pytest.raises(UsageError, match="install it: sudo vitcam service install"):
        machine.upgrade(machine.wheel("2.0"))


def test_two_commands_never_change_the_service_at_once(installed: FakeMachine) -> None:
    with installed.places.lock.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        with pytest.raises(VitcamError, match="another `vitcam service` command is at work"):
            installed.upgrade(installed.wheel("2.0"))

    assert installed.version == "1.0"
