"""Debian's package on a machine whose programs are stand-ins; the tools of dpkg are the real ones."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.refusals import naming
from tests.unit.service.conftest import NO_TIME_S, FakeMachine
from vitcam.access.password import load_password
from vitcam.errors import UsageError
from vitcam.service.install import uninstall
from vitcam.service.package import configure, keep, leave

UNIT = "vitcam.service"


@pytest.fixture
def unpack(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts the package's files there, as dpkg does; its argument is what the daemon does, in the shell's language."""

    def files(start: str = "exit 0") -> None:
        home = machine.places.package
        site = home / "lib/python3.13/site-packages"
        (site / "vitcam-2.0.dist-info").mkdir(parents=True, exist_ok=True)
        (home / "pyvenv.cfg").touch()
        (home / "bin").mkdir(exist_ok=True)
        (home / "bin/vitcam").write_text(f"#!/bin/sh\n{start}\n")
        (home / "bin/vitcam").chmod(0o755)
        (machine.root / "run/systemd/system").mkdir(parents=True, exist_ok=True)
        (machine.places.units / "multi-user.target.wants").mkdir(parents=True, exist_ok=True)

    return files


def _configure(machine: FakeMachine, before: str = "") -> None:
    configure(machine.places, before, machine.told.append, NO_TIME_S)


def test_what_a_checkout_installed_is_replaced_by_the_package(
    installed: FakeMachine, unpack: Callable[[], None]
) -> None:
    unpack()

    _configure(installed)

    places = installed.places
    assert installed.told == ["Installing vitcam and what it needs into /opt/vitcam. This takes some minutes.",
                              "Starting vitcam.service."]  # fmt: skip
    assert not (places.units / UNIT).exists()
    assert (places.units / "multi-user.target.wants" / UNIT).readlink() == Path("/usr/lib/systemd/system", UNIT)
    assert not places.command.is_symlink()
    assert not places.home.is_symlink()
    assert not places.releases.exists()
    assert installed.is_active()
    assert installed.version == "2.0"


def test_a_new_machine_gets_the_service_enabled_and_started(machine: FakeMachine, unpack: Callable[[], None]) -> None:
    unpack()

    _configure(machine)

    assert f"enable {UNIT}" in machine.calls
    assert machine.is_active()
    assert machine.told == []


def test_where_only_instances_were_enabled_the_package_starts_only_these(
    machine: FakeMachine, unpack: Callable[[], None]
) -> None:
    machine.places.config.mkdir(parents=True)
    (machine.places.config / "front.toml").write_text("[web]\nport = 8431\n")
    machine.install(instance="front")
    unpack()

    _configure(machine)

    template = Path("/usr/lib/systemd/system/vitcam@.service")
    assert (machine.places.units / "multi-user.target.wants/vitcam@front.service").readlink() == template
    assert f"enable {UNIT}" not in machine.calls
    assert not machine.is_active()


def test_a_unit_file_of_the_administrator_stays(machine: FakeMachine, unpack: Callable[[], None]) -> None:
    machine.places.units.mkdir(parents=True)
    (machine.places.units / UNIT).write_text("[Service]\nExecStart=/srv/vitcam/run\n")
    unpack()

    _configure(machine)

    assert machine.unit_text() == "[Service]\nExecStart=/srv/vitcam/run\n"


def test_a_package_that_does_not_become_ready_leaves_what_ran_before_and_says_the_way_back(
    installed: FakeMachine, unpack: Callable[[str], None]
) -> None:
    unpack("echo 'vitcam: the camera burns.'; exit 1")

    _configure(installed)

    assert installed.told[-2].endswith("was not ready within a minute: the camera burns.")
    assert installed.told[-1] == (
        "The way back: sudo apt remove vitcam, then sudo /opt/vitcam/bin/vitcam service install"
    )
    assert installed.releases == ["1"]


