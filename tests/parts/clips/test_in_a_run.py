"""A clip of a real run: a browser plays it and seeks in it, and it is as long as what it shows."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.daemon import Daemon, daemon, get_json, status_of
from tests.eventually import eventually
from tests.parts.clips.cuts import probed

pytestmark = pytest.mark.long
BEFORE_S, AFTER_S = 2.0, 1.0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    state = tmp_path_factory.mktemp("state")
    clips = ["clips.enabled=true", f"clips.before_s={BEFORE_S}", f"clips.after_s={AFTER_S}"]
    settings = [word for setting in clips for word in ("--set", setting)]
    with daemon("--source", "demo", "--loop", *settings, XDG_STATE_HOME=str(state)) as started:
        started.wait_for("ok")
        yield started


@pytest.fixture(scope="module")
def event(running: Daemon) -> dict[str, Any]:
    """The oldest event with a clip that began late enough for all of the time before it."""

    def found() -> list[dict[str, Any]]:
        events = get_json(f"{running.url}/api/events")["events"]
        return [each for each in events if each["clip"] and each["end"]][:-1]

    # the encoder has the lowest priority: beside other tests a clip takes long, and the clips after it are left out
    events = eventually(found, within_s=240, every_s=0.25)
    assert events, running.errors()
    return events[-1]


def test_a_clip_is_as_long_as_the_event_with_the_time_before_and_after(
    running: Daemon, event: dict[str, Any], tmp_path: Path
) -> None:
    clip = tmp_path / "clip.mp4"
    with urllib.request.urlopen(running.url + event["clip"], timeout=20) as answer:
        kind = answer.headers["Content-Type"]
        clip.write_bytes(answer.read())
    start, end = (datetime.fromisoformat(event[name]) for name in ("start", "end"))
    lasted_s = (end - start).total_seconds()

    assert kind == "video/mp4"
    assert float(probed(clip)["duration"]) == pytest.approx(BEFORE_S + lasted_s + AFTER_S, abs=0.5)


def test_a_browser_plays_a_clip_and_seeks_in_it(running: Daemon, event: dict[str, Any], chrome: Chrome) -> None:
    chrome.get(running.url + event["clip"])
    played = chrome.execute_async_script(
        """const done = arguments[0], video = document.querySelector("video");
        video.muted = true;
        const until = (name) => new Promise((go) => video.addEventListener(name, go, {once: true}));
        (async () => {
            if (video.readyState < 2) await until("loadeddata");
            await video.play();
            while (video.currentTime < 0.5) await until("timeupdate");
            const first = video.currentTime;
            video.pause();
            const target = video.duration - 1.5;
            const sought = until("seeked");
            video.currentTime = target;
            await sought;
            done({first, target, now: video.currentTime, width: video.videoWidth, error: video.error});
        })();"""
    )

    assert played["error"] is None
    assert played["width"] == 640
    assert 0.5 <= played["first"] < 3
    assert played["now"] == pytest.approx(played["target"], abs=0.1)


def test_a_player_gets_the_part_of_a_clip_that_it_asks_for(running: Daemon, event: dict[str, Any]) -> None:
    request = urllib.request.Request(running.url + event["clip"], headers={"Range": "bytes=4-7"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        status, part, sizes = answer.status, answer.read(), answer.headers["Content-Range"]

    assert (status, part) == (206, b"ftyp")
    assert sizes.startswith("bytes 4-7/")


@pytest.mark.parametrize("headers", [{}, {"Range": "bytes=4-7"}, {"If-None-Match": "known"}])
def test_a_connection_that_has_got_a_clip_answers_the_next_request(
    running: Daemon, event: dict[str, Any], headers: dict[str, str]
) -> None:
    with closing(http.client.HTTPConnection(running.url.removeprefix("http://"), timeout=20)) as connection:
        if "If-None-Match" in headers:
            connection.request("HEAD", event["clip"])
            with connection.getresponse() as known:
                headers = {"If-None-Match": known.headers["ETag"]}
        connection.request("GET", event["clip"], headers=headers)
        connection.getresponse().read()
        socket = connection.sock
        connection.request("GET", "/healthz")
        status = connection.getresponse().status

        assert status == 200
        assert connection.sock is socket
    assert "Traceback" not in running.errors()


def test_a_part_that_a_clip_does_not_have_is_refused_with_a_sentence(running: Daemon, event: dict[str, Any]) -> None:
    request = urllib.request.Request(running.url + event["clip"], headers={"Range": "bytes=999999999-"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)
    with refused.value as answer:
        said = json.load(answer)

    assert answer.code == 416
    assert set(said) == {"error"}


def test_deleting_an_event_deletes_its_clip(running: Daemon, event: dict[str, Any]) -> None:
    request = urllib.request.Request(f"{running.url}/api/events/{event['id']}", method="DELETE")
    with urllib.request.urlopen(request, timeout=20) as answer:
        answer.read()

    assert status_of(running.url + event["clip"]) == 404
