"""What is frozen, as a user, a script or another program sees it.

Files of commit 6969bc83 are kept beside this one, because what is shipped may change: `everyday.tflite`, `demo.mp4`,
and `event.zip`, a bundle that it made. It and 0.2.0 left `states/`; their `settings/` have every key that they knew.
0.1.0 is 0.2.0 with another number.
"""

import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.command import vitcam
from tests.daemon import Daemon, daemon, get_json, status_of
from tests.eventually import eventually
from tests.http_camera import MULTIPART, jpeg, keeps_sending, part, server
from tests.mosquitto import Mosquitto, Subscriber, settings_of
from tests.needs import need_data
from tests.same_behaviour import child
from tests.same_behaviour.differences import shape

HERE = Path(__file__).parent
ROOT = Path(__file__).parents[2]
MODEL = str(HERE / "everyday.tflite")
GENERATIONS = ("0.2.0", "6969bc83")
Subject = Callable[[Path], Any]
"""Gets an empty folder, and gives JSON."""
_TEXTS = {"description", "summary"}
_PASSING = {"following", "reasons", "notices", "unsaved"}
_DISCOVERY = "homeassistant/device/vitcam_kitchen/config"
_CAMERA = "127.0.0.1:45591"
"""The camera of `states/`, which zones and crops are kept for."""
_LAST_EVENT = "01M8FQZ"
"""No event of `states/` has an id after this one."""
_OF_AN_EVENT = (
    "id",
    "label",
    "zone",
    "camera",
    "start",
    "end",
    "p",
    "frame",
    "clip",
    "model",
    "favourite",
    "corrected",
)
_OF_A_REPLAY = ("type", "label", "group", "zone", "start_s", "end_s", "rule", "kinds", "at_s")


def household(home: Path) -> dict[str, Any]:
    """A run at the demo with a broker: its routes, the kinds of its state, and what Home Assistant hears of it."""
    with Mosquitto(home / "broker") as broker, Subscriber(broker, _DISCOVERY) as hears:
        options = ("--source", "demo", "--config", str(HERE / "household.toml"))
        with daemon(*options, XDG_STATE_HOME=str(home), **settings_of(broker, "kitchen")) as running:
            running.wait_for("ok")
            assert eventually(lambda: hears.of(_DISCOVERY)), running.errors()
            assert eventually(lambda: running.state()["mqtt"]["connected"])
            return {
                "openapi": _without_texts(get_json(f"{running.url}/openapi.json")),
                "state": _kinds(running.state()),
                "discovery": hears.records(_DISCOVERY)[-1],
            }


def _kinds(state: Mapping[str, Any]) -> dict[str, Any]:
    """The type of each value; the keys alone where a machine knows it or not; nothing of what comes and goes."""
    found: dict[str, Any] = {key: each for key, each in shape(state).items() if key not in _PASSING}
    return found | {key: sorted(found[key]) for key in ("heat", "cost", "ms")}


def _without_texts(value: Any) -> Any:
    """What is said to people may be said better, and fields may stand in another order."""
    if isinstance(value, Mapping):
        kept = {name: each for name, each in value.items() if name not in _TEXTS or not isinstance(each, str)}
        return {name: _without_texts(each) for name, each in kept.items()} | _in_order(value.get("required"))
    return [_without_texts(each) for each in value] if isinstance(value, list) else value


def _in_order(required: Any) -> dict[str, list[str]]:
    return {"required": sorted(required)} if isinstance(required, list) else {}


def schema(home: Path) -> Any:
    """`vitcam config schema`, without its descriptions."""
    return _without_texts(json.loads(vitcam("config", "schema", cwd=home).out))


def options(program: str) -> Subject:
    """By the words of each command, the names of its options and arguments."""

    def found(home: Path) -> dict[str, str]:
        command = [sys.executable, "-P", child.__file__, "options", program]
        said = subprocess.run(command, capture_output=True, check=True, cwd=home).stdout
        return {
            verb: ", ".join(" ".join(each["names"]) or name for name, each in sorted(given["parameters"].items()))
            for verb, given in json.loads(said).items()
        }

    return found


def settings(generation: str) -> Subject:
    """What is read of a file with all that a version knew, and what is said of it."""

    def found(home: Path) -> dict[str, Any]:
        file = str(HERE / "settings" / f"{generation}.toml")
        checked = vitcam("config", "check", "--config", file, cwd=home, XDG_STATE_HOME=str(home))
        shown = vitcam("config", "show", "--json", "--config", file, cwd=home, XDG_STATE_HOME=str(home))
        values = {row["name"]: row["value"] for row in shown.lines if row["origin"] == file}
        return {"exit code": checked.code, "said": (checked.out + checked.err).replace(file, "{file}"), "read": values}

    return found


