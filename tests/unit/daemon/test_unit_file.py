"""systemd/vitcam.service: systemd reads it as it is meant, and it fits what the daemon promises."""

import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

from tests.parts import need_program
from vitcam.daemon.watchdog import HUNG_AFTER_NS
from vitcam.errors import ConfigError, UsageError

UNIT = Path(__file__).parents[3] / "systemd" / "vitcam.service"


@pytest.fixture(scope="module")
def service() -> dict[str, str]:
    """The keys of [Service]; of one that is repeated, the last."""
    parser = RawConfigParser(strict=False, comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(UNIT)
    return dict(parser["Service"])


def test_systemd_finds_nothing_to_complain_about(tmp_path: Path) -> None:
    copy = tmp_path / "vitcam.service"
    copy.write_text(UNIT.read_text().replace("/opt/vitcam/bin/vitcam", "/bin/true"))
    verified = subprocess.run(
        [need_program("systemd-analyze"), "verify", "--man=no", "--recursive-errors=no", copy],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert verified.stderr == ""
    assert verified.returncode == 0


def test_what_the_service_could_do_to_the_machine_stays_small() -> None:
    judged = subprocess.run(
        [need_program("systemd-analyze"), "security", "--offline=true", "--no-pager", "--threshold=15", UNIT],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert judged.returncode == 0, judged.stdout.splitlines()[-1]


def test_what_another_start_cannot_mend_is_not_started_again(service: dict[str, str]) -> None:
    codes = {int(code) for code in service["RestartPreventExitStatus"].split()}

    assert codes == {UsageError.exit_code, ConfigError.exit_code}
    assert service["Restart"] == "on-failure"


def test_systemd_waits_longer_than_the_daemon_needs_to_tell_what_hangs(service: dict[str, str]) -> None:
    assert service["Type"] == "notify"
    assert int(service["WatchdogSec"]) >= 2 * HUNG_AFTER_NS / 1e9
    assert int(service["TimeoutStopSec"]) > 2
