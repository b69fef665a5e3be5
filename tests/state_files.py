"""Every small file of the state folder: how vitcam makes it, reads it, and changes one entry of it."""

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from vitcam.access.sessions import Sessions
from vitcam.access.tokens import Scope, create_token, load_tokens, revoke_token
from vitcam.config.layers import PageLayer
from vitcam.config.load import merge_layers
from vitcam.daemon.model import LastModel
from vitcam.daemon.recording import retention_of
from vitcam.daemon.saved_state.aside_file import AsideFile, PageChoices
from vitcam.daemon.saved_state.page_choices import SavedAreas, SavedCrop
from vitcam.daemon.saved_state.page_settings import PageSettings
from vitcam.look.areas import Areas, Zone
from vitcam.names.wanted import WantedNames, own_names
from vitcam.pictures.view import Region

if TYPE_CHECKING:
    from vitcam.parts.alerts.push_devices import PushDevices
    from vitcam.parts.alerts.saved_alerts import SavedAlerts

Path_ = tuple[str, ...]
"""Where something stands in a file: keys, and for an entry of a list its id or its name."""
Readings = dict[Path_, object]
"""What vitcam reads, by where it stands."""
CAMERA, OTHER = "picamera", "v4l2:0"
KEYS = {"p256dh": f"BA{'A' * 85}", "auth": "A" * 22}
"""Of a subscription: 65 bytes of which the first is 4, and 16 bytes."""
_HALF = Region(0, 0, 0.5, 1)


@dataclass(frozen=True)
class StateFileKind:
    """One file."""

    name: str
    make: Callable[[Path], object]
    """Writes it below a folder."""
    read: Callable[[Path], Readings]
    """As a start does."""
    change: Callable[[Path], object]
    """Changes some entries. Returns why it is not kept, "" or None if it is, or raises VitcamError."""
    changed: tuple[Path_, ...]
    """Those entries."""
    loads: Callable[[str], Any] = json.loads
    dumps: Callable[[Any], str] = json.dumps


def _make_alerts(folder: Path) -> None:
    records: list[dict[str, Any]] = [
        {"id": "00000001", "label": "cat", "sound": True},
        {"id": "00000002", "label": "dog", "webhook": "http://a/", "zone": "door", "between": "22:00-06:00"},
        {"id": "00000003", "label": "cup", "notify": ["ntfy://x/y"], "above": 0.5, "enabled": False},
    ]
    from vitcam.parts.alerts.alert import saved_alert

    _alerts(folder).save([saved_alert(record, []) for record in records])


def _alerts(folder: Path) -> "SavedAlerts":
    from vitcam.parts.alerts.saved_alerts import SavedAlerts  # here, so that the other files go on without it

    return SavedAlerts(folder)


def _change_alerts(folder: Path) -> str:
    saved = _alerts(folder)
    return saved.save([each for each in saved.load() if each.id != "00000001"])


def _read_alerts(folder: Path) -> Readings:
    return {("alerts", each.id): each for each in _alerts(folder).load()}


def _devices(folder: Path) -> "PushDevices":
    from vitcam.parts.alerts.push_devices import PushDevices

    return PushDevices(folder)


def _make_devices(folder: Path) -> None:
    from vitcam.parts.alerts.push_devices import PushDevice

    for number in (1, 2, 3):
        address = f"https://push.example/{number}"
        _devices(folder).add(PushDevice(f"0000000{number}", f"phone {number}", address, **KEYS, added_s=1e9))


def _make_tokens(folder: Path) -> None:
    for name in ("revoked", "kept", "other"):
        create_token(folder, name, Scope.READ)


def _make_peers(folder: Path) -> None:
    from vitcam.parts.peers.access import keep_peer_access

    for name in ("forgotten", "kept", "other"):
        keep_peer_access(folder, name, "secret", "0" * 64)


def _read_peers(folder: Path) -> Readings:
    from vitcam.parts.peers.access import load_peer_access

    return {(name,): each for name, each in load_peer_access(folder).items()}


def _forget_peer(folder: Path) -> None:
    from vitcam.parts.peers.access import forget_peer_access

    forget_peer_access(folder, "forgotten")


def _make_sessions(folder: Path) -> None:
    for _ in range(3):
        Sessions(folder).open("password")


def _make_crops(folder: Path) -> None:
    for source in (CAMERA, OTHER):
        SavedCrop(folder, source).save(_HALF)


def _read_crops(folder: Path) -> Readings:
    return {(source,): SavedCrop(folder, source).load() for source in (CAMERA, OTHER)}


def _make_zones(folder: Path) -> None:
    zones = tuple(Zone(name, _HALF, ("cat",), 0.6, 0.4, 2.0) for name in ("door", "gate"))
    for source in (CAMERA, OTHER):
        SavedAreas(folder, source).save(Areas(zones, (Region(0, 0, 0.25, 1),)))


def _read_zones(folder: Path) -> Readings:
    found: Readings = {}
    for source in (CAMERA, OTHER):
        areas, unknown = SavedAreas(folder, source).load()
        found[(source, "masks")] = "no picture is shown" if unknown else areas.masks
        found |= {(source, "zones", zone.name): zone for zone in areas.zones}
    return found


def _change_zones(folder: Path) -> str:
    saved = SavedAreas(folder, CAMERA)
    areas, unknown = saved.load()
    road = Zone("road", Region(0.5, 0, 0.5, 1))
    return unknown or saved.save(Areas((*areas.zones, road), areas.masks))


