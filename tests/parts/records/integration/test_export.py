"""`vitcam export` of what a daemon saw in a clip, and of a made day, as its user has it."""

import csv
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.command import Result, vitcam
from tests.daemon import daemon, get_json
from tests.eventually import eventually
from tests.integration.faults.small_disk import small_disk
from tests.parts.records.made import EVENTS, JPEG, made_history
from tests.parts.records.validated import descriptor, problems, rows

PLACE = ("--set", "place.latitude=52.516275", "--set", "place.longitude=13.377704")
CLIPS = ("clips.enabled=true", "clips.before_s=1", "clips.after_s=1")


def there(state: Path, *arguments: str) -> Result:
    """A command of somebody in Nepal, where the history is in the folder `vitcam` of this one."""
    return vitcam(*arguments, XDG_STATE_HOME=str(state), TZ="Asia/Kathmandu")


@pytest.mark.smoke
def test_made_events_are_exported_by_the_command_and_what_lacks_is_said(tmp_path: Path) -> None:
    made_history(tmp_path / "vitcam")
    refused = there(tmp_path, "export", str(tmp_path / "out"))
    assert (refused.code, refused.sentence) == (
        2,
        "vitcam: records need the place of the camera, and place.latitude is not set; write latitude and longitude "
        "below [place] of a configuration file, or add --set place.latitude=52.52 --set place.longitude=13.38",
    )
    assert not (tmp_path / "out").exists()

    done = there(tmp_path, "export", str(tmp_path / "out"), *PLACE, "--until", "2026-01-01T03:30:00Z")
    assert (done.code, done.sentence) == (0, f"wrote {tmp_path / 'out'}; observations: 4; pictures and films: 4")
    assert problems(tmp_path / "out") == []
    starts = {row["eventStart"].utcoffset() for row in rows(tmp_path / "out")["observations"]}
    assert starts == {timedelta(hours=5, minutes=45)}

    again = there(tmp_path, "export", str(tmp_path / "out"), *PLACE)
    assert (again.code, again.sentence) == (2, f"vitcam: {tmp_path / 'out'} is there already; name a new one")
    birds = tmp_path / "birds.csv"
    done = there(tmp_path, "export", str(birds), "--format", "ebird", *PLACE)
    assert (done.code, done.sentence) == (
        0,
        f"wrote {birds}; birds: 1; left out, as a model alone has named them: 1 (--unreviewed takes these, too); left "
        "out, as no species is known: 1; look at each before you upload it",
    )
    with birds.open(newline="", encoding="utf-8") as file:
        assert [(row[0], row[9]) for row in csv.reader(file)] == [("European Goldfinch", "09:45")]


def test_what_a_daemon_saw_in_a_clip_is_exported_validated_and_read_back(tmp_path: Path) -> None:
    settings = [word for setting in CLIPS for word in ("--set", setting)]
    with daemon("--source", "demo", "--loop", *settings, XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")

        def ended() -> int:
            return sum(each["end"] is not None for each in get_json(f"{running.url}/api/events")["events"])

        assert eventually(lambda: ended() >= 5, within_s=120, every_s=0.25), running.errors()
        code, _ = running.end()
    assert code == 0
    kept = {each["id"]: each for each in there(tmp_path, "events", "list", "--json", "--limit", "0").lines}
    done = there(tmp_path, "export", str(tmp_path / "out"), *PLACE, "--set", "place.time_zone=America/St_Johns")

    assert done.code == 0, done.err
    assert problems(tmp_path / "out") == []
    found = rows(tmp_path / "out")
    assert {row["observationID"] for row in found["observations"]} == {
        name for name, each in kept.items() if each["kind"] != "problem"
    }
    for row in found["observations"]:
        began = datetime.fromisoformat(kept[row["observationID"]]["start"])
        assert timedelta(0) <= began - row["eventStart"] < timedelta(seconds=1)
        assert row["classificationMethod"] == "machine"
    media = {row["mediaID"]: tmp_path / "out" / row["filePath"] for row in found["media"]}
    videos = {name.removesuffix("-clip") for name in media if name.endswith("-clip")}
    assert videos == {name for name, each in kept.items() if each["clip"]}  # beside other work few are encoded in time
    for name, path in media.items():
        assert path.read_bytes()[:2] == b"\xff\xd8" if path.suffix == ".jpg" else path.read_bytes()[4:8] == b"ftyp", (
            name
        )
    assert [(row["deploymentStart"], row["deploymentEnd"]) for row in found["deployments"]] == [
        (
            min(row["eventStart"] for row in found["observations"]),
            max(row["eventEnd"] for row in found["observations"]),
        )
    ]
    assert descriptor(tmp_path / "out")["spatial"]["coordinates"] == [13.38, 52.52]


@pytest.mark.fault(
    "the disk is full while events are exported",
    injected="a disk of 1 MB, and 3 MB of pictures",
    observed="one sentence says so, the exit code is 1, and nothing of the export is left",
)
@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_a_full_disk_leaves_no_part_of_an_export(tmp_path: Path, name: str) -> None:
    made_history(tmp_path / "state" / "vitcam", [EVENTS[0]] * 3, JPEG + b"\0" * 1_000_000)
    with small_disk(tmp_path / "disk", "1m") as disk:
        done = there(tmp_path / "state", "export", str(disk / name), *PLACE)

        assert (done.code, done.sentence) == (
            1,
            f"vitcam: {disk / name} cannot be written: No space left on device; nothing was written; make room, or "
            "name another place",
        )
        assert list(disk.iterdir()) == []
