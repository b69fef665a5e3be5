"""Which folders a backup carries."""

from pathlib import Path

import pytest

from vitcam.parts.backup import places
from vitcam.parts.backup.places import CarriedFolder, ChosenFolders, carried_folders, has_service, service_instances

HOME = {"HOME": "/home/ann"}


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which services keep their state, /var/lib elsewhere."""
    monkeypatch.setattr(places, "_SERVICES_KEEP", tmp_path)
    return tmp_path


def folders(found: tuple[CarriedFolder, ...]) -> dict[str, str]:
    return {each.name: str(each.folder) for each in found}


def test_a_user_has_folders_below_the_home_and_the_configuration_of_the_system() -> None:
    found = carried_folders(ChosenFolders(), HOME, service=False)

    assert folders(found) == {
        "config": "/home/ann/.config/vitcam",
        "state": "/home/ann/.local/state/vitcam",
        "data": "/home/ann/.local/share/vitcam",
        "system": "/etc/vitcam",
    }
    assert [each.name for each in found if each.optional] == ["system"]


def test_the_service_has_its_own_folders_and_one_for_each_instance(services: Path) -> None:
    for name in ("private", "vitcam-front", "vitcam-back", "other"):
        (services / name).mkdir()
    (services / "private" / "vitcam").mkdir()
    (services / "vitcam").symlink_to("private/vitcam")  # as systemd does for DynamicUser=

    found = carried_folders(ChosenFolders(), HOME, service=True, instances=service_instances())

    assert has_service()
    assert folders(found) == {
        "config": "/etc/vitcam",
        "state": str(services / "private" / "vitcam"),
        "state-back": str(services / "vitcam-back"),
        "state-front": str(services / "vitcam-front"),
    }


def test_the_name_of_an_instance_in_an_archive_cannot_lead_elsewhere(services: Path) -> None:
    names = ("state-front", "state-", "state-..", "state-/etc", "state-a/b", "stateful", "state-\n", "zones")

    found = carried_folders(ChosenFolders(), HOME, service=True, instances=names)

    assert set(folders(found)) == {"config", "state", "state-front"}
    assert not has_service()


def test_a_folder_that_is_named_takes_the_place_of_the_usual_ones() -> None:
    chosen = ChosenFolders(Path("/c"), Path("/s"))

    user = carried_folders(chosen, HOME, service=False)
    service = carried_folders(chosen, HOME, service=True, instances=["state-front"])

    assert folders(user) == {"config": "/c", "state": "/s", "data": "/home/ann/.local/share/vitcam"}
    assert folders(service) == {"config": "/c", "state": "/s"}


def test_a_user_without_a_home_has_no_folders_of_the_own() -> None:
    assert folders(carried_folders(ChosenFolders(), {}, service=False)) == {"system": "/etc/vitcam"}
