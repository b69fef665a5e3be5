"""Zones and masks over HTTP, in what viewers get, and in a real daemon."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually
from tests.integration.web.camera import Camera, Client
from tests.integration.web.test_saved_crop import network_camera  # noqa: F401 - a fixture
from vitcam.frames import Image
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.view import Region
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

DOOR, ROAD = Zone("door", Region(0, 0, 0.5, 1)), Zone("road", Region(0.5, 0, 0.5, 1), ("cat",), enter=0.7)
TWO = Areas((DOOR, ROAD), (Region(0.9, 0, 0.1, 0.1),))
EMPTY: dict[str, Any] = {"zones": {}, "masks": []}


def put(url: str, body: object, **headers: str) -> tuple[int, dict[str, Any]]:
    """Send all zones and masks; the status and the answer."""
    return answer_to(f"{url}/api/zones", body, "PUT", headers)


@pytest.fixture
def areas(camera: Camera) -> ActiveAreas:
    camera.active_areas = ActiveAreas(TWO)
    camera.labels = {"road": "cat"}
    return camera.active_areas


@pytest.fixture
def zoned(camera: Camera, areas: ActiveAreas) -> Iterator[WebServer]:
    running = WebServer(camera.parts(areas=areas), Binding())
    running.start()
    running.wait_until_serving()
    yield running
    running.stop(2)


def test_zones_and_masks_are_given_in_fractions_with_what_set_them(zoned: WebServer, areas: ActiveAreas) -> None:
    found = get_json(f"{zoned.url}/api/zones")
    as_everywhere = {"leave": None, "dwell_s": None, "follow": None}

    assert found == {
        "zones": {
            "door": {"rect": [0, 0, 0.5, 1], "labels": [], "enter": None, **as_everywhere},
            "road": {"rect": [0.5, 0, 0.5, 1], "labels": ["cat"], "enter": 0.7, **as_everywhere},
        },
        "masks": [[0.9, 0, 0.1, 0.1]],
        "from": "configuration",
        "fixed": {"zones": "", "masks": ""},
        "warning": "",
    }
    each = {"fps": 30.0, "follows": False}
    assert get_json(f"{zoned.url}/api/state")["zones"] == {"door": each, "road": each}
    with Client(zoned, "/snapshot.jpg") as client:
        assert (client.headers["X-Vitcam-Label"], client.headers["X-Vitcam-Zone"]) == ("cup", "door"), "the surest zone"
    areas.replace(Areas((Zone("door", Region(320, 180, 640, 360)),)))  # px, which are given in fractions
    assert get_json(f"{zoned.url}/api/zones")["zones"]["door"]["rect"] == [0.25, 0.25, 0.5, 0.5]


def test_what_is_put_is_in_force_at_once_and_given_again(zoned: WebServer, areas: ActiveAreas) -> None:
    bench = {"rect": [0.1, 0.2, 0.3, 0.4], "labels": ["cup"], "dwell_s": 2, "follow": "motion"}
    wanted = {"zones": {"bench": bench}, "masks": []}
    status, answer = put(zoned.url, wanted)

    assert (status, answer["remembered"], answer["reason"], answer["from"]) == (200, True, "", "page")
    assert areas.areas == Areas((Zone("bench", Region(0.1, 0.2, 0.3, 0.4), ("cup",), dwell_s=2.0, follow="motion"),))
    assert get_json(f"{zoned.url}/api/zones")["zones"] == answer["zones"]
    assert put(zoned.url, get_json(f"{zoned.url}/api/zones"))[0] == 200


INVALID: list[tuple[object, str]] = [
    ("x", "the request is not JSON"),
    ({}, "zones and masks are needed"),
    ({"zones": {"a b": {"rect": [0, 0, 1, 1]}}, "masks": []}, "'a b' cannot be the name of a zone; use up to 32"),
    ({"zones": {"door": {}}, "masks": []}, "the zone door needs four numbers from 0 to 1"),
    ({"zones": {"door": {"rect": [0, 0, 1, 1], "size": 3}}, "masks": []}, "the zone door must be an object with"),
    ({"zones": {"door": {"rect": [0.5, 0, 0.6, 1]}}, "masks": []}, "the zone door is empty or reaches outside"),
    ({"zones": {}, "masks": [[0, 0, 1, 1], [0, 0, 640, 480]]}, "mask 2 needs four numbers from 0 to 1"),
    ({"zones": {}, "masks": [[0, 0, 1, 1e999]]}, "the request is not JSON: Infinity in it"),
    ({"zones": {"door": {"rect": [0, 0, 1, 1], "enter": 2}}, "masks": []}, "enter of the zone door is 2; a number"),
    (
        {"zones": {"door": {"rect": [0, 0, 1, 1], "enter": 0.2, "leave": 0.4}}, "masks": []},
        "the zone door: leave is 0.4 and enter 0.2; leave may be at most enter",
    ),
    ({"zones": {"door": {"rect": [0, 0, 1, 1], "labels": "cup"}}, "masks": []}, "the labels of the zone door must"),
    (
        {"zones": {"door": {"rect": [0, 0, 1, 1], "follow": "all"}}, "masks": []},
        'follow of the zone door is \'all\'; "off" or "motion" is allowed, or null',
    ),
    (
        {"zones": {"door": {"rect": [0, 0, 1, 1], "labels": ["cup", "catt"]}}, "masks": []},
        "the model knows no label or group 'catt', which the zone door watches; did you mean 'cat'?",
    ),
    ({"zones": {}, "masks": [[0, 0, 0.1, 0.1]] * 65}, "there are 0 zones and 65 masks; allowed are 64 and 64"),
]


def test_what_is_invalid_is_refused_with_a_sentence_and_changes_nothing(zoned: WebServer, areas: ActiveAreas) -> None:
    for body, sentence in INVALID:
        status, answer = put(zoned.url, body)

        assert (status, answer["error"][: len(sentence)]) == (400, sentence), body
        assert areas.areas is TWO, body


def test_followers_get_the_newest_prediction_of_every_zone(camera: Camera, zoned: WebServer) -> None:
    with Client(zoned, "/api/predictions") as client:
        records = [json.loads(client.read_event()["data"]) for _ in range(20)]
    by_zone = {name: [each["seq"] for each in records if each["zone"] == name] for name in ("door", "road")}

    assert {each["top"][0]["label"] for each in records if each["zone"] == "road"} == {"cat"}
    for seqs in by_zone.values():
        assert len(seqs) >= 8
        assert seqs == sorted(set(seqs))


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that is shown a white picture."""
    folder = tmp_path_factory.mktemp("white")
    cv2.imwrite(str(folder / "white.png"), np.full((480, 640, 3), 255, np.uint8))
    with daemon("--source", str(folder), "--model", "mnist", XDG_STATE_HOME=str(folder)) as running:
        running.wait_for("ok")
        yield running


