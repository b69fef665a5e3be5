"""`vitcam service install` and `uninstall` on a machine whose programs are stand-ins."""

import re
import stat
from pathlib import Path

import pytest

from tests.refusals import naming
from tests.unit.service.conftest import FakeMachine
from vitcam import __version__
from vitcam.access.password import load_password
from vitcam.errors import ConfigError, UsageError, VitcamError
from vitcam.service.install import uninstall
from vitcam.service.origin import checkout
from vitcam.service.places import UNIT_FILES, Instance
from vitcam.service.releases import current_release


def test_one_command_installs_enables_and_starts_the_service(machine: FakeMachine) -> None:
    done = machine.install()

    assert (done.version, done.failure, done.fresh) == ("1.0", "", True)
    assert done.address == "http://127.0.0.1:8420"
    assert machine.is_active()
    assert machine.places.home.readlink() == Path("vitcam-releases/1")
    assert machine.unit_text().endswith("# of version 1.0\n")
    assert machine.places.command.readlink() == machine.places.home / "bin/vitcam"
    assert machine.calls.index("daemon-reload") < machine.calls.index("enable vitcam.service")


def test_a_checkout_is_installed_from_a_copy_so_that_root_leaves_nothing_in_it(machine: FakeMachine) -> None:
    folder = checkout()

    done = machine.install(origin=folder)

    release = current_release(machine.places)
    assert done.version == __version__
    assert release is not None
    assert release.origin == folder == Path(__file__).parents[3]
    assert not [name for name in machine.releases if name != "1"]


def test_a_second_installation_changes_nothing_and_restarts_nothing(installed: FakeMachine) -> None:
    done = installed.install()

    assert not done.fresh
    assert installed.releases == ["1"]
    assert not [call for call in installed.calls if call.startswith("restart")]


def test_an_installed_service_that_was_stopped_is_started_again(installed: FakeMachine) -> None:
    (installed.root / "units/vitcam.service").unlink()

    done = installed.install()

    assert done.failure == ""
    assert installed.is_active()


def test_lan_binds_to_the_network_and_makes_a_password_that_is_told_once(machine: FakeMachine) -> None:
    first, second = machine.install(lan=True), machine.install(lan=True)

    kept = load_password(machine.places.states / "vitcam")
    assert first.password is not None
    assert kept is not None
    assert kept.fits(first.password)
    assert second.password is None
    assert re.fullmatch(r"http://(?!127\.|0\.0)[^/]+:8420", first.address)
    assert 'host = "0.0.0.0"' in machine.places.system_config.read_text()


def test_no_password_is_made_where_the_user_lets_everybody_watch(machine: FakeMachine) -> None:
    machine.places.config.mkdir(parents=True)
    machine.places.system_config.write_text("[web]\nopen = true\n")

    assert machine.install(lan=True).password is None


def test_the_password_lies_where_systemd_keeps_the_state_of_a_dynamic_user(machine: FakeMachine) -> None:
    machine.install(lan=True)

    link = machine.places.states / "vitcam"
    assert link.readlink() == Path("private/vitcam")
    assert stat.S_IMODE((link.parent / "private").stat().st_mode) == 0o700
    assert stat.S_IMODE((link / "password").stat().st_mode) == 0o600


def test_a_service_that_does_not_become_ready_says_its_last_sentence(machine: FakeMachine) -> None:
    busy = machine.wheel("1.0", "echo 'INFO starting'; echo 'vitcam: port 8420 is in use already.'; exit 1")

    done = machine.install(origin=busy)

    assert done.failure == "port 8420 is in use already"


def test_a_bad_configuration_is_found_before_a_password_is_made(machine: FakeMachine) -> None:
    machine.places.config.mkdir(parents=True)
    machine.places.system_config.write_text("[web]\nport = 99999\n")

    with pytest.raises(ConfigError, match=r"web\.port is 99999"):
        machine.install(lan=True)

    assert not (machine.places.states / "vitcam").exists()


def test_a_second_camera_is_an_instance_with_its_own_file_port_and_state(machine: FakeMachine) -> None:
    machine.places.config.mkdir(parents=True)
    (machine.places.config / "front.toml").write_text("[web]\nport = 8431\n")

    done = machine.install(lan=True, instance="front")

    assert machine.is_active("vitcam@front.service")
    assert not machine.is_active("vitcam.service")
    assert done.address.endswith(":8431")
    assert load_password(machine.places.states / "vitcam-front") is not None
    assert not machine.places.system_config.exists()


def test_an_instance_without_a_file_is_refused_before_anything_is_installed(machine: FakeMachine) -> None:
    with pytest.raises(ConfigError, match=naming("front.toml", "port")):
        machine.install(instance="front")

    assert machine.version == ""


@pytest.mark.parametrize("name", ["config", "", "../x", "a b", "Front", "front-door", "x" * 33])
def test_an_instance_needs_a_name_that_units_and_files_can_have(name: str) -> None:
    with pytest.raises(UsageError, match="allowed are 1 to 32 small letters"):
        Instance.named(name)


def test_a_folder_that_was_installed_by_hand_becomes_a_release(machine: FakeMachine) -> None:
    machine.install()
    by_hand = machine.root / "by-hand"
    (machine.places.releases / "1").rename(by_hand)
    machine.places.home.unlink()
    by_hand.rename(machine.places.home)

    done = machine.install()

    assert not done.fresh
    assert machine.places.home.readlink() == Path("vitcam-releases/1")
    assert machine.version == "1.0"


def test_a_folder_of_somebody_else_is_never_moved_nor_removed(machine: FakeMachine) -> None:
    (machine.places.home / "thesis").mkdir(parents=True)

    for command in (machine.install, lambda: uninstall(machine.places, machine.told.append)):
        with pytest.raises(UsageError, match="is not a virtual environment of vitcam; move it away"):
            command()

    assert (machine.places.home / "thesis").is_dir()


def test_uninstalling_removes_programs_and_units_and_keeps_what_is_the_users(installed: FakeMachine) -> None:
    installed.install(lan=True)

    units = uninstall(installed.places, installed.told.append)

    places = installed.places
    assert units == ["vitcam.service"]
    assert not installed.is_active()
    assert not any((places.units / name).exists() for name in UNIT_FILES)
    assert not places.home.is_symlink()
    assert not places.command.is_symlink()
    assert not places.releases.exists()
    assert places.system_config.exists()
    assert load_password(places.states / "vitcam") is not None


def test_a_command_of_that_name_that_is_not_ours_stays(machine: FakeMachine) -> None:
    machine.places.command.parent.mkdir(parents=True)
    machine.places.command.write_text("#!/bin/sh\n")
    machine.install()

    uninstall(machine.places, machine.told.append)

    assert machine.places.command.read_text() == "#!/bin/sh\n"


def test_uninstalling_twice_is_no_error(installed: FakeMachine) -> None:
    uninstall(installed.places, installed.told.append)

    assert uninstall(installed.places, installed.told.append) == []


def test_without_systemctl_one_sentence_says_what_to_do(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    with pytest.raises(VitcamError, match="no program systemctl; start vitcam by hand"):
        uninstall(machine.places, machine.told.append)
