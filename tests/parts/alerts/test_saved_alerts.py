"""Alerts are kept for the next start, and what is damaged in their file costs no more than itself."""

import json
import stat
from pathlib import Path

import pytest

from vitcam.parts.alerts.alert import new_alert
from vitcam.parts.alerts.saved_alerts import SavedAlerts


def test_what_was_saved_is_there_again_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    alerts = (new_alert({"sound": True}, []), new_alert({"label": "cat", "webhook": "http://x/secret"}, []))

    assert SavedAlerts(tmp_path).save(alerts) == ""
    assert SavedAlerts(tmp_path).load() == alerts
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_an_alert_that_is_none_is_left_out_and_the_others_stay(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = new_alert({"sound": True}, [])
    SavedAlerts(tmp_path).save([good])
    path = tmp_path / "alerts.json"
    record = json.loads(path.read_text())["alerts"][0]
    records = [{**record, "id": "deadbeef", "command": ["sh", "-c", "id"]}, "x", record, record]
    path.write_text(json.dumps({"alerts": records}))

    assert SavedAlerts(tmp_path).load() == (good,)
    assert "'command'" in caplog.text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"alerts": 1}', "[" * 100_000, '{"alerts": [' * 900])
def test_a_file_that_is_damaged_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "alerts.json").write_text(text)

    assert SavedAlerts(tmp_path).load() == ()


def test_without_a_folder_or_room_it_says_why_they_are_not_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert "no folder" in SavedAlerts(None).save([])
    assert "cannot be written" in SavedAlerts(tmp_path / "file").save([])
