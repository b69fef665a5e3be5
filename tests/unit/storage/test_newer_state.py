"""What a newer version wrote into a file of the state folder stays there when something else in it is changed."""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from vitcam.access.sessions import Sessions
from vitcam.access.tokens import Scope, create_token, load_tokens, revoke_token
from vitcam.actions.push_devices import PushDevice, PushDevices
from vitcam.alerts.alert import new_alert
from vitcam.alerts.saved_alerts import SavedAlerts
from vitcam.config.layers import PageLayer
from vitcam.daemon.model import LastModel
from vitcam.daemon.saved_state.aside_file import AsideFile, PageChoices
from vitcam.daemon.saved_state.page_choices import SavedAreas, SavedCrop
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.names.wanted import WantedNames, own_names
from vitcam.peers.access import forget_peer_access, keep_peer_access, load_peer_access
from vitcam.pictures.view import Region
from vitcam.zones.areas import Areas, Zone

Content = Any
_KEYS = {"p256dh": f"BA{'A' * 85}", "auth": "A" * 22}
"""Of a subscription: 65 bytes of which the first is 4, and 16 bytes."""


@dataclass(frozen=True)
class Kept:
    """One file of the state folder."""

    file: str
    make: Callable[[Path], Any]
    """Writes it with two entries."""
    newer: Callable[[Content], Any]
    """What another version writes there, too."""
    change: Callable[[Path], Any]
    """Changes one entry, as vitcam does."""
    read: Callable[[Path], Any]
    """What vitcam reads of the other one."""
    loads: Callable[[str], Content] = json.loads
    dumps: Callable[[Content], str] = json.dumps


def _make_alerts(folder: Path) -> None:
    SavedAlerts(folder).save([new_alert({"sound": True}, []), new_alert({"label": "cat", "webhook": "http://x/"}, [])])


def _change_alerts(folder: Path) -> None:
    saved = SavedAlerts(folder)
    saved.save(saved.load()[1:])


def _newer_alerts(content: Content) -> None:
    content["version"] = 7
    content["alerts"][:0] = [{"id": "0123abcd", "label": "dog", "weekdays": ["sat"], "sound": True}, 5, {"id": [1]}]


def _device(name: str) -> PushDevice:
    return PushDevice.of({"name": name, "endpoint": f"https://push.example/{name}", "keys": _KEYS})


def _make_devices(folder: Path) -> None:
    for name in ("phone", "tablet"):
        PushDevices(folder).add(_device(name))


def _newer_devices(content: Content) -> None:
    content["version"] = 7
    content["devices"][1]["urgency"] = "high"
    content["devices"].append({**content["devices"][0], "id": "0123abcd", "endpoint": {"kind": "unified"}})


def _change_devices(folder: Path) -> None:
    devices = PushDevices(folder)
    devices.remove(devices.all[0].id)


def _make_tokens(folder: Path) -> None:
    for name in ("kept", "revoked"):
        create_token(folder, name, Scope.READ)


def _newer_tokens(content: Content) -> None:
    content[0]["expires"] = "2040-01-01T00:00:00Z"
    content[1:1] = [{**content[0], "name": "tablet", "scope": "watch"}, None, {"kind": "passkey", "name": "phone"}]


def _make_peers(folder: Path) -> None:
    for name in ("kept", "forgotten"):
        keep_peer_access(folder, name, "secret")


def _newer_peers(content: Content) -> None:
    content["kept"]["until"] = "2040-01-01T00:00:00Z"
    content |= {"tablet": {"token": "x", "fingerprint": {"sha512": "00"}, "kept": ""}, "two words": 5}


def _make_sessions(folder: Path) -> None:
    (folder / "sessions.json").write_text("{}")
    Sessions(folder).open("password")


def _newer_sessions(content: Content) -> None:
    content |= {"0a": {"ends": 4e9, "scope": "watch"}, "0b": "2040-01-01T00:00:00Z", "0c": 10**400}


def _newer_model(content: Content) -> None:
    content["second"] = {"path": "/models/second.tflite"}


CAMERA, OTHER = "picamera", "v4l2:0"
SOURCE = "http://camera/"


def _make_crops(folder: Path) -> None:
    for source in (CAMERA, OTHER):
        SavedCrop(folder, source).save(Region(0, 0, 0.5, 1))


def _newer_crops(content: Content) -> None:
    content |= {"rtsp://a/": {"polygon": [[0, 0], [0.25, 0.125]]}, "*": "0,0,0.5,2"}


def _make_zones(folder: Path) -> None:
    for source in (CAMERA, OTHER):
        zones = tuple(Zone(name, Region(0, 0, 0.5, 1)) for name in ("door", "gate"))
        SavedAreas(folder, source).save(Areas(zones, (Region(0, 0, 0.25, 1),)))


def _newer_zones(content: Content) -> None:
    content[CAMERA]["lines"] = {"fence": [0, 0.125, 1, 0.125]}
    content[CAMERA]["zones"]["gate"]["weekdays"] = ["sat"]
    content |= {"rtsp://a/": [{"name": "door", "circle": [0.5, 0.5, 0.0625]}], "rtsp://b/": {"masks": "none"}}