def state(generation: str) -> Subject:
    """What a run says of the state folder that a version left."""

    def found(home: Path) -> dict[str, Any]:
        with tarfile.open(HERE / "states" / f"{generation}.tar.gz") as archive:
            archive.extractall(home, filter="data")
        with server(keeps_sending([part(jpeg())] * 10_000, 0.2, MULTIPART)) as port:
            for file in (home / "vitcam").glob("*.json*"):
                file.write_text(file.read_text("utf-8").replace(_CAMERA, f"127.0.0.1:{port}"), "utf-8")
            options = ("--source", f"http://127.0.0.1:{port}/", "--model", "cifar10-scratch")
            kept = () if "keep_days" in _text_of(home / "vitcam" / "settings.toml") else ("--set", "store.keep_days=0")
            with daemon(*options, *kept, XDG_STATE_HOME=str(home)) as running:
                running.wait_for("ok")
                answers = _answers(running)
                assert running.end()[0] == 0
        listed = vitcam("token", "list", cwd=home, XDG_STATE_HOME=str(home)).out
        return answers | {"tokens": "generation 1" in listed}

    return found


def _text_of(file: Path) -> str:
    return file.read_text("utf-8") if file.exists() else ""


def _answers(running: Daemon) -> dict[str, Any]:
    found = {path: get_json(f"{running.url}/api/{path}") for path in ("zones", "names", "settings", "alerts", "events")}
    events = [event for event in found["events"]["events"] if event["id"] < _LAST_EVENT]
    pictures = [status_of(f"{running.url}{event['frame']}") for event in events if event["frame"]]
    return {
        "zones": {name: zone["rect"] for name, zone in found["zones"]["zones"].items()},
        "masks": found["zones"]["masks"],
        "crop": running.state()["view"]["crop"],
        "names": [found["names"]["names"], found["names"]["language"]],
        "settings": {row["name"]: row["value"] for row in found["settings"]["settings"] if row["from"] == "page"},
        "alerts": [{key: alert[key] for key in alert if key != "etag"} for alert in found["alerts"]["alerts"]],
        "events": [{key: event[key] for key in _OF_AN_EVENT} for event in events],
        "pictures": pictures,
    }


def film(where: Callable[[], Path]) -> Subject:
    """The events and the rules of a film, with two zones and the model of 6969bc83; times to 0.1 s."""

    def found(home: Path) -> list[Any]:
        rules = str(HERE / "rules.toml")
        replayed = vitcam("replay", str(where()), "--model", MODEL, "--rules", rules, "--json", cwd=home)
        assert replayed.code == 0, replayed.err
        return [_rounded({key: row[key] for key in _OF_A_REPLAY if key in row}) for row in replayed.lines]

    return found


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    plain = {key: round(value, 1) if isinstance(value, float) else value for key, value in row.items()}
    return plain | ({"group": row["group"]["label"]} if row.get("group") else {})


def bundle(home: Path) -> dict[str, Any]:
    """Whether the bundle of an event that 6969bc83 made gives the same answer; another processor rounds differently."""
    replayed = vitcam("replay", str(HERE / "event.zip"), "--model", MODEL, "--json", cwd=home)
    found = replayed.lines[0]
    return (
        {"exit code": replayed.code, "agrees": found.pop("match") in ("exact", "close")} | found | {"differences": []}
    )


def exports(home: Path) -> dict[str, dict[str, str]]:
    """Of two committed networks, the weights and the graph that `vitcam-train export` makes of them, bit for bit."""
    found = {}
    for name in ("mnist", "cifar10-scratch"):
        weights, made = ROOT / "models" / f"{name}.safetensors", home / f"{name}.tflite"
        command = [sys.executable, "-P", child.__file__, "run", "vitcam-train", "export", str(weights), "-o", str(made)]
        subprocess.run(command, capture_output=True, check=True, cwd=home)
        with zipfile.ZipFile(made) as added:
            graph = made.read_bytes()[: min(member.header_offset for member in added.infolist())]
        digests = {"weights": weights.read_bytes(), "graph": graph}
        found[name] = {what: hashlib.sha256(content).hexdigest() for what, content in digests.items()}
    return found


FAST: Mapping[str, Subject] = {
    "household": household,
    "schema": schema,
    "options": options("vitcam"),
    **{f"settings of {generation}": settings(generation) for generation in GENERATIONS},
    "bundle": bundle,
}
LONG: Mapping[str, Subject] = {
    **{f"state of {generation}": state(generation) for generation in GENERATIONS},
    "demo": film(lambda: HERE / "demo.mp4"),
    "bottle": film(lambda: need_data("clips") / "bottle-detection.mp4"),
    "person": film(lambda: need_data("clips") / "one-by-one-person-detection.mp4"),
}
TRAINING_FAST: Mapping[str, Subject] = {"options of training": options("vitcam-train")}
TRAINING_LONG: Mapping[str, Subject] = {"exports": exports}
SUBJECTS = {**FAST, **LONG, **TRAINING_FAST, **TRAINING_LONG}
