"""What was set on the page says how long events are kept; where that cannot be read, none is deleted for its age."""

import time
from pathlib import Path

import pytest

from tests.daemon import Daemon, answer_to, daemon, get_json, status_of
from tests.eventually import eventually
from tests.histories import change
from vitcam.history.store import EventStore

OLD = 8  # fewer than may be deleted within an hour
OLD_DAYS = 60
DEMO = ("--source", "demo", "--model", "cifar10-scratch")


def fill(folder: Path) -> None:
    """Events of two months ago, which the default of 30 days would delete."""
    store = EventStore(folder)
    store.start()
    start_ms = time.time_ns() // 1_000_000 - OLD_DAYS * 86_400_000
    for number in range(OLD):
        store.put(change(f"01OLD{number}", "end", start_ms=start_ms + number, end_ms=start_ms + number + 1))
    store.stop(10.0)


def old(run: Daemon) -> int:
    """How many of them there are."""
    events = get_json(f"{run.url}/api/events?limit=500")["events"]
    return sum(event["id"].startswith("01OLD") for event in events)


def kept(run: Daemon) -> int:
    """How many there are once the housekeeping must have looked at them."""
    time.sleep(2.0)  # it looks as soon as the first events are written, and nothing says that it has
    return old(run)


def setting(run: Daemon, name: str) -> dict[str, object]:
    rows = get_json(f"{run.url}/api/settings")["settings"]
    return next(row for row in rows if row["name"] == name)


def patch(run: Daemon, **values: object) -> int:
    return answer_to(f"{run.url}/api/settings", {f"store.{key}": value for key, value in values.items()}, "PATCH")[0]


def test_a_name_for_a_label_called_language_costs_no_setting_and_no_event(tmp_path: Path) -> None:
    with daemon(*DEMO, XDG_STATE_HOME=str(tmp_path)) as run:
        run.wait_for("ok")
        assert patch(run, keep_days=0) == 200
        named = answer_to(f"{run.url}/api/names", {"names": {"cat": "Mia", "language": "Sprache"}}, "PUT")
        run.end()
    assert (named[0], named[1]["remembered"]) == (200, True)
    fill(tmp_path / "vitcam")
    with daemon(*DEMO, XDG_STATE_HOME=str(tmp_path)) as run:
        run.wait_for("ok")
        assert kept(run) == OLD
        row = setting(run, "store.keep_days")
        assert (row["value"], row["from"], row["unread"]) == (0, "page", False)
        assert get_json(f"{run.url}/api/names")["names"] == {"cat": "Mia", "language": "Sprache"}
        assert not (tmp_path / "vitcam" / "settings.toml.damaged").exists()
        patch(run, keep_days=30)
        assert eventually(lambda: old(run) == 0), "they stay for want of a limit, not of the housekeeping"


@pytest.mark.fault(
    "the settings of the page are damaged",
    injected="`settings.toml` of zeros and no good copy, and a history of two months",
    observed="no event is deleted because of its age; the state is degraded and says so until a person has chosen",
)
def test_where_the_settings_were_damaged_old_events_stay_until_a_person_says_how_long(tmp_path: Path) -> None:
    folder = tmp_path / "vitcam"
    folder.mkdir()
    (folder / "settings.toml").write_bytes(b"\0" * 512)
    fill(folder)
    with daemon(*DEMO, XDG_STATE_HOME=str(tmp_path)) as run:
        state = run.wait_for("degraded")
        assert kept(run) == OLD
        assert "no event is deleted because of its age, since" in state["reason"]
        assert "store.max_mb goes on: beyond 500 MB" in state["reason"]
        assert state["history"]["rests"]
        assert status_of(f"{run.url}/readyz") == 200
        run.end()
    assert (folder / "settings.toml.damaged").read_bytes() == b"\0" * 512
    with daemon(*DEMO, XDG_STATE_HOME=str(tmp_path)) as run:
        run.wait_for("degraded")
        assert setting(run, "store.keep_days")["unread"]
        assert kept(run) == OLD
        assert patch(run, keep_days=None) == 200
        run.wait_for("ok")
        assert eventually(lambda: old(run) == 0), "the default of 30 days is in force"
        assert not setting(run, "store.keep_days")["unread"]
