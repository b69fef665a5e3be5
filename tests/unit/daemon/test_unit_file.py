"""The units in systemd/: systemd reads them as they are meant, and they fit what the daemon promises."""

import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

from tests.needs import need_program
from vitcam.daemon.watchdog import HUNG_AFTER_NS
from vitcam.errors import ConfigError, UsageError
from vitcam.service.places import UNIT_FILES
from vitcam.service.units import for_machine

FOLDER = Path(__file__).parents[3] / "systemd"
UNIT, TEMPLATE = FOLDER / "vitcam.service", FOLDER / "vitcam@.service"
both = pytest.mark.parametrize("unit", [UNIT, TEMPLATE], ids=lambda path: path.name)


@pytest.fixture(scope="module")
def service() -> dict[str, str]:
    """The keys of [Service]; of one that is repeated, the last."""
    parser = RawConfigParser(strict=False, comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT)
    return dict(parser["Service"])


@both
def test_systemd_finds_nothing_to_complain_about(unit: Path, tmp_path: Path) -> None:
    copy = tmp_path / unit.name.replace("@", "@front")
    copy.write_text(unit.read_text().replace("/opt/vitcam/bin/vitcam", "/bin/true"))
    verified = subprocess.run(
        [need_program("systemd-analyze"), "verify", "--man=no", "--recursive-errors=no", copy],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert verified.stderr == ""
    assert verified.returncode == 0


@both
def test_what_the_service_could_do_to_the_machine_stays_small(unit: Path) -> None:
    judged = subprocess.run(
        [need_program("systemd-analyze"), "security", "--offline=true", "--no-pager", "--threshold=13", unit],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert judged.returncode == 0, judged.stdout.splitlines()[-1]


def test_the_template_differs_from_the_unit_only_in_what_belongs_to_one_camera() -> None:
    one, several = (path.read_text().splitlines() for path in (UNIT, TEMPLATE))
    several = [line for line in several if not line.startswith("#")]

    differing = [line for line in several if line not in one]

    assert [line for line in one if not line.startswith("#") and line not in several] == [
        "Description=vitcam, a camera that says what it sees",
        "ExecStart=/opt/vitcam/bin/vitcam run",
        "StateDirectory=vitcam",
    ]
    assert differing == [
        "Description=vitcam, a camera that says what it sees (%i)",
        "ExecStart=/opt/vitcam/bin/vitcam run --config /etc/vitcam/%i.toml",
        "StateDirectory=vitcam-%i",
    ]


def test_the_folder_holds_the_units_that_an_installation_writes() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(UNIT_FILES)


def test_what_another_start_cannot_mend_is_not_started_again(service: dict[str, str]) -> None:
    codes = {int(code) for code in service["RestartPreventExitStatus"].split()}

    assert codes == {UsageError.exit_code, ConfigError.exit_code}
    assert service["Restart"] == "on-failure"


def test_systemd_waits_longer_than_the_daemon_needs_to_tell_what_hangs(service: dict[str, str]) -> None:
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) >= 2 * HUNG_AFTER_NS / 1e9
    assert int(service["TimeoutStopSec"]) > 2


@both
def test_the_group_of_the_pins_is_named_only_on_a_machine_that_has_it(unit: Path) -> None:
    text = unit.read_bytes()

    assert for_machine(text, pins=False) == text
    assert b"\nSupplementaryGroups=video\n" in text
    assert for_machine(text, pins=True).splitlines().count(b"SupplementaryGroups=video gpio") == 1