def _make_aside(folder: Path) -> None:
    choices = PageChoices(_HALF, (Zone("door", _HALF),), "/m/a.tflite", "b", {"overlay.opacity": 0.5})
    for source in (CAMERA, OTHER):
        AsideFile(folder, source).save(choices, "it failed")


def _read_aside(folder: Path) -> Readings:
    found: Readings = {}
    for source in (CAMERA, OTHER):
        read, _ = AsideFile(folder, source).load()
        found |= {(source, "crop"): read.crop, (source, "areas"): read.zones, (source, "model"): read.model}
        found |= {(source, "chosen"): read.chosen, ("*", "settings"): dict(read.settings)}
    return found


def _make_settings(folder: Path) -> None:
    page = PageSettings(folder)
    page.save_names(WantedNames("de", own_names({"cat": "Mia", "dog": "Rex", "cup": "", "language": "Sprache"})))
    page.save_model("cifar10")
    page.save_settings(
        PageLayer(
            values={
                "store.keep_days": 0.0,
                "store.max_mb": 900.0,
                "store.forget": ["cat", "dog"],
                "overlay.opacity": 0.5,
                "camera.source": "rtsp://user:hunter2@camera/",
                "clips.enabled": False,
            }
        )
    )


def _read_settings(folder: Path) -> Readings:
    page = PageSettings(folder)
    settings = merge_layers(None, (), {}, {}, folder / "none.toml", page.layer).settings
    names = page.names
    rests = bool(retention_of(settings.store).rests)
    found: Readings = {
        ("model", "name"): page.model,
        ("names", "language"): names.language,
        ("store", "keep_days"): "no event goes" if rests else settings.store.keep_days,
        ("store", "max_mb"): settings.store.max_mb,
        ("store", "forget"): settings.store.forget,
        ("overlay", "opacity"): settings.overlay.opacity,
        ("camera", "source"): settings.camera.source,
    }
    apart = {"language": "labels"}
    return found | {(apart.get(each.label, "names"), each.label): each.name for each in names.own}


def _change_settings(folder: Path) -> str:
    page = PageSettings(folder)
    names, layer = page.names, page.layer
    reason = page.save_names(WantedNames("fr", names.own))
    return reason or page.save_settings(replace(layer, values={**layer.values, "overlay.opacity": 0.25}))


STATE_FILES = (
    StateFileKind("alerts.json", _make_alerts, _read_alerts, _change_alerts, (("alerts", "00000001"),)),
    StateFileKind(
        "push.json",
        _make_devices,
        lambda folder: {("devices", each.id): each for each in _devices(folder).all},
        lambda folder: None if _devices(folder).remove("00000001") else "there is none",
        (("devices", "00000001"),),
    ),
    StateFileKind(
        "tokens.json",
        _make_tokens,
        lambda folder: {(each.name,): each for each in load_tokens(folder)},
        lambda folder: revoke_token(folder, "revoked"),
        (("revoked",),),
    ),
    StateFileKind(
        "peer_tokens",
        _make_peers,
        _read_peers,
        _forget_peer,
        (("forgotten",),),
    ),
    StateFileKind(
        "sessions.json",
        _make_sessions,
        lambda folder: {(digest,): end for digest, end in Sessions(folder)._ends.items()},
        lambda folder: Sessions(folder).open("password") and None,
        (),
    ),
    StateFileKind(
        "crops.json", _make_crops, _read_crops, lambda folder: SavedCrop(folder, CAMERA).save(None), ((CAMERA,),)
    ),
    StateFileKind("zones.json", _make_zones, _read_zones, _change_zones, ((CAMERA, "zones", "road"),)),
    StateFileKind(
        "set_aside.json",
        _make_aside,
        _read_aside,
        lambda folder: AsideFile(folder, CAMERA).save(PageChoices(), ""),
        ((CAMERA,), ("*",)),
    ),
    StateFileKind(
        "settings.toml",
        _make_settings,
        _read_settings,
        _change_settings,
        (("names", "language"), ("overlay", "opacity")),
        loads=tomllib.loads,
        dumps=tomli_w.dumps,
    ),
    StateFileKind(
        "model.json",
        lambda folder: LastModel(folder).remember(Path("/m/first.tflite")),
        lambda folder: {("path",): LastModel(folder).path},
        lambda folder: LastModel(folder).remember(Path("/m/other.tflite")),
        (("path",),),
    ),
)


def leaves(tree: Any, where: Path_ = ()) -> Iterator[tuple[Path_, str]]:
    """Every text and number, and every empty list, with the place where it stands."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from leaves(value, (*where, str(key)))
    elif isinstance(tree, list) and tree:
        for value in tree:
            yield from leaves(value, (*where, name_in_list(value)))
    elif isinstance(tree, str):
        yield where, repr(" ".join(tree.split()))  # names are told apart without their spaces
    else:
        plain = isinstance(tree, int) and not isinstance(tree, bool) and abs(tree) < 2**53
        yield where, repr(float(tree) if plain else tree)  # JSON knows no difference between 1 and 1.0


def name_in_list(record: Any) -> str:
    """By what an entry of a list is known; `#` where it has no name."""
    if not isinstance(record, dict):
        return "#"
    id_, name = record.get("id"), record.get("name")
    found = id_ if isinstance(id_, str) and id_.startswith("0") else name
    return found if isinstance(found, str) else "#"
