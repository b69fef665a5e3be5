"""What a newer version wrote into a file of the state folder stays there when something else in it is changed."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.state_files import CAMERA, OTHER, STATE_FILES, StateFileKind, leaves

Content = Any


def _alerts(content: Content) -> None:
    content["version"] = 7
    content["alerts"][:0] = [{"id": "0123abcd", "label": "dog", "weekdays": ["sat"], "sound": True}, 5, {"id": [1]}]


def _devices(content: Content) -> None:
    content["version"] = 7
    content["devices"][1]["urgency"] = "high"
    content["devices"].append({**content["devices"][0], "id": "0123abcd", "endpoint": {"kind": "unified"}})


def _tokens(content: Content) -> None:
    content[1]["expires"] = "2040-01-01T00:00:00Z"
    content[1:1] = [{**content[1], "name": "tablet", "scope": "watch"}, None, {"kind": "passkey", "name": "phone"}]


def _peers(content: Content) -> None:
    content["kept"]["until"] = "2040-01-01T00:00:00Z"
    content |= {"tablet": {"token": "x", "fingerprint": {"sha512": "00"}, "kept": ""}, "two words": 5}


def _sessions(content: Content) -> None:
    content |= {"0a": {"ends": 4e9, "scope": "watch"}, "0b": "2040-01-01T00:00:00Z", "0c": 10**400}


def _crops(content: Content) -> None:
    content |= {"rtsp://a/": {"polygon": [[0, 0], [0.25, 0.125]]}, "*": "0,0,0.5,2"}


def _zones(content: Content) -> None:
    content[CAMERA]["lines"] = {"fence": [0, 0.125, 1, 0.125]}
    content[CAMERA]["zones"]["gate"]["weekdays"] = ["sat"]
    content |= {"rtsp://a/": [{"name": "door", "circle": [0.5, 0.5, 0.0625]}], "rtsp://b/": {"masks": "none"}}


def _aside(content: Content) -> None:
    content[CAMERA] |= {"look": {"follow": "people"}, "areas": {"zones": {"gate": {"circle": [1, 2, 3]}}, "masks": []}}
    content[OTHER]["look"] = {"follow": "cars"}
    content["*"]["since"] = "2040-01-01T00:00:00Z"
    content["rtsp://a/"] = [7]


def _settings(content: Content) -> None:
    content["names"] |= {"horse": {"name": "Fury", "icon": "shoe"}, "cow": 5}
    content["labels"] |= {"sheep": ["Berta", "Elsa"]}
    content["store"] |= {"keep_hours": 5, "max_mb": "a tenth"}
    content["overlay"]["mode"] = "hologram"
    content["weather"] = {"station": {"address": "http://weather/"}}


def _model(content: Content) -> None:
    content["second"] = {"path": "/m/second.tflite"}


NEWER: dict[str, Callable[[Content], None]] = {
    "alerts.json": _alerts,
    "push.json": _devices,
    "tokens.json": _tokens,
    "peer_tokens": _peers,
    "sessions.json": _sessions,
    "crops.json": _crops,
    "zones.json": _zones,
    "set_aside.json": _aside,
    "settings.toml": _settings,
    "model.json": _model,
}


@pytest.mark.parametrize("kind", STATE_FILES, ids=lambda kind: kind.name)
def test_what_a_newer_version_wrote_stays_when_another_entry_changes(tmp_path: Path, kind: StateFileKind) -> None:
    path = tmp_path / kind.name
    kind.make(tmp_path)
    before, content = (kind.loads(path.read_text()) for _ in range(2))
    NEWER[kind.name](content)
    path.write_text(kind.dumps(content))
    read = kind.read(tmp_path)
    assert not kind.change(tmp_path)

    after = kind.loads(path.read_text())
    added = Counter(leaves(content)) - Counter(leaves(before))
    assert added
    assert not {where: text for where, text in added if (where, text) not in set(leaves(after))}
    assert after != content
    unchanged = {where: value for where, value in read.items() if not _is_in(where, kind)}
    assert unchanged.items() <= kind.read(tmp_path).items()


def _is_in(where: tuple[str, ...], kind: StateFileKind) -> bool:
    return any(where[: len(each)] == each for each in kind.changed)