def _change_zones(folder: Path) -> None:
    saved = SavedAreas(folder, CAMERA)
    areas, _ = saved.load()
    saved.save(Areas((*areas.zones, Zone("road", Region(0.5, 0, 0.5, 1))), areas.masks))


def _make_aside(folder: Path) -> None:
    choices = PageChoices(Region(0, 0, 0.5, 1), settings={"overlay.opacity": 0.5})
    for source in (SOURCE, CAMERA):
        AsideFile(folder, source).save(choices, "it failed")


def _newer_aside(content: Content) -> None:
    content[SOURCE] |= {"look": {"follow": "people"}, "areas": {"zones": {"gate": {"circle": [1, 2, 3]}}, "masks": []}}
    content["*"]["since"] = "2040-01-01T00:00:00Z"
    content["rtsp://a/"] = [7]


def _make_settings(folder: Path) -> None:
    page = PageSettings(folder)
    page.save_names(WantedNames("de", own_names({"cat": "Mia", "language": "Sprache"})))
    page.save_settings(PageLayer(values={"store.keep_days": 0.0, "overlay.opacity": 0.5}))


def _newer_settings(content: Content) -> None:
    content["names"] |= {"dog": {"name": "Rex", "icon": "paw"}, "horse": 5}
    content["labels"] |= {"cow": ["Berta", "Elsa"]}
    content["store"] |= {"keep_hours": 5, "max_mb": "a tenth"}
    content["overlay"]["mode"] = "hologram"
    content["weather"] = {"station": {"address": "http://weather/"}}


def _change_settings(folder: Path) -> None:
    page = PageSettings(folder)
    names, layer = page.names, page.layer
    page.save_names(WantedNames("fr", names.own))
    page.save_settings(replace(layer, values={**layer.values, "overlay.opacity": 0.25}))


def _toml(text: str) -> Content:
    return tomllib.loads(text)


CASES = [
    Kept("alerts.json", _make_alerts, _newer_alerts, _change_alerts, lambda folder: SavedAlerts(folder).load()[-1]),
    Kept(
        "push.json", _make_devices, _newer_devices, _change_devices, lambda folder: asdict(PushDevices(folder).all[-1])
    ),
    Kept(
        "tokens.json",
        _make_tokens,
        _newer_tokens,
        lambda folder: revoke_token(folder, "revoked"),
        lambda folder: load_tokens(folder)[0],
    ),
    Kept(
        "peer_tokens",
        _make_peers,
        _newer_peers,
        lambda folder: forget_peer_access(folder, "forgotten"),
        lambda folder: load_peer_access(folder)["kept"],
    ),
    Kept(
        "sessions.json",
        _make_sessions,
        _newer_sessions,
        lambda folder: Sessions(folder).open("password"),
        lambda folder: Sessions(folder).is_open("password", "nobody's"),
    ),
    Kept(
        "model.json",
        lambda folder: LastModel(folder).remember(Path("/models/first.tflite")),
        _newer_model,
        lambda folder: LastModel(folder).remember(Path("/models/third.tflite")),
        lambda folder: LastModel(folder).path is not None,
    ),
    Kept(
        "crops.json",
        _make_crops,
        _newer_crops,
        lambda folder: SavedCrop(folder, CAMERA).save(None),
        lambda folder: SavedCrop(folder, OTHER).load(),
    ),
    Kept("zones.json", _make_zones, _newer_zones, _change_zones, lambda folder: SavedAreas(folder, OTHER).load()),
    Kept(
        "set_aside.json",
        _make_aside,
        _newer_aside,
        lambda folder: AsideFile(folder, SOURCE).save(PageChoices(), ""),
        lambda folder: AsideFile(folder, CAMERA).load()[0].crop,
    ),
    Kept(
        "settings.toml",
        _make_settings,
        _newer_settings,
        _change_settings,
        lambda folder: (PageSettings(folder).names.own, PageSettings(folder).layer.values["store.keep_days"]),
        _toml,
        tomli_w.dumps,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file)
def test_what_a_newer_version_wrote_stays_when_another_entry_changes(tmp_path: Path, case: Kept) -> None:
    path = tmp_path / case.file
    case.make(tmp_path)
    before, content = (case.loads(path.read_text()) for _ in range(2))
    case.newer(content)
    path.write_text(case.dumps(content))
    read = case.read(tmp_path)
    case.change(tmp_path)

    after = case.loads(path.read_text())
    added = Counter(_leaves(content)) - Counter(_leaves(before))
    assert added
    assert not added - Counter(_leaves(after))
    assert after != content
    assert case.read(tmp_path) == read


def _leaves(tree: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text and number with the key below which it stands."""
    if isinstance(tree, dict):
        for each, value in tree.items():
            yield from _leaves(value, each)
    elif isinstance(tree, list):
        for value in tree:
            yield from _leaves(value, key)
    else:
        yield key, json.dumps(tree)
