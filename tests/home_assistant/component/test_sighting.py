"""What automations hear of one thing that a camera sees."""

import json
from pathlib import Path
from typing import Any

from homeassistant.core import Event, EventStateChangedData, HomeAssistant, callback
from homeassistant.helpers.event import async_track_state_change_event

from tests.home_assistant.component.conftest import camera, until
from tests.home_assistant.component.copies import Copies, entry_of


def event(phase: str, label: str, p: float, event_id: str = "1") -> bytes:
    record = {
        "id": event_id, "phase": phase, "kind": "seen", "label": label, "zone": None, "box": "0,0,0.5,1", "frame": None,
        "group": None, "shown": {"label": label, "kind": None, "p": p}, "start": "2026-01-01T00:00:00Z", "end": None,
    }  # fmt: skip
    return f"event: event\ndata: {json.dumps(record)}\n\n".encode()


async def test_a_thing_is_told_once_and_again_where_its_name_changes_or_the_camera_is_surer(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    with camera(tmp_path, password="") as real:
        copies = Copies.of(real)
    told: list[tuple[Any, Any]] = []

    @callback
    def note(change: Event[EventStateChangedData]) -> None:
        new = change.data["new_state"]
        if new is not None and "name" in new.attributes:
            told.append((new.attributes["name"], new.attributes["probability"]))

    async_track_state_change_event(hass, "event.camera_0_sighting", note)
    async with copies.serving(1) as [port]:
        entry = entry_of(hass, 0, port)
        assert await hass.config_entries.async_setup(entry.entry_id)
        copies.said = [
            event("new", "cup", 0.5),
            event("update", "cup", 0.55),  # hardly surer
            event("update", "cup", 0.65),
            event("update", "mug", 0.6),
            event("update", "cat", 0.9, event_id="missed"),
            event("end", "bowl", 0.9),
            event("new", "dog", 0.7, event_id="2"),
        ]
        await until(lambda: ("dog", 0.7) in told)
        await hass.config_entries.async_unload(entry.entry_id)

    assert [each for number, each in enumerate(told) if each not in told[:number]] == [
        ("cup", 0.5), ("cup", 0.65), ("mug", 0.6), ("dog", 0.7),
    ]  # fmt: skip
