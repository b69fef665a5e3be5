"""What lasts has one name: on the page, in the event and in the history."""

import json
import time
import urllib.parse
import urllib.request
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.daemon import Daemon, daemon, get_json

_PATIENCE_S = 150.0


def follow(running: Daemon, ends: int) -> list[dict[str, Any]]:
    """The live predictions until so many events have ended."""
    predictions, deadline = [], time.monotonic() + _PATIENCE_S
    with urllib.request.urlopen(f"{running.url}/api/predictions", timeout=30) as stream:
        for line in stream:
            assert time.monotonic() < deadline, f"{ends} more events should have ended"
            if not line.startswith(b"data: "):
                continue
            record = json.loads(line.removeprefix(b"data: "))
            if record["type"] == "prediction":
                predictions.append(record)
            elif record["phase"] == "end":
                ends -= 1
            if ends == 0:
                break
    return predictions


def test_each_cat_is_one_event_by_one_name_live_and_in_the_history(tmp_path: Path) -> None:
    with daemon("--source", "demo", "--loop", "--model", "everyday", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        predictions = follow(running, 8)  # a loop of five or six things, two of them cats, and more
        events = get_json(f"{running.url}/api/events")["events"]
        model = get_json(f"{running.url}/api/model")
        members = next(group["labels"] for group in model["groups"] if group["name"] == "cat")
        cats = {"cat", *(model["labels"][index] for index in members)}
        first, *later = (event["label"] for event in reversed(events))
        loop = [*reversed(events)][: 1 + later.index(first)]  # until the first thing comes again
        begun = [event for event in loop if event["shown"]["label"] in cats]
        found = [
            (cat, get_json(f"{running.url}/api/events?label={urllib.parse.quote(text)}")["events"])
            for cat in begun
            for text in (cat["shown"]["label"].upper(), cat["label"])
        ]

    assert len(begun) == 2, "each of both cats is one event"
    for cat in begun:
        live = [each["headline"] for each in predictions if cat["start"] <= each["time"] <= cat["end"]]
        names = [name for name, _ in groupby(each["label"] for each in live)]
        assert names[-1] == cat["shown"]["label"]
        assert len(set(names)) == len(names), f"{names}: a name that was left does not come back"
        assert set(names[1:]) <= cats, "before the event begins, what was there before may have a name"
    assert all(cat["id"] in [event["id"] for event in events] for cat, events in found)
