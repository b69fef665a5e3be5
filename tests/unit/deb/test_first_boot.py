"""The script of a card's first boot neither loses the password nor leaves it; apt and the service are stand-ins.

tests/deb/machine.sh boots a machine with it.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "examples" / "first-boot" / "vendor-data"
PASSWORD = "nuthatch-and-wren"
PROGRAMS = {
    "dpkg": "echo arm64",
    "hostname": "echo birdhouse",
    "apt-get": 'test "$1" != install || exit "$APT"',
    "vitcam": 'test "$1" = password || exit "$LAN"; test "$DISK" = 0 && exec "$PYTHON" -m vitcam "$@"; exit "$DISK"',
}


class Card:
    """A boot partition and the machine around it."""

    def __init__(self, folder: Path, typed: str | None) -> None:
        self._folder = folder
        self.state = folder / "state" / "vitcam"
        self.settings = folder / "firmware" / "vitcam.txt"
        for name in ("firmware", "bin", "state/vitcam"):
            (folder / name).mkdir(parents=True)
        (folder / "os-release").write_text('VERSION_ID="13"\n')
        for name, does in PROGRAMS.items():
            program = folder / "bin" / name
            program.write_text(f"#!/bin/sh\n{does}\n")
            program.chmod(0o755)
        if typed is not None:
            self.settings.write_text(f"password={typed}\r\n")
        self.put_package()

    def put_package(self, count: int = 1) -> None:
        """There are this many packages from now on."""
        for package in (self._folder / "firmware").glob("*.deb"):
            package.unlink()
        for number in range(count):
            (self._folder / "firmware" / f"vitcam_0.{number}~deb13_arm64.deb").touch()

    def boot(self, **exits: int) -> tuple[int, str]:
        """Exit code, and what stands above the login. exits: codes of apt, of the service and of a broken disk"""
        script = SCRIPT.read_text()
        for place in ("/boot/firmware", "/etc/issue.d", "/etc/os-release", "/dev/console"):
            script = script.replace(place, str(self._folder / place.rpartition("/")[2]))
        script = script.replace("/var/lib/vitcam", str(self.state))
        environ = {"PATH": f"{self._folder}/bin:{os.environ['PATH']}", "PYTHON": sys.executable}
        environ |= {"XDG_STATE_HOME": str(self._folder / "state"), "PYTHONPATH": str(SCRIPT.parents[2])}
        environ |= {name: str(exits.get(name.lower(), 0)) for name in ("APT", "LAN", "DISK")}
        done = subprocess.run(["sh", "-c", script], env=environ, capture_output=True, text=True, timeout=120)
        return done.returncode, (self._folder / "issue.d" / "vitcam.issue").read_text()


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path, PASSWORD)


def test_a_password_that_is_taken_does_not_stay_on_the_card(card: Card) -> None:
    code, said = card.boot()

    assert (code, card.settings.exists()) == (0, False)
    assert "http://birdhouse.local:8420" in said
    assert (card.state / "password").exists()


@pytest.mark.parametrize("packages", [0, 1, 2])
def test_what_fails_before_vitcam_has_the_password_leaves_it_and_says_so_and_a_second_try_takes_it(
    card: Card, packages: int
) -> None:
    card.put_package(packages)
    code, said = card.boot(apt=100)
    assert (code, card.settings.exists()) == (1, True)
    assert "vitcam.txt and its password stay on the card" in said
    assert f"sudo sh {card.settings.with_name('vendor-data')}" in said

    card.put_package()
    code, said = card.boot()
    assert (code, card.settings.exists()) == (0, False)
    assert "stay on the card" not in said


def test_a_password_that_cannot_be_kept_stays_on_the_card(card: Card) -> None:
    code, said = card.boot(disk=1)

    assert (code, card.settings.exists()) == (1, True)
    assert "vitcam.txt and its password stay on the card" in said


def test_a_password_that_is_refused_does_not_stay_and_the_page_stays_closed(tmp_path: Path) -> None:
    card = Card(tmp_path, "short")
    code, said = card.boot()

    assert (code, card.settings.exists()) == (0, False)
    assert "the password was refused" in said
    assert "8420 (user" not in said


def test_a_service_that_does_not_open_is_not_said_to_be_a_refused_password(card: Card) -> None:
    _, said = card.boot(lan=1)

    assert not card.settings.exists()
    assert "refused" not in said
    assert "sudo vitcam service install --lan" in said


def test_without_a_file_nothing_is_said_to_stay(tmp_path: Path) -> None:
    card = Card(tmp_path, None)

    assert "stay on the card" not in card.boot(apt=100)[1]
    code, said = card.boot()
    assert code == 0
    assert "only this machine can open" in said


def test_without_a_folder_to_keep_it_in_the_password_stays(card: Card) -> None:
    card.state.rmdir()
    code, said = card.boot()

    assert (code, card.settings.exists()) == (1, True)
    assert "the service did not start" in said
