"""By what a household tells one camera from another."""

from pathlib import Path

import pytest

from vitcam.config.identity import Identity
from vitcam.config.load import load
from vitcam.machine import Machine

ONE = Path("/var/lib/vitcam")


def machine(root: Path, number: str = "") -> Machine:
    tree = root / "proc" / "device-tree"
    tree.mkdir(parents=True)
    (tree / "serial-number").write_text(f"{number}\0")
    return Machine({}, root)


def identity(machine: Machine, folder: Path = ONE, name: str = "") -> Identity:
    return Identity.of(load(None, (), {}, {"VITCAM_MQTT_NAME": name}).settings, folder, machine)


def test_a_copied_card_has_the_same_id_and_another_serial(tmp_path: Path) -> None:
    first, second = (identity(machine(tmp_path / number, number), name="garden") for number in ("10000a", "10000b"))

    assert (first.id, first.name) == (second.id, second.name) == ("vitcam_garden", "garden")
    assert first.serial != second.serial


def test_two_cameras_of_a_machine_are_told_apart_and_each_stays_the_same(tmp_path: Path) -> None:
    pi = machine(tmp_path, "10000a")
    front, back = (identity(pi, Path(f"/var/lib/vitcam-{name}")) for name in ("front", "back"))

    assert (front.name, back.name, front.serial == back.serial) == ("front", "back", False)
    assert identity(pi, Path("/var/lib/private/vitcam-front")) == front  # as the service itself sees its folder


def test_a_camera_without_a_name_is_called_as_its_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "pi5.example.org")

    found = identity(machine(tmp_path))

    assert (found.id, found.name) == ("vitcam_pi5", "pi5")


def test_a_pc_is_told_by_a_network_card_that_is_built_in_else_by_its_system(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "machine-id").write_text("8d0c\n")
    pc = Machine({}, tmp_path)
    by_system = pc.hardware_id
    for name, address in (("veth1", "02:00"), ("enp3s0", "a4:bb")):
        (tmp_path / "sys" / "class" / "net" / name).mkdir(parents=True)
        (tmp_path / "sys" / "class" / "net" / name / "address").write_text(f"{address}\n")
    (tmp_path / "sys" / "class" / "net" / "enp3s0" / "device").mkdir()

    assert (by_system, pc.hardware_id) == ("8d0c", "a4:bb")
