"""What Avahi is told of the page, and what becomes of its files."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.unit.service.conftest import FakeMachine
from vitcam.config.identity import Identity
from vitcam.config.web import WebSettings
from vitcam.service.announce import announce, announcement
from vitcam.service.install import uninstall
from vitcam.service.places import Instance

OPEN = WebSettings(host="0.0.0.0")


WHO = Identity("vitcam_kitchen", "1a2b3c4d", "kitchen")
CAMERA = ["id=vitcam_kitchen", "serial=1a2b3c4d"]


def parsed(
    web: WebSettings, instance: str = "", version: str = "1.0", identity: Identity = WHO
) -> dict[str, list[str]]:
    """Element -> its texts."""
    text = announcement(Instance(instance), web, version, identity)
    assert text is not None
    root = ET.fromstring(text)
    return {element.tag: [found.text or "" for found in root.iter(element.tag)] for element in root.iter()}


@pytest.fixture
def folder(machine: FakeMachine) -> Path:
    """Where Avahi reads, on a machine that has it."""
    machine.places.announcements.mkdir(parents=True)
    return machine.places.announcements


def test_it_says_port_path_version_and_name_and_no_secret() -> None:
    web = WebSettings(host="0.0.0.0", port=8431, base="/cameras/front/")

    told = parsed(web, "front")

    assert told["name"] == ["vitcam front on %h"]
    assert (told["type"], told["port"]) == (["_http._tcp", "_vitcam._tcp"], ["8431", "8431"])
    page, place = ["path=/cameras/front/", "version=1.0", "name=front"], ["path=/cameras/front/", "version=1.0"]
    assert told["txt-record"] == [*page, *place, "name=kitchen", *CAMERA, "port=8431", "tls=0"]


def test_a_page_with_a_certificate_is_https() -> None:
    told = parsed(WebSettings(host="::", certificate="/c.pem"))

    assert told["type"] == ["_https._tcp", "_vitcam._tcp"]
    assert "tls=1" in told["txt-record"]


@pytest.mark.parametrize(
    "web",
    [
        WebSettings(),
        WebSettings(host="127.0.0.2"),
        WebSettings(host="localhost"),
        WebSettings(host="0.0.0.0", port=0),
        WebSettings(host="0.0.0.0", enabled=False),
        WebSettings(host="0.0.0.0", announce=False),
    ],
)
def test_a_page_that_others_cannot_reach_or_that_is_not_to_be_told_is_not(web: WebSettings) -> None:
    assert announcement(Instance(), web, "1.0", WHO) is None


def test_hostile_texts_stay_texts() -> None:
    evil = "</txt-record></service><service>&amp;"

    told = parsed(WebSettings(host="0.0.0.0", base=f"/{evil}"), evil, evil, Identity(evil, evil, evil))

    assert told["name"] == [f"vitcam {evil} on %h"]
    assert told["txt-record"][:3] == [f"path=/{evil}/", f"version={evil}", f"name={evil}"]
    assert told["txt-record"][3:] == [*told["txt-record"][:3], f"id={evil}", f"serial={evil}", "port=8420", "tls=0"]
    assert len(told["service"]) == 2


def test_a_text_that_is_too_long_for_dns_is_left_out() -> None:
    told = parsed(OPEN, version="1" * 300)["txt-record"]

    assert told == ["path=/", "path=/", "name=kitchen", *CAMERA, "port=8420", "tls=0"]


def test_lan_announces_and_a_service_for_this_machine_alone_does_not(machine: FakeMachine, folder: Path) -> None:
    alone = machine.install()
    nothing = list(folder.iterdir())
    shared = machine.install(lan=True)

    assert (alone.name, nothing) == ("", [])
    assert re.fullmatch(r"[^.]+\.local", shared.name)
    assert "<port>8420</port>" in (folder / "vitcam.service").read_text()


def test_each_camera_has_a_file_of_its_own(machine: FakeMachine, folder: Path) -> None:
    machine.places.config.mkdir(parents=True)
    for name, port in (("front", 8431), ("back", 8432)):
        (machine.places.config / f"{name}.toml").write_text(f'[web]\nhost = "0.0.0.0"\nport = {port}\n')
        assert announce(machine.places, Instance(name), "1.0")

    assert {path.name for path in folder.iterdir()} == {"vitcam-front.service", "vitcam-back.service"}
    assert "<port>8432</port>" in (folder / "vitcam-back.service").read_text()


def test_it_follows_the_settings(machine: FakeMachine, folder: Path) -> None:
    machine.places.config.mkdir(parents=True)
    told = []
    for more in ("", "port = 9000", "announce = false"):
        machine.places.system_config.write_text(f'[web]\nhost = "0.0.0.0"\n{more}\n')
        announce(machine.places, Instance(), "1.0")
        told += [path.read_text() for path in folder.iterdir()]

    assert [re.findall(r"<port>(\d+)<", text) for text in told] == [["8420", "8420"], ["9000", "9000"]]


def test_an_upgrade_says_the_new_version_and_a_failed_one_the_old(machine: FakeMachine, folder: Path) -> None:
    machine.install(lan=True)
    machine.upgrade(machine.wheel("2.0"))
    newer = (folder / "vitcam.service").read_text()
    with pytest.raises(Exception, match=r"vitcam 2\.0 is back"):
        machine.upgrade(machine.wheel("3.0", "echo 'vitcam: no.'; exit 1"))

    assert "version=2.0<" in newer
    assert (folder / "vitcam.service").read_text() == newer


def test_uninstalling_takes_its_own_files_away_and_no_others(machine: FakeMachine, folder: Path) -> None:
    machine.install(lan=True)
    (folder / "vitcam-mine.service").write_text("<service-group/>")
    (folder / "ssh.service").write_text("<service-group/>")

    uninstall(machine.places, machine.told.append)

    assert {path.name for path in folder.iterdir()} == {"vitcam-mine.service", "ssh.service"}


def test_a_file_of_somebody_else_with_that_name_stays(machine: FakeMachine, folder: Path) -> None:
    _open_to_the_network(machine)
    (folder / "vitcam.service").write_text("<service-group/>")

    assert not announce(machine.places, Instance(), "1.0")
    assert (folder / "vitcam.service").read_text() == "<service-group/>"


def test_without_avahi_nothing_is_written(machine: FakeMachine) -> None:
    _open_to_the_network(machine)

    assert not announce(machine.places, Instance(), "1.0")
    assert not machine.places.announcements.exists()


def _open_to_the_network(machine: FakeMachine) -> None:
    machine.places.config.mkdir(parents=True)
    machine.places.system_config.write_text('[web]\nhost = "0.0.0.0"\n')


def test_a_file_that_cannot_be_written_is_told_and_stops_nothing(machine: FakeMachine, folder: Path) -> None:
    (folder / ".vitcam.service.new").mkdir()  # as a full disk

    done = machine.install(lan=True)

    assert (done.failure, done.name) == ("", "")
    assert any("vitcam.service.new" in sentence for sentence in machine.told)
    assert machine.is_active()