def pictures(url: str, count: int) -> list[Image]:
    """The first pictures of a stream."""
    with urllib.request.urlopen(f"{url}/stream?overlay=none&width=640", timeout=20) as answer:
        found = []
        for _ in range(count):
            while not (line := answer.readline()).startswith(b"Content-Length"):
                pass
            size = int(line.split()[1])
            while answer.readline().strip():
                pass
            found.append(decoded(answer.read(size)))
    return found


def snapshot(url: str, overlay: str = "none") -> Image:
    with urllib.request.urlopen(f"{url}/snapshot.jpg?overlay={overlay}&width=640", timeout=20) as answer:
        return decoded(answer.read())


def decoded(jpeg: bytes) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def halves(image: Image) -> tuple[int, int]:
    """The brightest level on the left, the darkest on the right; a block of JPEG lies between them."""
    return int(image[:, :312].max()), int(image[:, 328:].min())


def test_no_bright_pixel_inside_a_mask_reaches_a_viewer_and_changes_hold_at_once(watching: Daemon) -> None:
    put(watching.url, {"zones": {}, "masks": [[0, 0, 0.5, 1]]})
    found = [halves(image) for image in (*pictures(watching.url, 2), snapshot(watching.url))]
    put(watching.url, {"zones": {}, "masks": [[0, 0, 1, 1]]})
    black = snapshot(watching.url)
    put(watching.url, {"zones": {}, "masks": [[0.5, 0, 0.5, 1]]})
    other = snapshot(watching.url)

    assert all(left <= 8 and right >= 247 for left, right in found), found
    assert black.max() <= 8
    assert other[:, 328:].max() <= 8
    assert other[:, :312].min() >= 247


def test_zones_drawn_on_the_page_are_classified_and_named_in_the_picture(watching: Daemon) -> None:
    zones = {"left": {"rect": [0, 0, 0.5, 1]}, "low": {"rect": [0, 0.5, 1, 0.5]}}
    status, answer = put(watching.url, {"zones": zones, "masks": []})
    seen = eventually(lambda: [rate["fps"] > 0 for rate in watching.state()["zones"].values()] == [True, True])
    plain, named = snapshot(watching.url), snapshot(watching.url, "attention")
    put(watching.url, EMPTY)
    whole = eventually(lambda: watching.state()["zones"] == {})

    assert status == 200
    assert not answer["remembered"]
    assert "for cameras only" in answer["reason"]
    assert seen
    assert whole
    assert plain.min() >= 247
    assert named[80:100, :60].min() < 60  # the model sees the square in the middle of a zone


@pytest.mark.usefixtures("network_camera")
def test_a_cameras_zones_and_masks_are_kept_for_the_next_start(tmp_path: Path, network_camera: str) -> None:  # noqa: F811
    state = {"XDG_STATE_HOME": str(tmp_path)}
    wanted = {"zones": {"door": {"rect": [0, 0, 0.5, 1], "labels": ["cup"]}}, "masks": [[0.5, 0.5, 0.25, 0.25]]}
    with daemon("--source", network_camera, **state) as first:
        first.wait_for("ok")
        _, answer = put(first.url, wanted)
        assert first.end()[0] == 0
    with daemon("--source", network_camera, **state) as second:
        second.wait_for("ok")
        found = get_json(f"{second.url}/api/zones")
        zones = second.state()["zones"]

    assert answer["remembered"]
    assert found == {key: value for key, value in answer.items() if key not in ("remembered", "reason", "removed")}
    assert set(zones) == {"door"}
