"""The time zone of the machine is set while vitcam runs, as on the first day of a Pi."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.daemon import daemon, get_json
from tests.eventually import eventually
from tests.integration.faults.namespaces import wrapped

ZONES = Path("/usr/share/zoneinfo/Etc")
AHEAD = timedelta(hours=12)  # of GMT-12, whose name has the sign of POSIX


def around(moment: datetime) -> str:
    """A span of the day that a rule can have: an hour before and after it."""
    return "-".join(f"{moment + timedelta(hours=hours):%H:%M}" for hours in (-1, 1))


@pytest.mark.fault(
    "the time zone of the machine changes while vitcam runs",
    injected="/etc/localtime leads to another zone, 12 hours ahead",
    observed="rules with `between` and times without an offset follow within a minute; the log says so",
)
def test_a_time_zone_that_changes_is_followed_by_rules_and_by_times_without_an_offset(tmp_path: Path) -> None:
    etc, fired, now = tmp_path / "etc", tmp_path / "fired", datetime.now(UTC)
    localtime = etc / "localtime"
    link = f"ln -sf {ZONES}/UTC {localtime}"
    python = wrapped(tmp_path, f"unset TZ\ncp -a /etc {etc}\n{link}\nmount --bind {etc} /etc", "--mount")
    rules = {"before": around(now), "after": around(now + AHEAD)}
    (tmp_path / "config.toml").write_text(
        "\n".join(
            f'[[on]]\nname = "{name}"\nbetween = "{span}"\ncommand = ["sh", "-c", "echo {name} >> {fired}"]'
            for name, span in rules.items()
        )
    )
    options = ("--source", "demo", "--config", str(tmp_path / "config.toml"))
    with daemon(*options, python=python, STATE_DIRECTORY=str(tmp_path / "state")) as running:
        running.wait_for("ok")
        eventually(fired.exists, 60)
        local = f"{datetime.now(UTC) + AHEAD - timedelta(hours=1):%Y-%m-%dT%H:%M}"
        asked = f"{running.url}/api/events?since={local}"
        in_the_future = get_json(asked)["events"]
        early = set(fired.read_text().split())
        localtime.unlink()
        localtime.symlink_to(ZONES / "GMT-12")
        eventually(lambda: "after" in fired.read_text().split(), 60)
        since_an_hour = get_json(asked)["events"]
        said = running.errors()

    assert early == {"before"}
    assert (in_the_future, bool(since_an_hour)) == ([], True)
    assert "the time zone of this machine has changed" in said
    assert "UTC+1200" in said