def test_an_upgrade_that_does_not_become_ready_names_the_package_of_before(
    machine: FakeMachine, unpack: Callable[[str], None]
) -> None:
    unpack("exit 1")
    kept = machine.places.kept_package / "vitcam_1.0~deb13_amd64.deb"
    kept.parent.mkdir(parents=True)
    kept.touch()

    _configure(machine, "1.0~deb13")

    assert machine.told[-1] == f"The way back to 1.0~deb13: sudo apt install --allow-downgrades {kept}"


def test_beside_the_package_a_checkout_neither_installs_nor_upgrades_nor_uninstalls(
    machine: FakeMachine, unpack: Callable[[], None]
) -> None:
    unpack()

    with pytest.raises(UsageError, match=naming("Debian package", "sudo apt remove vitcam")):
        machine.install()
    with pytest.raises(UsageError, match=naming("Debian package", "sudo apt install")):
        machine.upgrade(machine.wheel("3.0"))
    with pytest.raises(UsageError, match=naming("Debian package", "sudo apt remove vitcam")):
        uninstall(machine.places, machine.told.append)

    assert not machine.places.releases.exists()
    assert machine.calls == []


def test_the_packages_own_program_opens_the_service_to_the_network(
    machine: FakeMachine, unpack: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack()
    _configure(machine)
    monkeypatch.setattr(sys, "prefix", str(machine.places.package))

    done = machine.install(lan=True)

    assert (done.version, done.failure) == ("2.0", "")
    assert done.password is not None
    assert load_password(machine.places.states / "vitcam") is not None
    assert not machine.places.home.exists()
    assert not (machine.places.units / UNIT).exists()


def test_a_removal_stops_every_service(machine: FakeMachine, unpack: Callable[[], None]) -> None:
    unpack()
    _configure(machine)

    leave(machine.places, machine.told.append)

    assert not machine.is_active()
    assert (machine.places.units / "multi-user.target.wants" / UNIT).is_symlink()


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs Debian's dpkg")
def test_the_package_that_is_kept_installs_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, root = tmp_path / "tree", tmp_path / "root"
    (tree / "usr/lib/vitcam").mkdir(parents=True)
    (tree / "usr/lib/vitcam/model").write_text("weights")
    (tree / "usr/lib/vitcam/link").symlink_to("model")
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(
        "Package: vitcam\nVersion: 1.0~deb13\nArchitecture: all\nMaintainer: x <x@localhost>\nDescription: a test\n"
    )
    (tree / "DEBIAN/postinst").write_text("#!/bin/sh\nexit 0\n")
    (tree / "DEBIAN/postinst").chmod(0o755)
    first = tmp_path / "first.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, first], check=True)
    (root / "var/lib/dpkg").mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    dpkg = ["dpkg", "--force-not-root", "--force-script-chrootless", f"--root={root}"]
    subprocess.run([*dpkg, "--install", first], check=True)
    status = root / "var/lib/dpkg/status"  # as it is while an upgrade asks the old package's prerm
    status.write_text(status.read_text().replace("ok installed\n", "ok half-configured\nConfig-Version: 1.0~deb13\n"))
    monkeypatch.setenv("DPKG_ROOT", str(root))
    monkeypatch.setenv("DPKG_ADMINDIR", str(root / "var/lib/dpkg"))
    machine = FakeMachine(root)
    (machine.places.kept_package / "vitcam_0.9.deb").parent.mkdir(parents=True)
    (machine.places.kept_package / "vitcam_0.9.deb").touch()

    kept = keep(machine.places)

    assert list(machine.places.kept_package.iterdir()) == [kept]
    assert kept.name == "vitcam_1.0~deb13_all.deb"
    shown = [_shown(deb, kind) for deb in (first, kept) for kind in ("--contents", "--info")]
    assert [line.split()[0::2] for line in shown[0]] == [line.split()[0::2] for line in shown[2]]
    assert [line for line in shown[1] if line.startswith(" V")] == [line for line in shown[3] if line.startswith(" V")]
    assert any("postinst" in line for line in shown[3])


def _shown(deb: Path, kind: str) -> list[str]:
    return subprocess.run(
        ["dpkg-deb", kind, deb], check=True, capture_output=True, text=True, env={"PATH": "/usr/bin:/bin"}
    ).stdout.splitlines()
